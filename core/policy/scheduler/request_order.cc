#include "core/policy/scheduler/request_order.h"

#include <queue>

namespace heddle {

void RequestOrder::put(const Draft& draft, JobId job, double first) {
  const auto& requests = draft.view().cluster.requests();
  for (auto it = known_.lower_bound({job, 0}); it != known_.end() && it->first.job == job;) {
    auto known = it++;
    auto request = requests.find(known->first);
    if (request == requests.end() || draft.pending(request->second) == 0) remove(known);
  }
  for (auto it = requests.lower_bound({job, 0}); it != requests.end() && it->first.job == job; ++it)
    if (draft.pending(it->second) > 0) put(it->second, first);
}

void RequestOrder::put(const Request& request, double first) {
  const RequestGroup group(request);
  const Key key{first,          -request.priority,  request.submit, request.phase.job,
                !request.early, request.phase.phase};
  if (auto it = known_.find(request.phase); it != known_.end()) {
    if (it->second.second == key && it->second.first == group) return;
    remove(it);
  }
  groups_[group].insert(key);
  known_.emplace(request.phase, std::pair(group, key));
}

void RequestOrder::remove(JobId job) {
  for (auto it = known_.lower_bound({job, 0}); it != known_.end() && it->first.job == job;)
    remove(it++);
}

void RequestOrder::remove(std::map<PhaseId, std::pair<RequestGroup, Key>>::iterator known) {
  auto group = groups_.find(known->second.first);
  group->second.erase(known->second.second);
  if (group->second.empty()) groups_.erase(group);
  known_.erase(known);
}

bool RequestOrder::in_order(const Draft& draft, const Scheduler::Visit& visit) const {
  std::vector<const Group*> all;
  for (const auto& [group, requests] : groups_) all.push_back(&requests);
  return in_order(draft, all, visit);
}

bool RequestOrder::in_order(const Round& round, const Scheduler::Visit& visit) const {
  std::vector<const Group*> useful;
  for (const auto& [group, requests] : groups_)
    if (round.useful(group)) useful.push_back(&requests);
  return in_order(round.draft(), useful, visit);
}

bool RequestOrder::in_order(const Draft& draft, const std::vector<const Group*>& groups,
                            const Scheduler::Visit& visit) {
  using Span = std::pair<Group::const_iterator, Group::const_iterator>;
  auto later = [](const Span& a, const Span& b) { return *a.first > *b.first; };
  std::priority_queue<Span, std::vector<Span>, decltype(later)> heads(later);
  for (const Group* group : groups) heads.emplace(group->begin(), group->end());
  while (!heads.empty()) {
    auto [next, end] = heads.top();
    heads.pop();
    const PhaseId phase{std::get<JobId>(*next), std::get<5>(*next)};
    // Before the visit, which may take the request out.
    if (++next != end) heads.emplace(next, end);
    const Request* request = draft.view().cluster.request(phase);
    if (draft.pending(*request) > 0 && !visit(*request)) return false;
  }
  return true;
}

bool asks(const Draft& draft, JobId job) {
  const auto& requests = draft.view().cluster.requests();
  for (auto it = requests.lower_bound({job, 0}); it != requests.end() && it->first.job == job; ++it)
    if (draft.pending(it->second) > 0) return true;
  return false;
}

}  // namespace heddle
