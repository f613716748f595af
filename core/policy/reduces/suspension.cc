#include "core/policy/reduces/suspension.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/policy/early_start.h"
#include "core/policy/table.h"
#include "core/scenario/quantity_text.h"

namespace heddle {
namespace {

/// Some task that has to be complete before those of the phase can go on has no container.
bool lacks_containers(const Job& job, int phase) {
  const std::set<int> before = incomplete_before(job, phase);
  return std::any_of(before.begin(), before.end(), [&](int other) {
    return job.completed(other) + job.live(other) < job.spec().phases[other].tasks;
  });
}

bool is_starved(const Job& job, const Container& container) {
  const int phase = container.task.phase.phase;
  return job.spec().phases[phase].kind == PhaseKind::kReduce && container.waits &&
         !container.killed && container.state != ContainerState::kAllocated &&
         lacks_containers(job, phase);
}

}  // namespace

EmuTime suspend_span(double lambda, double power, double threshold, EmuTime interval) {
  const double part = std::max(0.0, std::pow(lambda, power) - threshold);
  return EmuTime(std::llround(part * static_cast<double>(interval.count())));
}

EmuTime suspend_cost(const PolicySpec& policy) {
  return emu_seconds(policy_number(policy, "suspend_cost"));
}

Suspension::Suspension(const Scenario& scenario)
    : scenario_(scenario),
      interval_(emu_seconds(policy_number(scenario.policy, "control_interval"))),
      power_(policy_number(scenario.policy, "suspend_power")),
      threshold_(policy_number(scenario.policy, "suspend_threshold")),
      at_submissions_(policy_value(scenario.policy, "lambda_at") == "submission") {}

void Suspension::adjust(Draft& draft) {
  const View& view = draft.view();
  given_.clear();
  const bool news = take_in_jobs(view);
  const bool control = control_ && view.now >= *control_;
  const bool changed = (control || (news && at_submissions_)) && compute_lambda(draft);
  if (control) shares_.begin_at(view.now);
  if (changed) move_ends();
  if (control) {
    control_.reset();
    // The next step may find another state.
    draft.remember();
    suspend_starved(draft);
  }
  const bool due = wake_ && view.now >= *wake_;
  if (due) wake_.reset();
  if (control || changed || due) {
    for (auto it = stops_.begin(); it != stops_.end();) it = follow(it, draft);
  } else if (!stops_.empty()) {
    for (JobId job : view.changed_jobs)
      if (auto it = stops_.find(job); it != stops_.end()) follow(it, draft);
  }
  // Otherwise ends are only fewer than when one was last asked for.
  ask_for_wakes(control || changed || due, draft);
}

bool Suspension::take_in_jobs(const View& view) {
  // A control point that nothing was asked for at: no reduce waited.
  if (!control_)
    shares_.begin_at(EmuTime((view.now.count() - 1) / interval_.count() * interval_.count()));
  const auto take_in = [&](JobId id) {
    shares_.hold(id, scenario_.jobs[id.value].framework, view.cluster.holdings(id).allocated,
                 view.now);
  };
  // A launch may have been refused.
  for (JobId id : std::exchange(launched_, {})) take_in(id);
  bool news = false;
  for (JobId id : view.changed_jobs) {
    take_in(id);
    const Job& job = view.cluster.job(id);
    if (job.state() == JobState::kWaiting) continue;
    if (job.finished() && view.cluster.holdings(id).containers.empty()) {
      auto it = jobs_.find(id);
      if (it == jobs_.end()) continue;
      news |= !it->second;
      jobs_.erase(it);
      continue;
    }
    auto [it, fresh] = jobs_.try_emplace(id, job.finished());
    news |= fresh || std::exchange(it->second, job.finished()) != job.finished();
  }
  return news;
}

bool Suspension::compute_lambda(Draft& draft) {
  const View& view = draft.view();
  const FrameworkShares::Shares shares = shares_.at(view.now, view.cluster.total());
  if (shares.lambda() == lambda_) return false;
  lambda_ = shares.lambda();
  span_ = suspend_span(lambda_, power_, threshold_, interval_);
  draft.note({"ikayak.lambda",
              {{"lambda", lambda_},
               {"spark", shares.spark},
               {"mapreduce", shares.mapreduce},
               {"suspend_s", to_seconds(span_)}}});
  return true;
}

void Suspension::move_ends() {
  for (auto& [job, stops] : stops_)
    for (auto& [id, stop] : stops) stop.until = stop.since + span_;
}

void Suspension::suspend_starved(Draft& draft) {
  if (span_ == EmuTime(0)) return;
  const ClusterState& cluster = draft.view().cluster;
  for (JobId id : cluster.waiting_jobs()) suspend_starved(cluster.job(id), draft);
}

void Suspension::suspend_starved(const Job& job, Draft& draft) {
  const ClusterState& cluster = draft.view().cluster;
  const EmuTime now = draft.view().now;
  for (ContainerId id : cluster.holdings(job.id()).containers) {
    const Container& container = *cluster.container(id);
    if (!is_starved(job, container)) continue;
    Stops& stops = stops_[job.id()];
    const auto known = stops.find(id);
    if (container.state == ContainerState::kSuspended) {
      if (known == stops.end() || known->second.resuming) continue;
      known->second.since = now;
      known->second.until = now + span_;
      continue;
    }
    stops[id] = {container.node, now, now + span_, {}, false};
    draft.suspend(id, "starved: its maps wait for containers; for " + print_duration(span_));
  }
}

std::map<JobId, Suspension::Stops>::iterator Suspension::follow(std::map<JobId, Stops>::iterator at,
                                                                Draft& draft) {
  auto& [id, stops] = *at;
  const ClusterState& cluster = draft.view().cluster;
  const EmuTime now = draft.view().now;
  for (auto it = stops.begin(); it != stops.end();) {
    const Container* container = cluster.container(it->first);
    Stop& stop = it->second;
    const bool runs = container && container->state == ContainerState::kRunning;
    if (!container || container->killed || (runs && stop.stopped)) {
      it = stops.erase(it);
      continue;
    }
    ++it;
    if (runs) continue;  // the stop is under way, or was refused
    if (!stop.stopped) stop.stopped = now;
    if (stop.resuming) continue;
    const bool fed = !container->waits || cluster.job(id).inputs_ready(container->task.phase.phase);
    if (!fed && now < stop.until) continue;
    stop.resuming = true;
    draft.resume(container->id, fed ? "its maps are complete" : "its time is over");
  }
  return stops.empty() ? stops_.erase(at) : std::next(at);
}

void Suspension::ask_for_wakes(bool new_ends, Draft& draft) {
  const EmuTime now = draft.view().now;
  if (!control_ && !draft.view().cluster.waiting_jobs().empty()) {
    control_ = EmuTime((now.count() / interval_.count() + 1) * interval_.count());
    draft.wake_at(*control_, "control interval");
  }
  if (!new_ends) return;
  std::optional<EmuTime> end;
  for (const auto& [job, stops] : stops_)
    for (const auto& [id, stop] : stops)
      if (stop.until > now && (!end || stop.until < *end)) end = stop.until;
  if (!end || (wake_ && *wake_ <= *end)) return;
  wake_ = *end;
  draft.wake_at(*wake_, "a suspension ends");
}

std::vector<Suspension::Favoured> Suspension::favoured(NodeId node, const Draft& draft) const {
  struct LetGo {
    Millicores cores{0};
    EmuTime since{INT64_MAX};
  };
  std::map<JobId, LetGo> jobs;
  if (stops_.empty()) return {};
  const ClusterState& cluster = draft.view().cluster;
  for (ContainerId id : cluster.node(node).containers) {
    const Container& container = *cluster.container(id);
    const auto stops = stops_.find(container.task.phase.job);
    if (stops == stops_.end()) continue;
    const auto stop = stops->second.find(id);
    if (stop == stops->second.end() || !stop->second.stopped || stop->second.resuming) continue;
    LetGo& let_go = jobs[stops->first];
    let_go.cores += container.resources.cores;
    let_go.since = std::min(let_go.since, *stop->second.stopped);
  }
  if (jobs.empty()) return {};
  for (ContainerId id : cluster.node(node).containers) {
    const Container& container = *cluster.container(id);
    const PhaseId phase = container.task.phase;
    const auto it = jobs.find(phase.job);
    if (it != jobs.end() && is_map(draft.job(phase).phases[phase.phase].kind) &&
        container.allocated_at >= it->second.since)
      it->second.cores -= container.resources.cores;
  }
  std::vector<Favoured> found;
  for (const auto& [job, let_go] : jobs) {
    const auto given = given_.find({node, job});
    const Millicores left = let_go.cores - (given == given_.end() ? Millicores(0) : given->second);
    if (left > Millicores(0)) found.push_back({job, left});
  }
  return found;
}

bool Suspension::stopping(JobId job, EmuTime now) const {
  const auto it = stops_.find(job);
  return it != stops_.end() &&
         std::any_of(it->second.begin(), it->second.end(), [now](const auto& stop) {
           return !stop.second.stopped && now < stop.second.until;
         });
}

std::set<NodeId> Suspension::nodes() const {
  std::set<NodeId> nodes;
  for (const auto& [job, stops] : stops_)
    for (const auto& [id, stop] : stops) nodes.insert(stop.node);
  return nodes;
}

void Suspension::launched(const Request& request, NodeId node, const Resources& size,
                          const Draft& draft) {
  const JobId job = request.phase.job;
  allocated(job, size, draft);
  if (is_map(request.kind) && stops_.contains(job)) given_[{node, job}] += size.cores;
}

void Suspension::allocated(JobId job, const Resources& size, const Draft& draft) {
  shares_.add(job, scenario_.jobs[job.value].framework, size, draft.view().now);
  launched_.insert(job);
}

}  // namespace heddle
