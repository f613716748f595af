#pragma once

#include <map>
#include <vector>

#include "core/policy/draft.h"

namespace heddle {

/// Keeps the room on nodes that was made for leaf queues by killing containers. The draft withholds
/// the room from everybody until it is dropped here: when the queue gets it, or no longer needs it.
class HeldRoom {
 public:
  /// Room for one container.
  struct Hold {
    int leaf = 0;
    Resources size;
  };
  explicit HeldRoom(std::size_t queues) : sums_(queues) {}

  void add(NodeId node, const Hold& hold, Draft& draft);
  /// Returns the holds on the node, in the order in which they were added.
  const std::vector<Hold>& on(NodeId node) const;
  /// Gives the room back. REQUIRES: on(node) has it.
  void drop(NodeId node, std::size_t which, Draft& draft);
  /// Drops the leaf's last hold on the last node that has any. REQUIRES: count(leaf) > 0.
  void drop_last(int leaf, Draft& draft);

  int count(int leaf) const { return sums_[leaf].count; }
  Resources of(int leaf) const { return sums_[leaf].size; }
  /// Returns how many holds of each size the leaf has.
  std::map<Resources, int, ByCoresThenMemory> sizes(int leaf) const;

 private:
  struct Sum {
    int count = 0;
    Resources size;
  };
  std::map<NodeId, std::vector<Hold>> on_;  ///< no entry is empty
  std::vector<Sum> sums_;                   ///< by queue
};

}  // namespace heddle
