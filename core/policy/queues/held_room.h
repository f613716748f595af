#pragma once

#include <cassert>
#include <map>
#include <vector>

#include "core/policy/base/draft.h"

namespace heddle {

/// Keeps the room that preemption has made on nodes for leaf queues by killing containers. The
/// draft withholds the room from every request until this class drops it. The class drops room when
/// the queue gets it or no longer needs it.
class HeldRoom {
 public:
  /// Room for one container.
  struct Hold {
    int leaf = 0;
    Resources size;
  };
  explicit HeldRoom(std::size_t queues) : sums_(queues) {}

  void add(NodeId node, const Hold& hold, Draft& draft) {
    on_[node].push_back(hold);
    ++sums_[hold.leaf].count;
    sums_[hold.leaf].size += hold.size;
    draft.withhold(node, hold.size);
  }

  /// Returns the holds on the node, in the order in which they were added.
  const std::vector<Hold>& on(NodeId node) const {
    static const std::vector<Hold> none;
    if (on_.empty()) return none;
    const auto it = on_.find(node);
    return it == on_.end() ? none : it->second;
  }

  /// Drops the hold with the index `which` in on(node), so that other requests can get the room.
  /// REQUIRES: on(node) has this index.
  void drop(NodeId node, std::size_t which, Draft& draft) {
    const auto it = on_.find(node);
    const Hold hold = it->second[which];
    it->second.erase(it->second.begin() + static_cast<std::ptrdiff_t>(which));
    if (it->second.empty()) on_.erase(it);
    --sums_[hold.leaf].count;
    sums_[hold.leaf].size -= hold.size;
    draft.withhold(node, Resources{} - hold.size);
  }

  /// Drops the leaf's last hold on the last node that has any. REQUIRES: count(leaf) > 0.
  void drop_last(int leaf, Draft& draft) {
    for (auto node = on_.rbegin(); node != on_.rend(); ++node)
      for (std::size_t i = node->second.size(); i-- > 0;)
        if (node->second[i].leaf == leaf) return drop(node->first, i, draft);
    assert(false);
  }

  int count(int leaf) const { return sums_[leaf].count; }
  Resources of(int leaf) const { return sums_[leaf].size; }
  /// Returns the number of the leaf's holds for each size.
  std::map<Resources, int, BySize> sizes(int leaf) const {
    std::map<Resources, int, BySize> sizes;
    if (count(leaf) == 0) return sizes;
    for (const auto& [node, holds] : on_)
      for (const Hold& hold : holds)
        if (hold.leaf == leaf) ++sizes[hold.size];
    return sizes;
  }

 private:
  struct Sum {
    int count = 0;
    Resources size;
  };
  std::map<NodeId, std::vector<Hold>> on_;  ///< no entry is empty
  std::vector<Sum> sums_;                   ///< by queue
};

}  // namespace heddle
