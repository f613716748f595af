#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "worker/data/fetching.h"

namespace heddle::worker {

/// Writes objects here and has other nodes make copies, which they fetch from here. If a node is
/// lost on the way, or does not expect the copy, it has none, and the store still succeeds. If a
/// node says why it can't make the copy, the store fails. Each node removes the files that it has
/// written and that are not to be kept, so none is left if the asker dies.
class Storing {
 public:
  using Done = std::function<void(std::uint64_t ticket, const std::string& error)>;

  Storing(DataNode* node, Done done) : node_(*node), done_(std::move(done)) {}

  void start(const DataStore& store, real::Time now);
  /// Forgets a store and removes what it has written here.
  void cancel(std::uint64_t ticket);

  // Handle events. They return false if the event concerns no store.
  bool passed(const Pacer::Passed& chunk, real::Time now);
  bool answered(NodeId peer, const DataMessage& message, std::string_view body, real::Time now);

  void peer_gone(NodeId peer);
  /// Gives up nodes that are silent.
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
  std::map<std::uint64_t, std::uint64_t> chunks_;  ///< in the pacer, by the pacer's names: store
};

}  // namespace heddle::worker
