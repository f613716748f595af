#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "common/ids.h"
#include "sim/virtual_time.h"

namespace heddle::sim {

/// Stores the time at which each node is due, and finds the node that is due next.
class Agenda {
 public:
  explicit Agenda(std::size_t nodes)
      : leaves_(std::bit_ceil(std::max<std::size_t>(nodes, 1))), tree_(2 * leaves_, kNever) {}

  void set(NodeId node, EmuTime due) {
    std::size_t at = leaves_ + static_cast<std::size_t>(node.value);
    tree_[at] = due;
    while ((at /= 2) > 0) {
      const EmuTime first = std::min(tree_[2 * at], tree_[2 * at + 1]);
      if (tree_[at] == first) return;
      tree_[at] = first;
    }
  }

  EmuTime time_of(NodeId node) const {
    return tree_[leaves_ + static_cast<std::size_t>(node.value)];
  }
  /// Returns the time at which the next node is due. Returns kNever if no node is due.
  EmuTime next_time() const { return tree_[1]; }
  /// Returns the node that is due next. Of several nodes, returns the one with the lowest id.
  /// REQUIRES: a node is due.
  NodeId next() const {
    std::size_t at = 1;
    while (at < leaves_) at = tree_[2 * at] == tree_[at] ? 2 * at : 2 * at + 1;
    return NodeId{static_cast<std::int64_t>(at - leaves_)};
  }

 private:
  std::size_t leaves_;
  std::vector<EmuTime> tree_;  ///< from index 1: the earlier of two children; leaves: nodes
};

}  // namespace heddle::sim
