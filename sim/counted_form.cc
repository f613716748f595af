#include "sim/counted_form.h"

#include <algorithm>
#include <limits>

#include "core/policy/placement/first_fit.h"
#include "core/policy/registry.h"
#include "core/policy/scheduler/backfill/backfilling.h"
#include "core/policy/scheduler/priority_options.h"
#include "core/policy/scheduler/schedulers.h"

namespace heddle::sim {
namespace {

/// Returns whether priorities depend on the number of nodes.
bool goes_by_size(const PolicySpec& policy) {
  return in_force(policy, kPrioritySize) && value(policy, kPrioritySize) > 0;
}

bool counts_nodes(const PolicySpec& policy) {
  const bool backfills =
      uses(policy, kEasyScheduler.text) || uses(policy, kConservativeScheduler.text);
  if (!backfills || policy.external || value(policy, kReserve) ||
      value(policy, kBackfill) != Backfill::kCount ||
      value(policy, kNodeOrder) != NodeOrder::kHeartbeat || goes_by_size(policy))
    return false;
  // The first choice of every other part neither measures tasks nor changes them.
  return std::all_of(part_kinds().begin() + 1, part_kinds().end(), [&](const PartKind& kind) {
    return chosen_part(policy, kind.name) == kind.choices.front()->name;
  });
}

bool preempts(const std::vector<QosSpec>& qos) {
  return std::ranges::any_of(qos, [](const QosSpec& one) { return !one.preempt.empty(); });
}

bool equal_nodes(const std::vector<NodeSpec>& nodes) {
  return std::ranges::all_of(nodes, [&](NodeSpec node) {
    node.name = nodes.front().name;
    return node == nodes.front();
  });
}

/// Returns whether the job is rigid, and its tasks only sleep, all for the same time.
bool only_sleeps(const JobSpec& job) {
  if (!job.rigid()) return false;
  const PhaseSpec& phase = job.phases.front();
  PhaseSpec plain;
  plain.name = phase.name;
  plain.tasks = phase.tasks;
  plain.request = phase.request;
  plain.gang = true;
  plain.sleep.mean = phase.sleep.mean;
  return phase == plain;
}

/// Returns how many tasks fill the cores of a node, and have enough of everything else. Returns
/// nullopt if they leave some cores.
std::optional<int> filling(const Resources& request, const Resources& node) {
  if (!request.counts.none() || request.cores <= Millicores(0) ||
      node.cores.count() % request.cores.count() != 0)
    return std::nullopt;
  const auto tasks = static_cast<int>(node.cores.count() / request.cores.count());
  return (request * tasks).fits_in(node) ? std::optional(tasks) : std::nullopt;
}

}  // namespace

std::optional<CountedForm> counted_form(const Scenario& scenario) {
  const std::vector<NodeSpec>& nodes = scenario.cluster.nodes;
  if (!scenario.simulation.ideal || scenario.cluster.dispatch != Dispatch::kImmediate ||
      !scenario.faults.empty() || !scenario.external_load.empty() ||
      !scenario.reservations.empty() || !counts_nodes(scenario.policy) || preempts(scenario.qos) ||
      scenario.jobs.empty() || !equal_nodes(nodes))
    return std::nullopt;
  CountedForm counted;
  for (const JobSpec& job : scenario.jobs) {
    if (!only_sleeps(job)) return std::nullopt;
    const Resources& request = job.phases.front().request;
    const std::optional<int> tasks = filling(request, nodes.front().allowance);
    if (!tasks || request.cores != scenario.jobs.front().phases.front().request.cores)
      return std::nullopt;
    counted.per_node = *tasks;
  }
  const std::int64_t count = std::ssize(nodes);
  if (count * counted.per_node > std::numeric_limits<int>::max()) return std::nullopt;
  counted.scenario = scenario;
  NodeSpec all = nodes.front();
  for (Resources* of : {&all.capacity, &all.allowance, &all.system}) *of = *of * count;
  counted.scenario.cluster.nodes = {all};
  for (JobSpec& job : counted.scenario.jobs) {
    PhaseSpec& phase = job.phases.front();
    phase.request = phase.request * phase.tasks;
    phase.tasks = 1;
  }
  return counted;
}

}  // namespace heddle::sim
