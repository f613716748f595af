#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "worker/data/data_service.h"

namespace heddle::worker {

/// Keeps the copies that the master has announced to this node and that no node has requested yet.
/// Pure.
class Announced {
 public:
  /// If there are more than `most` copies, forgets the oldest copies, because the tasks that write
  /// them have probably failed.
  explicit Announced(std::size_t most) : most_(most) {}

  void add(const DataExpect& copy);
  /// Returns whether exactly this copy was announced. If it was, forgets the announcement.
  bool take(const DataExpect& copy);
  std::size_t size() const { return copies_.size(); }

 private:
  using Key = std::pair<std::uint64_t, NodeId>;  ///< object, and the node that has it
  std::size_t most_;
  std::map<Key, DataExpect> copies_;
  std::deque<Key> order_;  ///< oldest first; also copies that were taken
};

}  // namespace heddle::worker
