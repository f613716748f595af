#include "core/policy/scheduler/ffd_dp.h"

#include <functional>
#include <queue>

#include "core/policy/table.h"

namespace heddle {

FfdDp::FfdDp(const Scenario& scenario)
    : cores_weight_(policy_number(scenario.policy, "cores_weight")),
      memory_weight_(policy_number(scenario.policy, "memory_weight")) {}

void FfdDp::refresh(const View& view) {
  for (PhaseId id : view.changed_requests) {
    const Request* request = view.cluster.request(id);
    if (!request) {
      remove(id);
      continue;
    }
    Key key{-request->priority, request->submit, id};
    if (known_.try_emplace(id, request->resources, key).second)
      by_size_[request->resources].insert(key);
  }
}

void FfdDp::launched(const Draft& draft, const Request& request) {
  if (draft.pending(request.phase) == 0) remove(request.phase);
}

void FfdDp::remove(PhaseId phase) {
  auto it = known_.find(phase);
  if (it == known_.end()) return;
  auto group = by_size_.find(it->second.first);
  group->second.erase(it->second.second);
  if (group->second.empty()) by_size_.erase(group);
  known_.erase(it);
}

void FfdDp::in_order(const Draft& draft, std::optional<NodeId> node, const Visit& visit) {
  const Resources free = node ? draft.free(*node) : Resources{Millicores(-1), EmuBytes(-1)};
  const Resources& total = draft.view().cluster.total();
  auto share = [](auto part, auto whole) { return share_of(part.count(), whole.count()); };
  const double cores = cores_weight_ * share(free.cores, total.cores);
  const double memory = memory_weight_ * share(free.memory, total.memory);

  std::map<double, std::vector<const Group*>, std::greater<>> fitting;
  std::vector<const Group*> others;
  for (const auto& [size, group] : by_size_) {
    if (size.fits_in(free))
      fitting[cores * share(size.cores, total.cores) + memory * share(size.memory, total.memory)]
          .push_back(&group);
    else
      others.push_back(&group);
  }
  for (const auto& [score, groups] : fitting)
    if (!visit_merged(draft, groups, visit)) return;
  visit_merged(draft, others, visit);
}

bool FfdDp::visit_merged(const Draft& draft, const std::vector<const Group*>& groups,
                         const Visit& visit) {
  using Span = std::pair<Group::const_iterator, Group::const_iterator>;
  auto later = [](const Span& a, const Span& b) { return *a.first > *b.first; };
  std::priority_queue<Span, std::vector<Span>, decltype(later)> heads(later);
  for (const Group* group : groups) heads.emplace(group->begin(), group->end());
  while (!heads.empty()) {
    auto [next, end] = heads.top();
    heads.pop();
    const PhaseId phase = std::get<PhaseId>(*next);
    // Before the visit, which may take the request out.
    if (++next != end) heads.emplace(next, end);
    if (draft.pending(phase) > 0 && !visit(*draft.view().cluster.request(phase))) return false;
  }
  return true;
}

}  // namespace heddle
