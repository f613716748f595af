#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "worker/data/fetching.h"

namespace heddle::worker {

/// Writes objects on this node and asks other nodes to make copies. The other nodes fetch the
/// object from this node. If another node is lost, or if no copy was announced to it, that node has
/// no copy, and the store still succeeds. If another node reports that it can't make the copy, the
/// store fails. Each node itself removes its files that are not to be kept. Therefore these files
/// are also removed if the asker dies.
class Storing {
 public:
  using Done = std::function<void(std::uint64_t ticket, const std::string& error)>;

  Storing(DataNode* node, Done done) : node_(*node), done_(std::move(done)) {}

  void start(const DataStore& store, real::Time now);
  /// Forgets a store and removes the file that it has written on this node.
  void cancel(std::uint64_t ticket);

  // Handle events. They return false if the event belongs to no store.
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
    int copies = 0;  ///< copies that other nodes are making
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
  std::map<std::uint64_t, Copy> copies_;           ///< unfinished copies, by stream
  std::map<std::uint64_t, std::uint64_t> chunks_;  ///< stores by the pacer's names of their chunks
};

}  // namespace heddle::worker
