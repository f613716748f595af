#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "common/ids.h"
#include "sim/virtual_time.h"

namespace heddle::sim {

/// Keeps when each node is due, and finds the next one.
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

  /// Returns when the next node is due; kNever if none is.
  EmuTime next_time() const { return tree_[1]; }
  /// Returns the lowest of the nodes that are due next. REQUIRES: a node is due.
  NodeId next() const {
    std::size_t at = 1;
    while (at < leaves_) at = tree_[2 * at] == tree_[at] ? 2 * at : 2 * at + 1;
    return NodeId{static_cast<std::int64_t>(at - leaves_)};
  }

 private:
  std::size_t leaves_;
  std::vector<EmuTime> tree_;  ///< from 1 on: the earlier of the two below; then the nodes' own
};

}  // namespace heddle::sim
