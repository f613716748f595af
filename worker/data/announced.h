#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "worker/data/data_service.h"

namespace heddle::worker {

/// The copies that the master has announced to this node and that nobody has asked it to make yet.
/// Pure.
class Announced {
 public:
  /// Of more than `most`, the oldest are forgotten: their tasks have failed.
  explicit Announced(std::size_t most) : most_(most) {}

  void add(const DataExpect& copy);
  /// Whether exactly this copy was announced. It is used up by that.
  bool take(const DataExpect& copy);
  std::size_t size() const { return copies_.size(); }

 private:
  using Key = std::pair<std::uint64_t, NodeId>;  ///< object and who has it
  std::size_t most_;
  std::map<Key, DataExpect> copies_;
  std::deque<Key> order_;  ///< oldest first; used-up ones too
};

}  // namespace heddle::worker
