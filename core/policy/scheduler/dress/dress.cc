#include "core/policy/scheduler/dress/dress.h"

#include <algorithm>
#include <utility>

#include "core/policy/table.h"

namespace heddle {
namespace {

std::vector<double> indicators_of(const PolicySpec& policy) {
  std::vector<double> categories = policy_numbers(policy, "categories");
  return categories.empty() ? std::vector<double>{policy_number(policy, "dress_indicator")}
                            : categories;
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

bool is_am(const JobSpec& job, int phase) { return job.phases[phase].kind == PhaseKind::kAm; }

std::vector<double> numbers(const std::vector<std::int64_t>& whole) {
  return {whole.begin(), whole.end()};
}

PolicyNote phase_note(JobId job, std::size_t index, const DetectedPhase& phase) {
  PolicyNote note{"dress.phase", {{"job", job.value}, {"phase", static_cast<std::int64_t>(index)}}};
  if (phase.first_start) note.values.emplace_back("first_start", to_seconds(*phase.first_start));
  if (phase.closed) {
    note.values.emplace_back("last_start", to_seconds(*phase.last_start));
    note.values.emplace_back("spread", to_seconds(phase.spread()));
    note.values.emplace_back("units", phase.units);
  }
  if (phase.release) note.values.emplace_back("release", to_seconds(*phase.release));
  if (phase.trailing > 0)
    note.values.emplace_back("trailing", static_cast<std::int64_t>(phase.trailing));
  return note;
}

}  // namespace

Dress::Dress(const Scenario& scenario)
    : scenario_(scenario),
      unit_(scenario.cluster.unit),
      indicators_(indicators_of(scenario.policy)),
      of_available_(policy_value(scenario.policy, "indicator_base") == "available"),
      bounds_{policy_number(scenario.policy, "min_ratio"),
              policy_number(scenario.policy, "max_ratio")},
      interval_(interval_of(scenario)),
      estimator_(phase_options(scenario.policy), static_cast<int>(indicators_.size()) + 1),
      used_(indicators_.size() + 1),
      wanted_(indicators_.size() + 1),
      orders_(indicators_.size() + 1),
      node_total_(scenario.cluster.nodes.size()),
      node_free_(scenario.cluster.nodes.size()) {
  const double most = bounds_.most / static_cast<double>(indicators_.size());
  const double initial = policy_number(scenario.policy, "initial_ratio");
  ratios_.assign(indicators_.size(), std::max(std::min(initial, most), bounds_.least));
}

void Dress::refresh(Draft& draft) {
  take_in_nodes(draft.view());
  take_in_containers(draft);
  take_in_jobs(draft);
  shares_ = dress_shares(ratios_, total_);
  if (!jobs_.empty() && draft.view().now >= next_update_) update(draft);
}

void Dress::take_in_nodes(const View& view) {
  for (NodeId id : view.changed_nodes) {
    const Node& node = view.cluster.node(id);
    const std::int64_t total = node.alive ? units_within(node.spec->allowance, unit_) : 0;
    const std::int64_t free = node.reservation ? 0 : units_within(view.cluster.free(id), unit_);
    total_ += total - std::exchange(node_total_[id.value], total);
    available_ += free - std::exchange(node_free_[id.value], free);
  }
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
      estimator_.started(id, change.at, container.id, units(container.resources));
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
  std::int64_t wave = 0;
  for (int i = 0; i < std::ssize(spec.phases); ++i)
    if (!is_am(spec, i) && spec.phases[i].after.empty())
      wave += spec.phases[i].tasks * units(spec.phases[i].request);
  const std::size_t pool = category(wave);
  jobs_[job.id()].pool = pool;
  estimator_.add(job.id(), static_cast<int>(pool));
  draft.note({"dress.job",
              {{"job", job.id().value},
               {"category", static_cast<std::int64_t>(pool)},
               {"of", static_cast<std::int64_t>(indicators_.size() + 1)},
               {"units", wave}}});
}

std::size_t Dress::category(std::int64_t units) const {
  const auto base = static_cast<double>(of_available_ ? available_ : total_);
  std::size_t pool = 0;
  while (pool < indicators_.size() && static_cast<double>(units) > indicators_[pool] * base + 1e-9)
    ++pool;
  return pool;
}

void Dress::count(const Job& job, Entry& entry, const Draft& draft) {
  const JobSpec& spec = job.spec();
  used_[entry.pool] -= entry.used;
  wanted_[entry.pool] -= entry.wanted;
  task_units_ -= entry.tasks;
  entry.used = entry.tasks = entry.wanted = 0;
  int outstanding = 0;
  for (int i = 0; i < std::ssize(spec.phases); ++i) {
    const std::int64_t each = units(spec.phases[i].request);
    const int pending = draft.pending(PhaseId{job.id(), i});
    entry.used += job.live(i) * each;
    entry.wanted += pending * each;
    if (is_am(spec, i)) continue;
    entry.tasks += job.live(i) * each;
    outstanding += pending + job.live(i);
  }
  const JobHoldings& holds = draft.view().cluster.holdings(job.id());
  if (holds.suspended > 0)
    for (ContainerId id : holds.containers) {
      const Container& container = *draft.view().cluster.container(id);
      entry.used -= units(container.resources) - units(held(container));
    }
  used_[entry.pool] += entry.used;
  wanted_[entry.pool] += entry.wanted;
  task_units_ += entry.tasks;
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

  const std::optional<Forecast> settled = estimator_.forecast(now, interval_);
  if (settled && !settled->empty())
    draft.note({"dress.release",
                {{"made", to_seconds(settled->made)},
                 {"predicted", settled->predicted},
                 {"actual", settled->actual}}});
  for (auto& [id, entry] : jobs_) tell_phases(id, entry, draft);

  std::vector<DressPool> pools(used_.size());
  for (std::size_t i = 0; i < pools.size(); ++i) {
    pools[i].used = used_[i];
    pools[i].expected = estimator_.expected()[i];
  }
  for (const auto& [id, entry] : jobs_)
    if (entry.wanted > 0) pools[entry.pool].pending.push_back(entry.wanted);
  const std::vector<double> free = dress_available(ratios_, pools, total_, available_);
  if (total_ > 0) ratios_ = next_dress_ratios(ratios_, pools, total_, available_, bounds_);
  shares_ = dress_shares(ratios_, total_);
  tell_ratio(free, draft);
}

void Dress::in_order(const Round& round, const Visit& visit) {
  // What a pool may hold is the same for all its requests, and changes with a launch only.
  for (std::size_t i = 0; i < orders_.size(); ++i)
    if (!full(i) && !orders_[i].in_order(round, visit)) return;
}

void Dress::launched(const Draft& draft, const Request& request) {
  Entry& entry = jobs_.at(request.phase.job);
  const std::int64_t taken = units(request.resources);
  entry.used += taken;
  used_[entry.pool] += taken;
  entry.wanted -= taken;
  wanted_[entry.pool] -= taken;
  if (request.kind != PhaseKind::kAm) {
    entry.tasks += taken;
    task_units_ += taken;
  }
  orders_[entry.pool].put(draft, request.phase.job, 0);
}

std::optional<obstacle::Limit> Dress::limit(const Draft&, const Request& request) const {
  const std::size_t pool = jobs_.at(request.phase.job).pool;
  if (!full(pool)) return std::nullopt;
  return obstacle::Limit{obstacle::Limit::Of::kPool, static_cast<int>(pool),
                         static_cast<double>(used_[pool]), static_cast<double>(shares_[pool])};
}

bool Dress::full(std::size_t pool) const { return used_[pool] >= shares_[pool] && !held_up(); }

bool Dress::held_up() const {
  if (total_ == 0) return true;
  if (task_units_ > 0) return false;
  for (std::size_t i = 0; i < used_.size(); ++i)
    if (wanted_[i] > 0 && used_[i] < shares_[i]) return false;
  return true;
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

void Dress::tell_ratio(const std::vector<double>& free, Draft& draft) {
  PolicyNote note{"dress.ratio", {}};
  note.values = {{"ratios", ratios_},
                 {"available", available_},
                 {"free", free},
                 {"expected", estimator_.expected()},
                 {"wanted", numbers(wanted_)},
                 {"used", numbers(used_)}};
  if (told_ratio_ && note.values == told_ratio_->values) return;
  draft.note(note);
  told_ratio_ = std::move(note);
}

}  // namespace heddle
