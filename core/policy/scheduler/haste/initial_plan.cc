#include "core/policy/scheduler/haste/initial_plan.h"

#include "core/policy/scheduler/haste/knapsack.h"

namespace heddle {
namespace {

struct Asked {
  PhaseId phase;
  int left = 0;
  int rank = 0;  ///< in the requests' order, over all sizes
};
/// By size, each in the requests' order.
using Pending = std::map<Resources, std::vector<Asked>, ByCoresThenMemory>;

Pending pending_tasks(const Draft& draft, const RequestOrder& order) {
  Pending pending;
  int rank = 0;
  order.in_order(draft, [&](const Request& request) {
    if (request.kind != PhaseKind::kAm && !request.gang && !request.early)
      pending[request.resources].push_back({request.phase, draft.pending(request), rank++});
    return true;
  });
  return pending;
}

/// How many of the size go into the room alone, at most `count`.
int fitting(const Resources& size, std::int64_t count, const Resources& room) {
  if (size.cores.count() > 0) count = std::min(count, room.cores.count() / size.cores.count());
  if (size.memory.count() > 0) count = std::min(count, room.memory.count() / size.memory.count());
  return static_cast<int>(count);
}

/// Large ones first: where either will do, small ones find room later too. No more of each than
/// could fit, so that equal nodes are equal problems while there is enough of all.
std::vector<SizeCount> sizes_for(const Pending& pending, const Resources& room) {
  std::vector<SizeCount> sizes;
  for (auto size = pending.rbegin(); size != pending.rend(); ++size) {
    std::int64_t count = 0;
    for (const Asked& asked : size->second) count += asked.left;
    sizes.push_back({size->first, fitting(size->first, count, room)});
  }
  return sizes;
}

/// Takes `counts`, of the sizes in the order of sizes_for.
InitialPlan::Shares take(const std::vector<int>& counts, Pending& pending) {
  std::map<int, InitialPlan::Share> by_rank;
  auto count = counts.begin();
  for (auto size = pending.rbegin(); size != pending.rend(); ++size) {
    int left = *count++;
    for (Asked& asked : size->second) {
      const int taken = std::min(left, asked.left);
      if (taken > 0) by_rank[asked.rank] = {asked.phase, taken};
      left -= taken;
      asked.left -= taken;
    }
  }
  InitialPlan::Shares shares;
  for (const auto& [rank, share] : by_rank) shares.push_back(share);
  return shares;
}

}  // namespace

void InitialPlan::make(Draft& draft, const RequestOrder& order) {
  const ClusterState& cluster = draft.view().cluster;
  Pending pending = pending_tasks(draft, order);
  std::map<NodeId, Shares> plan;
  std::vector<SizeCount> last_sizes;
  Resources last_room;
  std::vector<int> counts;
  for (const Node& node : cluster.nodes()) {
    if (pending.empty() || !node.alive || draft.reserved_by(node.id)) continue;
    const Resources room = draft.free(node.id);
    std::vector<SizeCount> sizes = sizes_for(pending, room);
    if (counts.empty() || sizes != last_sizes || room != last_room) {
      counts = fill_room(sizes, room, cluster.total(), unit_);
      last_sizes = std::move(sizes);
      last_room = room;
    }
    Shares shares = take(counts, pending);
    if (!shares.empty()) plan.emplace(node.id, std::move(shares));
  }
  if (plan == plan_) return;
  plan_ = std::move(plan);
  draft.remember();
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
