#include "core/policy/scheduler/request_order.h"

#include <queue>

namespace heddle {

RequestOrder::Key RequestOrder::key_of(const Request& request, double first) {
  return {first,          -request.priority,  request.submit, request.phase.job,
          !request.early, request.phase.phase};
}

void RequestOrder::put(const Draft& draft, JobId job, double first) {
  const auto& requests = draft.view().cluster.requests();
  for (auto it = known_.lower_bound({job, 0}); it != known_.end() && it->first.job == job;) {
    auto known = it++;
    auto request = requests.find(known->first);
    if (request == requests.end() || draft.pending(request->second) == 0) remove(known);
  }
  for (auto it = requests.lower_bound({job, 0}); it != requests.end() && it->first.job == job; ++it)
    if (draft.pending(it->second) > 0) put(draft, it->second, first);
}

void RequestOrder::put(const Draft& draft, const Request& request, double first) {
  const RequestGroup group(draft, request);
  const Key key = key_of(request, first);
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
  std::vector<const Groups::value_type*> all;
  for (const auto& group : groups_) all.push_back(&group);
  return in_order(draft, all, nullptr, visit);
}

bool RequestOrder::in_order(const Round& round, const Scheduler::Visit& visit) const {
  std::vector<const Groups::value_type*> useful;
  for (const auto& group : groups_)
    if (round.useful(group.first)) useful.push_back(&group);
  return in_order(round, useful, visit);
}

bool RequestOrder::in_order(const Round& round,
                            const std::vector<const Groups::value_type*>& groups,
                            const Scheduler::Visit& visit) {
  return in_order(round.draft(), groups, &round, visit);
}

bool RequestOrder::in_order(const Draft& draft,
                            const std::vector<const Groups::value_type*>& groups,
                            const Round* round, const Scheduler::Visit& visit) {
  struct Head {
    const RequestGroup* group;
    Group::const_iterator next, end;
  };
  auto later = [](const Head& a, const Head& b) { return *a.next > *b.next; };
  std::priority_queue<Head, std::vector<Head>, decltype(later)> heads(later);
  for (const auto* group : groups)
    heads.push({&group->first, group->second.begin(), group->second.end()});
  while (!heads.empty()) {
    Head head = heads.top();
    heads.pop();
    if (round && !round->useful(*head.group)) continue;
    const PhaseId phase = phase_of(*head.next);
    // Before the visit, which may take the request out.
    if (++head.next != head.end) heads.push(head);
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
