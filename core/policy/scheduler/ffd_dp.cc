#include "core/policy/scheduler/ffd_dp.h"

#include <functional>

#include "core/policy/table.h"

namespace heddle {

FfdDp::FfdDp(const Scenario& scenario)
    : cores_weight_(policy_number(scenario.policy, "cores_weight")),
      memory_weight_(policy_number(scenario.policy, "memory_weight")) {}

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
  const Resources free = draft.free(*round.node());
  const Resources& total = draft.view().cluster.total();
  auto share = [](auto part, auto whole) { return share_of(part.count(), whole.count()); };
  const double cores = cores_weight_ * share(free.cores, total.cores);
  const double memory = memory_weight_ * share(free.memory, total.memory);

  std::map<double, std::vector<const RequestOrder::Groups::value_type*>, std::greater<>> fitting;
  std::vector<const RequestOrder::Groups::value_type*> others;
  for (const auto& entry : order_.groups()) {
    const RequestGroup& group = entry.first;
    if (round.fits(group.size))
      fitting[cores * share(group.size.cores, total.cores) +
              memory * share(group.size.memory, total.memory)]
          .push_back(&entry);
    else if (round.useful(group))
      others.push_back(&entry);
  }
  for (const auto& [score, groups] : fitting)
    if (!RequestOrder::in_order(round, groups, visit)) return;
  RequestOrder::in_order(round, others, visit);
}

}  // namespace heddle
