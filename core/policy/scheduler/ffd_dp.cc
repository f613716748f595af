#include "core/policy/scheduler/ffd_dp.h"

#include <functional>

#include "core/policy/table.h"

namespace heddle {

FfdDp::FfdDp(const Scenario& scenario)
    : weights_{policy_number(scenario.policy, "cores_weight"),
               policy_number(scenario.policy, "memory_weight")} {}

void FfdDp::refresh(Draft& draft) {
  for (JobId job : draft.view().changed_jobs) order_.put(draft, job, 0);
}

void FfdDp::launched(const Draft& draft, const Request& request) {
  order_.put(draft, request.phase.job, 0);
}

void FfdDp::in_order(const Round& round, const Visit& visit) {
  const Draft& draft = round.draft();
  if (!round.node()) {
    order_.in_order(round, visit);
    return;
  }
  const Fitness fitness(weights_, draft.free(*round.node()), draft.view().cluster.total());

  std::map<float, std::vector<const RequestOrder::Groups::value_type*>, std::greater<>> fitting;
  std::vector<const RequestOrder::Groups::value_type*> others;
  for (const auto& entry : order_.groups()) {
    const RequestGroup& group = entry.first;
    if (round.fits(group.size))
      fitting[fitness.of(group.size)].push_back(&entry);
    else if (round.useful(group))
      others.push_back(&entry);
  }
  for (const auto& [score, groups] : fitting)
    if (!RequestOrder::in_order(round, groups, visit)) return;
  RequestOrder::in_order(round, others, visit);
}

}  // namespace heddle
