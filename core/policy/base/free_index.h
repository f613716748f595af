#pragma once

#include <map>
#include <optional>
#include <vector>

#include "common/ids.h"
#include "core/model/resources.h"
#include "core/policy/base/node_set.h"

namespace heddle {

/// Finds a node with room without looking at all of them: a tree over the nodes, each inner place
/// knowing the most cores, the most memory and the largest free share below it. A change costs
/// O(log n); a search too, but where cores and memory are free on different nodes. As that is how
/// full clusters are, for sizes that are watched it is also known where they fit, which costs next
/// to nothing a change and size.
class FreeIndex {
 public:
  /// All nodes without room.
  explicit FreeIndex(std::size_t nodes);

  /// `share`: by which best() compares, 0..1.
  void set(NodeId node, const Resources& free, double share);
  using Sizes = std::map<Resources, int, ByCoresThenMemory>;
  /// Watches these sizes from now on, 64 at most; those of before too, as long as there is room. A
  /// size that wasn't watched is looked for on every node once.
  void watch(const Sizes& sizes);
  const Resources& free(NodeId node) const { return leaf(node).most; }

  /// The first node, from `from` on, in which `wanted` fits.
  std::optional<NodeId> first(const Resources& wanted, NodeId from = NodeId{0}) const;
  /// The one with the largest share of those in which it fits; of equal ones the first.
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

  /// The fits that are watched.
  std::map<Resources, NodeSet, ByCoresThenMemory> fitting_;
  std::size_t leaves_ = 1;   ///< a power of 2
  std::vector<Place> tree_;  ///< place i has children 2i and 2i + 1; the root is 1
};

}  // namespace heddle
