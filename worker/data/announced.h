#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "worker/data/data_service.h"

namespace heddle::worker {

/// Keeps the copies that the master has announced to this node and that no node has asked for yet.
/// Pure.
class Announced {
 public:
  /// If there are more than `most`, forgets the oldest ones: their tasks have failed.
  explicit Announced(std::size_t most) : most_(most) {}

  void add(const DataExpect& copy);
  /// Returns whether exactly this copy was announced, and forgets it if so.
  bool take(const DataExpect& copy);
  std::size_t size() const { return copies_.size(); }

 private:
  using Key = std::pair<std::uint64_t, NodeId>;  ///< object and the node that has it
  std::size_t most_;
  std::map<Key, DataExpect> copies_;
  std::deque<Key> order_;  ///< oldest first, with those that were taken
};

}  // namespace heddle::worker
