#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "worker/data/fetching.h"

namespace heddle::worker {

/// Writes objects here and has other nodes make copies: they fetch it from here. A node that is
/// lost on the way, or does not expect a copy, has none, and that is all; one that says why it
/// can't make it is an error. Whoever has written a file that is not to be kept removes it himself:
/// so none is left by one who asked and died.
class Storing {
 public:
  using Done = std::function<void(std::uint64_t ticket, const std::string& error)>;

  Storing(DataNode* node, Done done) : node_(*node), done_(std::move(done)) {}

  void start(const DataStore& store, real::Time now);
  /// Forgets it and removes what it has written here.
  void cancel(std::uint64_t ticket);

  // What happens; each is false if it is none of a store's business.
  bool passed(const Pacer::Passed& chunk, real::Time now);
  bool answered(NodeId peer, const DataMessage& message, std::string_view body, real::Time now);

  void peer_gone(NodeId peer);
  /// Looks for nodes that are silent.
  void check(real::Time now);
  bool empty() const { return stores_.empty(); }

 private:
  struct Copy {
    std::uint64_t store = 0;
    NodeId on;
    Silence silence;
  };
  struct Store {
    DataStore wanted;
    Fd file;
    std::int64_t written = 0;
    int copies = 0;  ///< under way
    std::string error;
  };

  std::int64_t next_chunk(const Store& store) const;
  void write(std::uint64_t id, const Store& store, real::Time due);
  Result<void> wrote_chunk(Store& store);
  void copy(std::uint64_t id, Store& store, real::Time now);
  void copy_ended(std::uint64_t stream, const std::string& error);
  void finish(std::uint64_t id);

  DataNode& node_;
  Done done_;
  std::map<std::uint64_t, Store> stores_;
  std::map<std::uint64_t, Copy> copies_;           ///< by stream
  std::map<std::uint64_t, std::uint64_t> chunks_;  ///< in the pacer, by its names: store
};

}  // namespace heddle::worker
