#include "core/policy/scheduler/priorities.h"

#include <algorithm>

#include "core/policy/base/request_order.h"
#include "core/policy/scheduler/job_order.h"

namespace heddle {
namespace {

JobSize size_of(const ClusterSpec& cluster) {
  JobSize size{0, static_cast<double>(cluster.nodes.size())};
  for (const NodeSpec& node : cluster.nodes)
    size.cpus += static_cast<double>(node.allowance.cores.count()) / 1000;
  return size;
}

/// Returns the priority of each member by its name, divided by the largest.
template <class Spec>
std::map<std::string, double> factors_of(const std::vector<Spec>& members) {
  std::int64_t most = 0;
  for (const Spec& one : members) most = std::max(most, one.priority);
  std::map<std::string, double> factors;
  for (const Spec& one : members)
    factors[one.name] =
        most > 0 ? static_cast<double>(one.priority) / static_cast<double>(most) : 0;
  return factors;
}

std::map<std::string, double> usage_factors_of(const std::vector<QosSpec>& qos) {
  std::map<std::string, double> factors;
  for (const QosSpec& one : qos) factors[one.name] = one.usage_factor;
  return factors;
}

double factor_of(const std::map<std::string, double>& factors, const std::string& name,
                 double otherwise) {
  const auto known = factors.find(name);
  return known == factors.end() ? otherwise : known->second;
}

}  // namespace

Priorities::Priorities(const Scenario& scenario)
    : scenario_(scenario),
      age_weight_(value(scenario.policy, kPriorityAge)),
      fairshare_weight_(value(scenario.policy, kPriorityFairShare)),
      size_weight_(value(scenario.policy, kPrioritySize)),
      partition_weight_(value(scenario.policy, kPriorityPartition)),
      qos_weight_(value(scenario.policy, kPriorityQos)),
      max_age_(value(scenario.policy, kPriorityMaxAge)),
      period_(value(scenario.policy, kPriorityCalcPeriod)),
      favor_(value(scenario.policy, kPriorityFavor)),
      rule_(value(scenario.policy, kPriorityRule)),
      damping_(value(scenario.policy, kPriorityDamping)),
      cluster_(size_of(scenario.cluster)),
      partitions_(factors_of(scenario.partitions)),
      qos_(factors_of(scenario.qos)),
      usage_factors_(usage_factors_of(scenario.qos)),
      associations_(associations_of(scenario, value(scenario.policy, kPriorityRootUser))),
      usage_(associations_.tree.members().size(),
             to_seconds(value(scenario.policy, kPriorityHalfLife))),
      recalculated_usage_(associations_.tree.members().size(), 0) {}

void Priorities::refresh(Draft& draft) {
  recalculate(draft.view().now);
  for (const JobId job : draft.view().changed_jobs) take_in(job, draft);
  if (next() == kNever || next() == wake_) return;
  wake_ = next();
  draft.wake_at(wake_, "priorities are recalculated");
}

void Priorities::recalculate(EmuTime now) {
  recalculated_ = last_ + period_ <= now;
  reordered_ = false;
  if (!recalculated_) return;
  // Years can pass while no job holds anything. Usage that decays is not skipped: in one step, it
  // would be rounded otherwise, and the result would depend on the calls of refresh().
  const bool idle =
      std::ranges::all_of(held_, [](const auto& one) { return one.second.cpus == 0; });
  const bool unused = std::ranges::all_of(usage_.values(), [](double used) { return used == 0; });
  if (idle && (unused || usage_.per_second() == 1))
    recalculate_usage(EmuTime(now.count() - now.count() % period_.count()));
  while (last_ + period_ <= now) recalculate_usage(last_ + period_);
  recalculated_usage_.assign(usage_.values().begin(), usage_.values().end());
  fair_shares_.clear();
  reordered_ = renew();
}

void Priorities::recalculate_usage(EmuTime at) {
  usage_.decay(whole_seconds(at) - whole_seconds(last_));
  for (auto& [job, held] : held_) charge(job, held, at);
  last_ = at;
}

void Priorities::charge(JobId job, Held& held, EmuTime until) {
  const auto index = static_cast<std::size_t>(job.value);
  usage_.charge(associations_.of_job[index],
                held.cpus * factor_of(usage_factors_, scenario_.jobs[index].qos, 1),
                whole_seconds(until) - whole_seconds(held.since));
  held.since = until;
}

bool Priorities::renew() {
  struct Place {
    std::int64_t before, after;
    EmuTime submit;
    JobId job;
  };
  std::vector<Place> line;
  for (auto& [job, priority] : waiting_) {
    const std::int64_t before = priority.priority;
    priority = priority_of_job(job, eligible_.at(job));
    const JobSpec& spec = scenario_.jobs[static_cast<std::size_t>(job.value)];
    line.push_back({-before, -priority.priority, spec.submit, job});
  }
  std::ranges::sort(line, {},
                    [](const Place& one) { return std::tuple(one.before, one.submit, one.job); });
  return !std::ranges::is_sorted(
      line, {}, [](const Place& one) { return std::tuple(one.after, one.submit, one.job); });
}

void Priorities::take_in(JobId job, Draft& draft) {
  take_in_held(job, draft);
  if (draft.view().cluster.job(job).finished()) eligible_.erase(job);
  if (!asks(draft, job)) {
    waiting_.erase(job);
  } else if (!waiting_.contains(job)) {
    const auto [known, fresh] =
        eligible_.try_emplace(job, draft.view().cluster.job(job).eligible());
    waiting_[job] = priority_of_job(job, known->second);
    if (fresh) draft.remember();  // later priorities depend on this time
  }
}

void Priorities::take_in_held(JobId job, Draft& draft) {
  const EmuTime now = draft.view().now;
  const double cpus =
      static_cast<double>(draft.view().cluster.holdings(job).allocated.cores.count()) / 1000;
  const auto [known, fresh] = held_.try_emplace(job, Held{0, now});
  Held& held = known->second;
  if (held.cpus != cpus) {
    if (fresh) note_start(job, draft);
    charge(job, held, now);
    held.cpus = cpus;
    draft.remember();  // later usage depends on this time
  }
  if (cpus == 0) held_.erase(known);
}

void Priorities::note_start(JobId job, Draft& draft) const {
  const auto waiting = waiting_.find(job);
  if (waiting == waiting_.end()) return;
  const JobPriority& it = waiting->second;
  PolicyNote note{"priority.start",
                  {{"job", job.value},
                   {"priority", it.priority},
                   {"age", it.age},
                   {"fairshare", it.fairshare},
                   {"size", it.size},
                   {"own", std::int64_t{it.own}}}};
  if (partition_weight_ > 0) note.values.emplace_back("partition", it.partition);
  if (qos_weight_ > 0) note.values.emplace_back("qos", it.qos);
  draft.note(std::move(note));
}

JobPriority Priorities::priority_of_job(JobId job, EmuTime eligible) {
  const JobSpec& spec = scenario_.jobs[static_cast<std::size_t>(job.value)];
  JobPriority found;
  found.age = age_weight_ * age_factor(eligible, last_, max_age_);
  if (fairshare_weight_ > 0) found.fairshare = fairshare_weight_ * fair_share(job);
  found.size = size_weight_ * size_factor({processors_of(spec), 1}, cluster_, favor_);
  found.partition = partition_weight_ * factor_of(partitions_, spec.partition, 0);
  found.qos = qos_weight_ * factor_of(qos_, spec.qos, 0);
  found.own = spec.priority;
  found.priority = heddle::priority_of({found.age, found.fairshare, found.size, found.partition,
                                        found.qos, static_cast<double>(found.own)});
  return found;
}

double Priorities::fair_share(JobId job) {
  if (fair_shares_.empty()) {
    const std::vector<double> usage = usage_of_all(associations_.tree, recalculated_usage_);
    fair_shares_ = rule_ == FairShareRule::kTree
                       ? tree_fair_share(associations_.tree, usage)
                       : classic_fair_share(associations_.tree, normalised(usage), damping_);
  }
  const int member = associations_.of_job[static_cast<std::size_t>(job.value)];
  return fair_shares_[static_cast<std::size_t>(member)].factor;
}

std::optional<JobPriority> Priorities::of(JobId job) const {
  const auto known = waiting_.find(job);
  return known == waiting_.end() ? std::nullopt : std::optional(known->second);
}

std::int64_t Priorities::number_of(JobId job) const {
  const auto known = waiting_.find(job);
  return known == waiting_.end() ? 0 : known->second.priority;
}

}  // namespace heddle
