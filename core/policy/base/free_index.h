#pragma once

#include <map>
#include <optional>
#include <vector>

#include "common/ids.h"
#include "core/model/resources.h"
#include "core/policy/base/node_set.h"

namespace heddle {

/// Finds a node with room without looking at all nodes. The nodes are the leaves of a tree; each
/// inner place knows the most cores, the most memory and the largest free share below it. A change
/// costs O(log n). So does a search, unless cores and memory are free on different nodes, which is
/// common in full clusters. For watched sizes, the index therefore also keeps the nodes in which
/// they fit, at little cost per change and size.
class FreeIndex {
 public:
  /// Makes an index in which no node has room.
  explicit FreeIndex(std::size_t nodes);

  /// Sets what is free on a node. `share`: the value that best() compares, 0..1.
  void set(NodeId node, const Resources& free, double share);
  using Sizes = std::map<Resources, int, ByCoresThenMemory>;
  /// Watches these sizes, at most 64 in all. Sizes watched before are kept while there is room. A
  /// size that wasn't watched is looked for on every node once.
  void watch(const Sizes& sizes);
  const Resources& free(NodeId node) const { return leaf(node).most; }

  /// Returns the first node, from `from` on, in which `wanted` fits.
  std::optional<NodeId> first(const Resources& wanted, NodeId from = NodeId{0}) const;
  /// Returns the node with the largest share among those in which `wanted` fits; on a tie, the
  /// first.
  std::optional<NodeId> best(const Resources& wanted) const;

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
  void best(std::size_t place, const Resources& wanted, std::size_t& found, double& share) const;

  /// Nodes in which each watched size fits.
  std::map<Resources, NodeSet, ByCoresThenMemory> fitting_;
  std::size_t leaves_ = 1;   ///< a power of 2
  std::vector<Place> tree_;  ///< place i has children 2i and 2i + 1; the root is 1
};

}  // namespace heddle
