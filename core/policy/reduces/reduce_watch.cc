#include "core/policy/reduces/reduce_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/scenario/blocks.h"

namespace heddle {
namespace {

constexpr double kMiB = 1 << 20;

double mib(EmuBytes bytes) { return static_cast<double>(bytes.count()) / kMiB; }

double seconds_between(EmuTime from, EmuTime until) {
  return std::max(0.0, to_seconds(until - from));
}

/// Returns the selectivity of the phases that hand data over to this reduce phase, added up.
double selectivity_of(const Scenario& scenario, PhaseId reduce) {
  double read = 0, handed = 0;
  for (int before : phase_of(scenario, reduce).after) {
    const PhaseSpec& map = phase_of(scenario, {reduce.job, before});
    read += map.input.mean * map.tasks;
    handed += map.shuffle.mean * map.tasks;
  }
  // Add one byte to each sum, because a sum can be 0.
  return std::clamp(std::log10((handed + 1) / (read + 1)), -4.0, 2.0);
}

}  // namespace

const PhaseSpec& phase_of(const Scenario& scenario, PhaseId id) {
  return scenario.jobs[static_cast<std::size_t>(id.job.value)]
      .phases[static_cast<std::size_t>(id.phase)];
}

const std::vector<std::string>& premise_names() {
  static const std::vector<std::string> names = {"selectivity", "stage", "maps"};
  return names;
}

const std::vector<std::string>& regressor_names() {
  static const std::vector<std::string> names = {"y",       "y_before", "u",      "u_before",
                                                 "maps_s",  "to_fetch", "work",   "input",
                                                 "written", "backlog",  "beside", "queue"};
  return names;
}

Regressors regressors(const ReduceSigns& now, const ReduceSigns& before) {
  const double left = now.input * (1 - now.progress) / std::max(now.full_speed, 1e-3);
  const double written = std::min(now.written, 4 * now.input);
  const double stage =
      now.works ? 1 + now.progress + (now.input > 0 ? written / (4 * now.input) : 0) : 0;
  Regressors made;
  made.premise.resize(std::ssize(premise_names()));
  made.premise << now.selectivity, stage, std::log1p(now.maps_s);
  made.x.resize(std::ssize(regressor_names()));
  made.x << now.left_s(), before.left_s(), now.speed, before.speed, now.maps_s, now.to_fetch, left,
      now.input, written, now.backlog, now.beside, now.queue;
  return made;
}

bool ReduceWatch::refresh(const View& view, std::span<const Event> events) {
  completed_.clear();
  counted_at_.reset();
  for (ContainerId id : std::exchange(reported_late_, {}))
    if (auto it = watched_.find(id); it != watched_.end())
      sum_up(it->second, it->second.left_to_move());
  count_queue(view);
  for (const ContainerChange& change : view.container_changes) {
    if (change.ended)
      ended(change.container, *change.ended, change.at);
    else
      started(change.container, change.at);
  }
  bool reported = false;
  for (const Event& event : events) {
    if (const auto* read = std::get_if<InputsRead>(&event.what)) {
      begin_work(read->container, event.at);
    } else if (const auto* stop = std::get_if<ContainerSuspended>(&event.what)) {
      if (auto it = watched_.find(stop->container); it != watched_.end())
        if (!it->second.suspended_since) it->second.suspended_since = event.at;
    } else if (const auto* go = std::get_if<ContainerResumed>(&event.what)) {
      auto it = watched_.find(go->container);
      if (it == watched_.end() || !it->second.suspended_since) continue;
      it->second.suspended += event.at - *it->second.suspended_since;
      it->second.suspended_since.reset();
    }
  }
  // Reduces begin their work when they are notified that all maps are complete.
  for (JobId job : view.changed_jobs) {
    const auto unready = unready_.find(job);
    if (unready == unready_.end()) continue;
    for (ContainerId id :
         std::vector<ContainerId>(unready->second.begin(), unready->second.end())) {
      const Container& container = *view.cluster.container(id);
      if (!container.fetches && !container.waits)
        begin_work(id, std::max(*container.started_at, view.now));
    }
  }
  for (const Event& event : events)
    if (const auto* beat = std::get_if<NodeHeartbeat>(&event.what))
      reported |= report(*beat, view, event.at);
  return reported;
}

void ReduceWatch::started(const Container& container, EmuTime at) {
  begun_.try_emplace(container.task.phase, at, 0);
  if (phase_of(scenario_, container.task.phase).kind != PhaseKind::kReduce) return;
  Watched& watched = watched_[container.id];
  watched.job = container.task.phase.job;
  watched.node = container.node;
  watched.reported = at;
  unready_[container.task.phase.job].insert(container.id);
}

void ReduceWatch::forget_unfed(JobId job, ContainerId id) {
  const auto unready = unready_.find(job);
  if (unready == unready_.end()) return;
  unready->second.erase(id);
  if (unready->second.empty()) unready_.erase(unready);
}

void ReduceWatch::begin_work(ContainerId id, EmuTime at) {
  auto it = watched_.find(id);
  if (it == watched_.end() || it->second.works_since) return;
  Watched& watched = it->second;
  forget_unfed(watched.job, id);
  watched.works_since = at;
  watched.suspended = EmuTime(0);
  if (watched.suspended_since) watched.suspended_since = at;
}

void ReduceWatch::ended(const Container& container, Outcome outcome, EmuTime at) {
  const PhaseId phase = container.task.phase;
  if (outcome == Outcome::kCompleted && container.started_at) {
    const double length = seconds_between(*container.started_at, at);
    Lengths& lengths = tasks_[phase];
    lengths.sum_s += length;
    ++lengths.count;
    begun_[phase].second += length;
  }
  auto it = watched_.find(container.id);
  if (it == watched_.end()) return;
  if (outcome == Outcome::kCompleted) {
    if (it->second.works_since) {
      Lengths& work = work_[phase];
      work.sum_s += to_seconds(worked(container.id, at).value_or(EmuTime(0)));
      ++work.count;
    }
    completed_.push_back({container, at, std::move(it->second.observations)});
  }
  forget_unfed(phase.job, container.id);
  sum_up(it->second, EmuBytes(0));
  watched_.erase(it);
}

bool ReduceWatch::report(const NodeHeartbeat& beat, const View& view, EmuTime at) {
  auto last = reported_.find(beat.node);
  if (last != reported_.end() && at - last->second < kReportEvery) return false;
  bool taken = false;
  for (const ContainerUse& use : beat.containers) {
    auto it = watched_.find(use.container);
    const Container* container = view.cluster.container(use.container);
    if (it == watched_.end() || !container || container->node != beat.node) continue;
    Watched& watched = it->second;
    taken = true;
    if (std::isfinite(use.progress)) watched.progress = std::clamp(use.progress, 0.0, 1.0);
    watched.moved = use.disk + use.network;
    watched.reported = at;
    if (!watched.works_since || !watched.input)
      watched.input = expected_input(*container, view.cluster);
    if (counted_at_)
      reported_late_.push_back(use.container);
    else
      sum_up(watched, watched.left_to_move());
    const ReduceSigns now = signs(*container, view.cluster, at);
    watched.before = watched.last;
    watched.last = now;
    watched.last_at = at;
    if (keep_)
      watched.observations.push_back({at, now, regressors(now, watched.before.value_or(now))});
  }
  if (taken) reported_[beat.node] = at;
  return taken;
}

std::vector<ContainerId> ReduceWatch::reduces() const {
  std::vector<ContainerId> ids;
  for (const auto& [id, watched] : watched_) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

EmuTime ReduceWatch::reported(ContainerId reduce) const {
  auto it = watched_.find(reduce);
  return it == watched_.end() ? EmuTime(0) : it->second.reported;
}

std::optional<EmuTime> ReduceWatch::worked(ContainerId reduce, EmuTime now) const {
  auto it = watched_.find(reduce);
  if (it == watched_.end() || !it->second.works_since) return std::nullopt;
  const Watched& watched = it->second;
  EmuTime stopped = watched.suspended;
  if (watched.suspended_since)
    stopped += now - std::max(*watched.suspended_since, *watched.works_since);
  return std::max(EmuTime(0), now - *watched.works_since - stopped);
}

double ReduceWatch::expected_input(const Container& reduce, const ClusterState& cluster) const {
  const auto [phase, index] = reduce.task;
  const Job& job = cluster.job(phase.job);
  const PhaseSpec& spec = job.spec().phases[static_cast<std::size_t>(phase.phase)];
  double sum = 0;
  for (int before : spec.after) {
    if (!job.shuffle().reads_from(phase.phase, before)) continue;
    const PhaseSpec& maps = job.spec().phases[static_cast<std::size_t>(before)];
    double known = 0;
    int complete = 0;
    for (int map = 0; map < maps.tasks; ++map) {
      const auto read = job.shuffle().read(phase.phase, index, before, map);
      if (!read) continue;
      known += mib(read->size);
      ++complete;
    }
    if (complete == 0) {
      known = maps.shuffle.mean / kMiB / spec.tasks * skew_factor(spec.skew, spec.tasks, index);
      complete = 1;
    }
    sum += known * maps.tasks / complete;
  }
  return sum;
}

double ReduceWatch::phase_left_s(PhaseId id, const ClusterState& cluster, EmuTime now) const {
  const Job& job = cluster.job(id.job);
  if (job.complete(id.phase)) return 0;
  double oldest = 0, ages = 0;
  int running = 0;
  for (ContainerId container : cluster.holdings(id.job).containers) {
    const Container& task = *cluster.container(container);
    if (task.task.phase != id) continue;
    ++running;
    const double age = seconds_between(task.started_at.value_or(now), now);
    oldest = std::max(oldest, age);
    ages += age;
  }
  const auto lengths = tasks_.find(id);
  const bool known = lengths != tasks_.end() && lengths->second.count > 0;
  const double mean = known ? lengths->second.sum_s / lengths->second.count : 2 * oldest;
  const int open = phase_of(scenario_, id).tasks - job.completed(id.phase);
  double at_once = running;
  if (running == 0) {
    const auto begun = begun_.find(id);
    const double passed = begun == begun_.end() ? 0 : seconds_between(begun->second.first, now);
    at_once = std::max(1.0, passed > 0 ? begun->second.second / passed : 1.0);
  }
  // Assume that the open tasks run in `at_once` slots. The time that running tasks have already run
  // is subtracted.
  const double left = std::max(0.0, open * mean - std::min(ages, running * mean));
  const double last = open > running ? mean : std::max(0.0, mean - ages / std::max(running, 1));
  return std::max(left / at_once, last);
}

double ReduceWatch::maps_left_s(const Container& reduce, const ClusterState& cluster,
                                EmuTime now) const {
  double left = 0;
  const PhaseId phase = reduce.task.phase;
  for (int before : phase_of(scenario_, phase).after) {
    const PhaseId id{phase.job, before};
    auto it = phases_left_.find(id);
    if (it == phases_left_.end())
      it = phases_left_.emplace(id, phase_left_s(id, cluster, now)).first;
    left = std::max(left, it->second);
  }
  return left;
}

double ReduceWatch::work_left_s(const Watched& watched, PhaseId phase, EmuTime now) const {
  if (watched.works_since && watched.progress > 0) {
    EmuTime stopped = watched.suspended;
    if (watched.suspended_since)
      stopped += std::max(
          EmuTime(0), watched.reported - std::max(*watched.suspended_since, *watched.works_since));
    const double then = to_seconds(watched.reported - *watched.works_since - stopped);
    const double since = watched.suspended_since ? 0 : seconds_between(watched.reported, now);
    const double left = (1 - watched.progress) * std::max(then, 0.0) / watched.progress;
    return std::max(0.0, left - since);
  }
  const auto mean = work_.find(phase);
  if (mean == work_.end()) return 0;
  double passed = 0;
  if (watched.works_since && !watched.suspended_since)
    passed = seconds_between(*watched.works_since + watched.suspended, now);
  return std::max(0.0, mean->second.sum_s / mean->second.count - passed);
}

/// Returns the amount of data that the reduce still has to move. It reads its input and writes
/// about the same amount. Returns 0 while the input is not known.
EmuBytes ReduceWatch::Watched::left_to_move() const {
  if (!input) return EmuBytes(0);
  return std::max(EmuBytes(0), EmuBytes(std::llround(2 * *input * kMiB)) - moved);
}

void ReduceWatch::sum_up(Watched& watched, EmuBytes to_move) {
  const EmuBytes change = to_move - std::exchange(watched.to_move, to_move);
  backlog_ += change;
  to_move_[watched.node.value] += change;
}

void ReduceWatch::count_queue(const View& view) {
  for (JobId job : view.changed_jobs) {
    std::int64_t maps = 0;
    for (const Request* request : view.cluster.requests(job))
      if (request && is_map(request->kind)) maps += request->pending;
    auto known = queues_.try_emplace(job, 0).first;
    queue_ += maps - std::exchange(known->second, maps);
    if (maps == 0) queues_.erase(known);
  }
}

ReduceSigns ReduceWatch::signs(const Container& reduce, const ClusterState& cluster,
                               EmuTime now) const {
  static const Watched nothing;
  const auto it = watched_.find(reduce.id);
  const Watched& watched = it == watched_.end() ? nothing : it->second;
  if (counted_at_ != now) phases_left_.clear();
  counted_at_ = now;
  const double nodes = std::max(1, cluster.alive_nodes());
  ReduceSigns signs;
  signs.backlog = mib(backlog_) / nodes;
  signs.beside = std::max(0.0, mib(to_move_[reduce.node.value] - watched.left_to_move()));
  signs.queue = static_cast<double>(queue_) / nodes;
  signs.works = watched.works_since.has_value();
  if (!signs.works) signs.maps_s = maps_left_s(reduce, cluster, now);
  signs.progress = watched.progress;
  signs.work_s = work_left_s(watched, reduce.task.phase, now);
  signs.input = watched.input ? *watched.input : expected_input(reduce, cluster);
  const double moved = mib(watched.moved);
  if (!signs.works) signs.to_fetch = std::max(0.0, signs.input - moved);
  if (signs.works) signs.written = std::max(0.0, moved - signs.input);
  signs.full_speed = static_cast<double>(reduce.resources.cores.count()) / 1e3 *
                     cluster.node(reduce.node).spec->speed;
  signs.speed = reduce.state == ContainerState::kSuspended ? 0 : signs.full_speed;
  signs.selectivity = selectivity_of(scenario_, reduce.task.phase);
  return signs;
}

Regressors ReduceWatch::regressors_of(const Container& reduce, const ClusterState& cluster,
                                      EmuTime now) const {
  const ReduceSigns current = signs(reduce, cluster, now);
  const auto it = watched_.find(reduce.id);
  if (it == watched_.end() || !it->second.last) return regressors(current, current);
  const Watched& watched = it->second;
  const auto& before = watched.last_at < now ? watched.last : watched.before;
  return regressors(current, before.value_or(current));
}

}  // namespace heddle
