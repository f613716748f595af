#include "core/policy/scheduler/dress/dress.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/policy/table.h"

namespace heddle {
namespace {

/// An option's share of the cluster. Decimals are meant, so it is rounded to the nearest.
std::int64_t billionths(double share) {
  return std::llround(share * static_cast<double>(kWholeCluster));
}

std::vector<std::int64_t> indicators_of(const PolicySpec& policy) {
  std::vector<double> categories = policy_numbers(policy, "categories");
  if (categories.empty()) categories = {policy_number(policy, "dress_indicator")};
  std::vector<std::int64_t> bounds;
  for (double category : categories) bounds.push_back(billionths(category));
  return bounds;
}

PhaseOptions phase_options(const PolicySpec& policy) {
  return {emu_seconds(policy_number(policy, "phase_window")),
          static_cast<int>(policy_number(policy, "phase_starts")),
          static_cast<int>(policy_number(policy, "phase_ends"))};
}

EmuTime interval_of(const Scenario& scenario) {
  const double seconds = policy_number(scenario.policy, "ratio_interval");
  return seconds > 0 ? emu_seconds(seconds) : scenario.cluster.heartbeat;
}

EmuTime horizon_of(const Scenario& scenario) {
  if (policy_value(scenario.policy, "release_estimate") == "off") return EmuTime(0);
  const double seconds = policy_number(scenario.policy, "release_horizon");
  return seconds > 0 ? emu_seconds(seconds) : interval_of(scenario);
}

bool is_am(const JobSpec& job, int phase) { return job.phases[phase].kind == PhaseKind::kAm; }

double share(double billionths) { return billionths / static_cast<double>(kWholeCluster); }

template <class Number>
std::vector<double> shares(const std::vector<Number>& billionths) {
  std::vector<double> shares;
  for (Number each : billionths) shares.push_back(share(static_cast<double>(each)));
  return shares;
}

PolicyNote phase_note(JobId job, std::size_t index, const DetectedPhase& phase) {
  PolicyNote note{"dress.phase", {{"job", job.value}, {"phase", static_cast<std::int64_t>(index)}}};
  if (phase.first_start) note.values.emplace_back("first_start", to_seconds(*phase.first_start));
  if (phase.closed) {
    note.values.emplace_back("last_start", to_seconds(*phase.last_start));
    note.values.emplace_back("spread", to_seconds(phase.spread()));
    note.values.emplace_back("share", share(static_cast<double>(phase.size)));
  }
  if (phase.release) note.values.emplace_back("release", to_seconds(*phase.release));
  if (phase.trailing > 0)
    note.values.emplace_back("trailing", static_cast<std::int64_t>(phase.trailing));
  return note;
}

}  // namespace

Dress::Dress(const Scenario& scenario)
    : scenario_(scenario),
      indicators_(indicators_of(scenario.policy)),
      of_available_(policy_value(scenario.policy, "indicator_base") == "available"),
      bounds_{billionths(policy_number(scenario.policy, "min_ratio")),
              billionths(policy_number(scenario.policy, "max_ratio"))},
      capped_(policy_value(scenario.policy, "large_pool") == "capped"),
      interval_(interval_of(scenario)),
      horizon_(horizon_of(scenario)),
      estimator_(phase_options(scenario.policy), static_cast<int>(indicators_.size()) + 1),
      used_(indicators_.size() + 1),
      wanted_(indicators_.size() + 1),
      orders_(indicators_.size() + 1) {
  const std::int64_t most = bounds_.most / std::ssize(indicators_);
  const std::int64_t initial = billionths(policy_number(scenario.policy, "initial_ratio"));
  ratios_.assign(indicators_.size(), std::max(std::min(initial, most), bounds_.least));
}

void Dress::refresh(Draft& draft) {
  if (take_in_total(draft.view()))
    for (auto& [id, entry] : jobs_) count(draft.view().cluster.job(id), entry, draft);
  take_in_containers(draft);
  take_in_jobs(draft);
  if (jobs_.empty())
    tell_releases(draft);
  else if (draft.view().now >= next_update_)
    update(draft);
}

bool Dress::take_in_total(const View& view) {
  const Resources& total = view.cluster.allowances();
  // While no node is alive, shares stay those of the nodes that were.
  if (total == total_ || total == Resources{}) return false;
  total_ = total;
  return true;
}

void Dress::take_in_containers(Draft& draft) {
  for (const ContainerChange& change : draft.view().container_changes) {
    const Container& container = change.container;
    const JobId id = container.task.phase.job;
    if (is_am(scenario_.jobs[id.value], container.task.phase.phase) || !estimator_.job(id))
      continue;
    if (change.ended)
      estimator_.ended(id, change.at, container.id);
    else
      estimator_.started(id, change.at, container.id, size(container.resources));
  }
}

void Dress::take_in_jobs(Draft& draft) {
  const View& view = draft.view();
  for (JobId id : view.changed_jobs) {
    const Job& job = view.cluster.job(id);
    if (job.state() == JobState::kWaiting) continue;
    const bool over = job.finished() && view.cluster.holdings(id).containers.empty();
    if (!jobs_.contains(id)) {
      if (over) continue;
      admit(job, draft);
    }
    Entry& entry = jobs_.at(id);
    count(job, entry, draft);
    orders_[entry.pool].put(draft, id, 0);
    if (over) forget(id, draft);
  }
}

void Dress::admit(const Job& job, Draft& draft) {
  const JobSpec& spec = job.spec();
  std::int64_t demand = 0;
  for (int i = 0; i < std::ssize(spec.phases); ++i)
    if (!is_am(spec, i) && spec.phases[i].after.empty())
      demand += spec.phases[i].tasks * size(spec.phases[i].request);
  const std::size_t pool = category(demand, draft);
  jobs_[job.id()].pool = pool;
  estimator_.add(job.id(), static_cast<int>(pool));
  draft.note({"dress.job",
              {{"job", job.id().value},
               {"category", static_cast<std::int64_t>(pool)},
               {"of", static_cast<std::int64_t>(indicators_.size() + 1)},
               {"demand", share(static_cast<double>(demand))}}});
}

std::size_t Dress::category(std::int64_t demand, const Draft& draft) const {
  const std::int64_t base = of_available_ ? available(draft) : kWholeCluster;
  std::size_t pool = 0;
  while (pool < indicators_.size() && demand > indicators_[pool] * base / kWholeCluster) ++pool;
  return pool;
}

void Dress::count(const Job& job, Entry& entry, const Draft& draft) {
  const JobSpec& spec = job.spec();
  used_[entry.pool] -= entry.used;
  wanted_[entry.pool] -= entry.wanted;
  tasks_ -= entry.tasks;
  entry.used = entry.wanted = entry.tasks = 0;
  int outstanding = 0;
  for (int i = 0; i < std::ssize(spec.phases); ++i) {
    const std::int64_t each = size(spec.phases[i].request);
    const int pending = draft.pending(PhaseId{job.id(), i});
    entry.used += job.live(i) * each;
    entry.wanted += pending * each;
    if (is_am(spec, i)) continue;
    entry.tasks += job.live(i);
    outstanding += pending + job.live(i);
  }
  const JobHoldings& holds = draft.view().cluster.holdings(job.id());
  if (holds.suspended > 0)
    for (ContainerId id : holds.containers) {
      const Container& container = *draft.view().cluster.container(id);
      entry.used -= size(container.resources) - size(held(container));
    }
  used_[entry.pool] += entry.used;
  wanted_[entry.pool] += entry.wanted;
  tasks_ += entry.tasks;
  estimator_.asked(job.id(), outstanding - estimator_.job(job.id())->running());
}

void Dress::forget(JobId id, Draft& draft) {
  Entry& entry = jobs_.at(id);
  tell_phases(id, entry, draft);
  orders_[entry.pool].remove(id);
  estimator_.remove(id);
  jobs_.erase(id);
}

void Dress::update(Draft& draft) {
  const EmuTime now = draft.view().now;
  next_update_ = EmuTime((now.count() / interval_.count() + 1) * interval_.count());
  draft.wake_at(next_update_, "ratio");
  draft.remember();

  tell_releases(draft);
  estimator_.forecast(now, horizon_);
  for (auto& [id, entry] : jobs_) tell_phases(id, entry, draft);

  std::vector<DressPool> pools(used_.size());
  for (std::size_t i = 0; i < pools.size(); ++i) {
    pools[i].used = used_[i];
    pools[i].expected = estimator_.expected()[i];
  }
  for (const auto& [id, entry] : jobs_)
    if (entry.wanted > 0) pools[entry.pool].pending.push_back(entry.wanted);
  const std::int64_t free = available(draft);
  const std::vector<std::int64_t> by_pool = dress_available(ratios_, pools, free);
  ratios_ = next_dress_ratios(ratios_, pools, free, bounds_);
  draft.note({"dress.ratio",
              {{"ratios", shares(ratios_)},
               {"available", share(static_cast<double>(free))},
               {"free", shares(by_pool)},
               {"expected", shares(estimator_.expected())},
               {"wanted", shares(wanted_)},
               {"used", shares(used_)}}});
}

void Dress::in_order(const Round& round, const Visit& visit) {
  // What keeps a pool back is the same for all its requests, and changes with a launch only.
  auto visit_pools = [&](bool limited) {
    for (std::size_t i = 0; i < orders_.size(); ++i)
      if (limit(round.draft(), i).has_value() == limited && !orders_[i].in_order(round, visit))
        return false;
    return true;
  };
  // If no task runs and nothing was launched within the limits, nothing would ever be released.
  if (visit_pools(false) && tasks_ == 0) visit_pools(true);
}

void Dress::launched(const Draft& draft, const Request& request) {
  Entry& entry = jobs_.at(request.phase.job);
  const std::int64_t taken = size(request.resources);
  entry.used += taken;
  used_[entry.pool] += taken;
  entry.wanted -= taken;
  wanted_[entry.pool] -= taken;
  if (request.kind != PhaseKind::kAm) {
    ++entry.tasks;
    ++tasks_;
  }
  orders_[entry.pool].put(draft, request.phase.job, 0);
}

std::optional<obstacle::Limit> Dress::limit(const Draft& draft, const Request& request) const {
  if (tasks_ == 0) return std::nullopt;
  return limit(draft, jobs_.at(request.phase.job).pool);
}

std::optional<obstacle::Limit> Dress::limit(const Draft& draft, std::size_t pool) const {
  using Of = obstacle::Limit::Of;
  const auto limit_if = [&](bool reached, Of of, std::int64_t used, std::int64_t most) {
    return reached ? std::optional(obstacle::Limit{of, static_cast<int>(pool),
                                                   share(static_cast<double>(used)),
                                                   share(static_cast<double>(most))})
                   : std::nullopt;
  };
  const bool last = pool == ratios_.size();
  if (last && !capped_) {
    const std::int64_t reserve = dress_reserve(ratios_, used_);
    const std::int64_t free = available(draft);
    return limit_if(reserve > 0 && free <= reserve, Of::kReserve, free, reserve);
  }
  const std::int64_t most =
      last ? kWholeCluster - std::accumulate(ratios_.begin(), ratios_.end(), std::int64_t{0})
           : ratios_[pool];
  return limit_if(used_[pool] >= most, Of::kPool, used_[pool], most);
}

void Dress::tell_releases(Draft& draft) {
  for (const Forecast& settled : estimator_.settle(draft.view().now))
    if (!settled.empty())
      draft.note({"dress.release",
                  {{"made", to_seconds(settled.made)},
                   {"until", to_seconds(settled.until)},
                   {"predicted", shares(settled.predicted)},
                   {"actual", shares(settled.actual)}}});
}

void Dress::tell_phases(JobId id, Entry& entry, Draft& draft) {
  const std::vector<DetectedPhase>& phases = estimator_.job(id)->phases();
  entry.told.resize(phases.size());
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const DetectedPhase& phase = phases[i];
    const ToldPhase now{phase.begun, phase.closed, phase.release.has_value(), phase.trailing};
    if (std::exchange(entry.told[i], now) == now) continue;
    draft.note(phase_note(id, i + 1, phase));
  }
}

}  // namespace heddle
