#include "core/policy/scheduler/haste/initial_plan.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace heddle {
namespace {

struct Asked {
  RequestOrder::Key key;
  int left = 0;
};
/// Requested tasks by size. Each list is in the order of requests.
using Pending = std::map<Resources, std::vector<Asked>, BySize>;

bool plannable(const RequestGroup& group) {
  return group.kind != PhaseKind::kAm && !group.gang && !group.early;
}

/// Returns how many containers of this size fit in the room if nothing else is there.
std::int64_t fitting(const Resources& size, const Resources& room) {
  return std::min<std::int64_t>(times(size, room), std::numeric_limits<int>::max());
}

/// Returns the requested tasks. For each size, lists only the first tasks, up to the number that
/// could fit the nodes.
Pending pending_tasks(const Draft& draft, const RequestOrder& order,
                      const std::vector<NodeId>& nodes) {
  Pending pending;
  for (const auto& [group, keys] : order.groups()) {
    if (!plannable(group)) continue;
    std::int64_t useful = 0;
    for (NodeId node : nodes) useful += fitting(group.size, draft.free(node));
    for (auto key = keys.begin(); key != keys.end() && useful > 0; ++key) {
      const int asked = draft.pending(RequestOrder::phase_of(*key));
      pending[group.size].push_back({*key, asked});
      useful -= asked;
    }
  }
  for (auto& [size, asked] : pending)
    std::sort(asked.begin(), asked.end(),
              [](const Asked& a, const Asked& b) { return a.key < b.key; });
  return pending;
}

/// Returns the sizes, large sizes first. If a large and a small size are equally good, the large
/// size is chosen, because a small container finds room more easily later. The count of each size
/// is at most what could fit. Therefore equal nodes are equal problems while there are enough tasks
/// of all sizes.
std::vector<SizeCount> sizes_for(const Pending& pending, const Resources& room) {
  std::vector<SizeCount> sizes;
  for (auto size = pending.rbegin(); size != pending.rend(); ++size) {
    const std::int64_t most = fitting(size->first, room);
    std::int64_t count = 0;
    for (const Asked& asked : size->second) {
      if (count >= most) break;
      count += asked.left;
    }
    sizes.push_back({size->first, static_cast<int>(std::min(count, most))});
  }
  return sizes;
}

/// Removes `counts` tasks from `pending`. `counts` has one entry per size, in the order of
/// sizes_for().
InitialPlan::Shares take(const std::vector<int>& counts, Pending& pending) {
  std::map<RequestOrder::Key, int> taken;
  auto count = counts.begin();
  for (auto size = pending.rbegin(); size != pending.rend(); ++size) {
    int left = *count++;
    std::vector<Asked>& asked = size->second;
    auto next = asked.begin();
    for (; next != asked.end() && left > 0; ++next) {
      const int now = std::min(left, next->left);
      if (now > 0) taken[next->key] = now;
      left -= now;
      next->left -= now;
      if (next->left > 0) break;
    }
    asked.erase(asked.begin(), next);
  }
  InitialPlan::Shares shares;
  for (const auto& [key, number] : taken) shares.push_back({RequestOrder::phase_of(key), number});
  return shares;
}

}  // namespace

void InitialPlan::begin_batch() {
  batch_ = {};
  planned_.clear();
}

std::vector<NodeId> InitialPlan::unplanned(const Draft& draft) const {
  const View& view = draft.view();
  std::set<NodeId> nodes(view.offers.begin(), view.offers.end());
  if (view.anywhere)
    for (const auto& [group, keys] : batch_.groups())
      for (auto node = draft.free_nodes().first(group.size); node;
           node = draft.free_nodes().first(group.size, NodeId{node->value + 1}))
        nodes.insert(*node);
  std::vector<NodeId> unplanned;
  for (NodeId node : nodes)
    if (!planned_.contains(node) && !draft.reserved_by(node)) unplanned.push_back(node);
  return unplanned;
}

const std::vector<int>& InitialPlan::fill(std::vector<SizeCount> sizes, const Resources& room,
                                          const Resources& total) {
  Problem problem{std::move(sizes), room, total};
  if (solved_ != problem) {
    counts_ = fill_room(problem.sizes, room, total, unit_);
    solved_ = std::move(problem);
  }
  return counts_;
}

void InitialPlan::make(Draft& draft) {
  plan_.clear();
  if (batch_.groups().empty() || all_planned(draft)) return;
  const std::vector<NodeId> nodes = unplanned(draft);
  if (nodes.empty()) return;
  Pending pending = pending_tasks(draft, batch_, nodes);
  for (NodeId node : nodes) {
    const Resources room = draft.free(node);
    std::vector<SizeCount> sizes = sizes_for(pending, room);
    const auto fits = [](const SizeCount& size) { return size.count > 0; };
    if (std::none_of(sizes.begin(), sizes.end(), fits)) continue;
    Shares shares = take(fill(std::move(sizes), room, draft.view().cluster.total()), pending);
    if (!shares.empty()) plan_.emplace(node, std::move(shares));
    planned_.insert(node);
    draft.remember();
  }
}

const InitialPlan::Shares* InitialPlan::of(NodeId node) const {
  auto it = plan_.find(node);
  return it == plan_.end() ? nullptr : &it->second;
}

void InitialPlan::took(NodeId node, PhaseId phase) {
  auto it = plan_.find(node);
  if (it == plan_.end()) return;
  Shares& shares = it->second;
  auto share = std::find_if(shares.begin(), shares.end(),
                            [&](const Share& planned) { return planned.phase == phase; });
  if (share != shares.end() && --share->count == 0) shares.erase(share);
  if (shares.empty()) plan_.erase(it);
}

}  // namespace heddle
