#include "core/policy/queues/held_room.h"

#include <algorithm>
#include <cassert>

namespace heddle {

void HeldRoom::add(NodeId node, const Hold& hold, Draft& draft) {
  on_[node].push_back(hold);
  ++sums_[hold.leaf].count;
  sums_[hold.leaf].size += hold.size;
  draft.withhold(node, hold.size);
}

const std::vector<HeldRoom::Hold>& HeldRoom::on(NodeId node) const {
  static const std::vector<Hold> none;
  if (on_.empty()) return none;
  const auto it = on_.find(node);
  return it == on_.end() ? none : it->second;
}

void HeldRoom::drop(NodeId node, std::size_t which, Draft& draft) {
  const auto it = on_.find(node);
  const Hold hold = it->second[which];
  it->second.erase(it->second.begin() + static_cast<std::ptrdiff_t>(which));
  if (it->second.empty()) on_.erase(it);
  --sums_[hold.leaf].count;
  sums_[hold.leaf].size -= hold.size;
  draft.withhold(node, Resources{} - hold.size);
}

void HeldRoom::drop_last(int leaf, Draft& draft) {
  for (auto node = on_.rbegin(); node != on_.rend(); ++node)
    for (std::size_t i = node->second.size(); i-- > 0;)
      if (node->second[i].leaf == leaf) return drop(node->first, i, draft);
  assert(false);
}

std::map<Resources, int, ByCoresThenMemory> HeldRoom::sizes(int leaf) const {
  std::map<Resources, int, ByCoresThenMemory> sizes;
  if (count(leaf) == 0) return sizes;
  for (const auto& [node, holds] : on_)
    for (const Hold& hold : holds)
      if (hold.leaf == leaf) ++sizes[hold.size];
  return sizes;
}

}  // namespace heddle
