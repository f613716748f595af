#pragma once

#include <boost/container/flat_map.hpp>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "common/ids.h"
#include "core/model/resources.h"
#include "core/policy/base/node_set.h"

namespace heddle {

/// Finds a node with room, and does not look at all nodes for that. The nodes are the leaves of a
/// tree. Each inner place knows the most cores, the most memory and the largest free share below
/// it. A change costs O(log n). A search also costs O(log n), unless cores and memory are free on
/// different nodes. Full clusters are often in that state. Therefore the index also keeps the set
/// of nodes that fit a size, for each size that is watched. This costs little for each change and
/// size.
class FreeIndex {
 public:
  /// Makes an index in which no node has room.
  explicit FreeIndex(std::size_t nodes);

  /// Sets what is free on a node. `share`: the value that best() compares, 0..1.
  void set(NodeId node, const Resources& free, double share);
  using Sizes = std::map<Resources, int, BySize>;
  /// Watches these sizes. The index watches at most 64 sizes. If more are needed, it drops earlier
  /// sizes that are not among these. A size that is new is compared with every node once.
  void watch(const Sizes& sizes);
  const Resources& free(NodeId node) const { return leaf(node).most; }

  /// Returns whether `wanted` fits in any node, if the size is watched. Returns nullopt if it is
  /// not.
  std::optional<bool> fits_if_watched(const Resources& wanted) const {
    // There are few sizes. Comparing all of them is faster than a binary search.
    for (const auto& [size, nodes] : fitting_)
      if (size == wanted) return !nodes.empty();
    return std::nullopt;
  }

  /// Returns the first node in which `wanted` fits. The search starts at `from`.
  std::optional<NodeId> first(const Resources& wanted, NodeId from = NodeId{0}) const;
  /// Says of a node in which a size fits whether a search may find it. An empty function allows
  /// all.
  using May = std::function<bool(NodeId)>;
  /// Returns the node with the largest share of all nodes in which `wanted` fits and which `may`
  /// allows. On a tie, returns the first of them.
  std::optional<NodeId> best(const Resources& wanted, const May& may = {}) const;

 private:
  struct Place {
    Resources most;
    double share = 0;
  };
  const Place& leaf(NodeId node) const { return tree_[leaves_ + node.value]; }
  std::size_t first_leaf(std::size_t place) const {
    while (place < leaves_) place *= 2;
    return place;
  }
  std::optional<NodeId> first(std::size_t place, std::size_t begin, std::size_t size,
                              std::size_t from, const Resources& wanted) const;
  void best(std::size_t place, const Resources& wanted, const May& may, std::size_t& found,
            double& share) const;

  /// Nodes in which each watched size fits.
  boost::container::flat_map<Resources, NodeSet, BySize> fitting_;
  std::size_t leaves_ = 1;   ///< a power of 2
  std::vector<Place> tree_;  ///< place i has children 2i and 2i + 1; the root is 1
};

}  // namespace heddle
