#include "core/jobs/job.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "core/scenario/draw.h"
#include "core/scenario/quantity_text.h"

namespace heddle {

Job::Job(const Scenario& scenario, JobId id, const Rules& rules)
    : scenario_(&scenario),
      id_(id),
      spec_(&scenario.jobs[id.value]),
      rules_(rules),
      phases_(spec_->phases.size()),
      shuffle_(*spec_) {
  for (int i = 0; i < std::ssize(phases_); ++i) {
    phases_[i].tasks.resize(spec_->phases[i].tasks);
    if (is_executor(i)) stages_ = std::make_unique<Stages>(scenario, id, i);
  }
}

bool Job::complete(int phase) const {
  if (is_executor(phase)) return stages_->done() && phases_[phase].live == 0;
  return phases_[phase].completed == spec_->phases[phase].tasks;
}

bool Job::inputs_ready(int phase) const {
  const std::vector<int>& after = spec_->phases[phase].after;
  return std::all_of(after.begin(), after.end(), [&](int other) { return complete(other); });
}

// Implements YARN's slow start (RMContainerAllocator.scheduleReduces). Reduces start early when
// enough maps are complete.
std::optional<Job::EarlyStart> Job::early_start(int phase) const {
  const PhaseSpec& spec = spec_->phases[phase];
  if (spec.kind != PhaseKind::kReduce || spec.gang) return std::nullopt;
  const bool fetches = shuffle_.sources(phase) > 0;
  EarlyStart start;
  for (int other : spec.after) {
    if (!is_map(spec_->phases[other].kind) || !inputs_ready(other)) return std::nullopt;
    // A reduce that fetches begins its work after it has read all outputs. It does not know about
    // phases without outputs, so these phases must be complete before the reduce starts.
    if (fetches && !shuffle_.reads_from(phase, other) && !complete(other)) return std::nullopt;
    start.maps += spec_->phases[other].tasks;
    start.completed += phases_[other].completed;
  }
  start.needed = static_cast<int>(std::ceil(rules_.early_start * start.maps - 1e-9));
  return start;
}

bool Job::may_ask(int phase) const {
  if (state_ == JobState::kWaiting || finished() || held_) return false;
  if (spec_->has_am() && !is_am(phase) && !am_running_) return false;
  if (inputs_ready(phase)) return true;
  const std::optional<EarlyStart> start = early_start(phase);
  return start && start->reached();
}

int Job::pending(int phase) const {
  const Phase& p = phases_[phase];
  if (!may_ask(phase) || p.broken) return 0;
  const int left = p.released - p.next_fresh - static_cast<int>(p.ahead.size()) +
                   static_cast<int>(p.retries.size());
  if (!is_executor(phase)) return left;
  return std::clamp(stages_->wanted(now_) - p.live, 0, left);
}

void Job::submit(EmuTime at) {
  assert(state_ == JobState::kWaiting);
  state_ = JobState::kPending;
  eligible_ = spec_->after.empty() ? spec_->submit : at;
  for (int i = 0; i < std::ssize(phases_); ++i) {
    if (is_executor(i) && rules_.executors_prefer) place_executors(i);
    if (spec_->phases[i].input.mean <= 0) continue;
    std::vector<std::vector<NodeId>> data;
    for (int task = 0; task < spec_->phases[i].tasks; ++task)
      data.push_back(draw_work(*scenario_, {{id_, i}, task}).reads.front().from);
    phases_[i].places = std::make_unique<Places>(scenario_->cluster, std::move(data));
  }
}

void Job::place_executors(int phase) {
  std::vector<std::vector<NodeId>> pieces = stages_->first_data();
  if (pieces.empty()) return;
  std::vector<std::vector<NodeId>> data;
  for (int task = 0; task < spec_->phases[phase].tasks; ++task)
    data.push_back(pieces[static_cast<std::size_t>(task) % pieces.size()]);
  phases_[phase].places = std::make_unique<Places>(scenario_->cluster, std::move(data));
  stages_->prefer_near(std::move(pieces));
}

void Job::on_time(EmuTime now) {
  now_ = now;
  for (int i = 0; i < std::ssize(phases_); ++i) release(i, now);
}

void Job::release(int phase, EmuTime now) {
  Phase& p = phases_[phase];
  const PhaseSpec& spec = spec_->phases[phase];
  if (p.released == spec.tasks || !may_ask(phase)) return;
  if (!p.begin) {
    p.begin = now;
    if (is_executor(phase)) stages_->begin(now);
  }
  const std::int64_t spread = spec.start_spread.count();
  const int due = spread == 0
                      ? spec.tasks
                      : static_cast<int>(std::min<std::int64_t>(
                            spec.tasks, 1 + (now - *p.begin).count() * spec.tasks / spread));
  for (; p.released < due; ++p.released)
    if (p.places) p.places->ask(p.released);
}

std::optional<EmuTime> Job::next_time() const {
  if (finished()) return std::nullopt;
  std::optional<EmuTime> next = stages_ ? stages_->next_time() : std::nullopt;
  for (int i = 0; i < std::ssize(phases_); ++i) {
    const Phase& p = phases_[i];
    const PhaseSpec& spec = spec_->phases[i];
    if (!p.begin || p.released == spec.tasks || !may_ask(i)) continue;
    // Rounded up, so that the task is due at that time.
    const EmuTime due =
        *p.begin + EmuTime((spec.start_spread.count() * p.released + spec.tasks - 1) / spec.tasks);
    next = next ? std::min(*next, due) : due;
  }
  return next;
}

NextTask Job::next_task(int phase, NodeId node, const std::set<int>& without) const {
  const Phase& p = phases_[phase];
  if (p.places) return p.places->nearest(node, without);
  const Locality near = locality(scenario_->cluster, spec_->phases[phase].prefer, node);
  for (int task : p.retries)
    if (!without.contains(task)) return {task, near};
  int task = p.next_fresh;
  while (without.contains(task)) ++task;
  return {task, near};
}

const std::vector<NodeId>& Job::next_data(int phase, const std::set<int>& without) const {
  const Phase& p = phases_[phase];
  return p.places ? p.places->data(p.places->first(without)) : spec_->phases[phase].prefer;
}

int Job::local_tasks(int phase, NodeId node, const std::set<int>& without, int most) const {
  const Phase& p = phases_[phase];
  if (p.places) return p.places->local(node, without, most);
  const std::vector<NodeId>& prefer = spec_->phases[phase].prefer;
  const bool preferred = std::find(prefer.begin(), prefer.end(), node) != prefer.end();
  return preferred ? std::clamp(pending(phase) - static_cast<int>(without.size()), 0, most) : 0;
}

int Job::take(int phase, int task) {
  Phase& p = phases_[phase];
  assert(task < p.released);
  p.begun = true;
  ++p.live;
  if (p.places) p.places->take(task);
  if (p.retries.erase(task) == 0) {
    if (task == p.next_fresh)
      ++p.next_fresh;
    else
      p.ahead.insert(task);
    while (!p.ahead.empty() && p.ahead.erase(p.next_fresh) > 0) ++p.next_fresh;
  }
  return ++p.tasks[task].attempts;
}

void Job::ask_again(int phase, int task) {
  Phase& p = phases_[phase];
  p.retries.insert(task);
  if (p.places) p.places->ask(task);
}

void Job::begin_again(int phase) {
  Phase& p = phases_[phase];
  completed_tasks_ -= std::exchange(p.completed, 0);
  std::erase_if(lost_, [&](const auto& writer) { return writer.first == phase; });
  p.broken = p.begun = false;
  p.next_fresh = 0;
  p.ahead.clear();
  p.retries.clear();
  for (int task = 0; task < std::ssize(p.tasks); ++task) {
    p.tasks[task].started = false;
    if (p.places) p.places->ask(task);
  }
  if (!spec_->rigid()) return;
  started_tasks_ = 0;
  walltime_from_.reset();
  suspended_at_.reset();
}

bool Job::needed(int phase) const {
  for (int later = 0; later < std::ssize(phases_); ++later)
    if (shuffle_.reads_from(later, phase) && !complete(later)) return true;
  return false;
}

/// Runs the tasks again whose lost output is needed. The inputs of these tasks can be lost too.
/// Therefore the loop continues until no lost output is needed.
void Job::redo_lost() {
  if (finished()) return;
  const auto next = [&] {
    return std::find_if(lost_.begin(), lost_.end(),
                        [&](const auto& writer) { return needed(writer.first); });
  };
  for (auto writer = next(); writer != lost_.end(); writer = next()) {
    const auto [phase, task] = *writer;
    lost_.erase(writer);
    --phases_[phase].completed;
    --completed_tasks_;
    ask_again(phase, task);
  }
}

void Job::node_lost(NodeId node) {
  for (const auto& writer : shuffle_.lose(node)) lost_.insert(writer);
  redo_lost();
  if (stages_) stages_->node_lost(node);
}

void Job::output_lost(std::uint64_t object) {
  if (stages_) return stages_->lost(object);
  if (auto writer = shuffle_.lose(object)) lost_.insert(*writer);
  redo_lost();
}

void Job::started(int phase, int task, EmuTime at) {
  if (is_am(phase)) {
    am_running_ = true;
    return;
  }
  if (state_ == JobState::kPending) state_ = JobState::kRunning;
  if (std::exchange(phases_[phase].tasks[task].started, true)) return;
  last_start_ = std::max(last_start_, at);
  if (++started_tasks_ == (spec_->rigid() ? spec_->phases[phase].tasks : 1))
    walltime_from_ = last_start_;
}

std::optional<EmuTime> Job::walltime_from(EmuTime now) const {
  if (!walltime_from_ || !suspended_at_) return walltime_from_;
  return *walltime_from_ + (now - *suspended_at_);
}

void Job::suspended(bool all, EmuTime at) {
  if (!spec_->rigid() || all == suspended_at_.has_value()) return;
  walltime_from_ = walltime_from(at);
  suspended_at_ = all ? std::optional(at) : std::nullopt;
}

std::optional<EmuTime> Job::kill_at() const {
  if (!spec_->walltime || !walltime_from_ || suspended_at_) return std::nullopt;
  return *walltime_from_ + *spec_->walltime +
         scenario_->cluster.walltime_grace.value_or(EmuTime(0));
}

void Job::kill(const std::string& cause) {
  if (finished()) return;
  state_ = JobState::kKilled;
  failure_ = cause;
}

void Job::ended(int phase, int task, Outcome outcome, OomCause oom, const std::string& cause) {
  Phase& p = phases_[phase];
  --p.live;
  // The attempt never began, so its number is used again.
  if (outcome == Outcome::kNotStarted) --p.tasks[task].attempts;
  if (is_am(phase)) {
    am_running_ = false;
    ask_again(phase, task);
    // An application master that ends by itself while the job runs counts as a failure too.
    if (outcome == Outcome::kKilled || outcome == Outcome::kLost || outcome == Outcome::kNotStarted)
      return;
    if (!counts(oom)) return;
    return count_failure(phase, task, spec_->max_am_attempts, "its application master", cause);
  }
  // A released executor can be requested again.
  if (outcome == Outcome::kCompleted && (!is_executor(phase) || stages_->done())) {
    ++p.completed;
    ++completed_tasks_;
  } else {
    ask_again(phase, task);
    if (outcome == Outcome::kFailed || (outcome == Outcome::kOomKilled && counts(oom)))
      count_failure(phase, task, spec_->max_attempts,
                    "task " + std::to_string(task) + " of phase " + spec_->phases[phase].name,
                    cause);
    p.broken = p.broken || (spec_->restarts_whole(spec_->phases[phase]) && !finished());
  }
  if (p.broken && p.live == 0) begin_again(phase);
  bool all_complete = true;
  for (int i = 0; i < std::ssize(phases_); ++i) all_complete &= is_am(i) || complete(i);
  if (all_complete && !finished()) state_ = JobState::kCompleted;
}

void Job::count_failure(int phase, int task, int limit, const std::string& what,
                        const std::string& cause) {
  int failures = ++phases_[phase].tasks[task].failures;
  if (failures >= limit)
    fail(what + " failed " + std::to_string(failures) + " times, last: " + cause);
}

void Job::fail(const std::string& cause) {
  if (finished()) return;
  state_ = JobState::kFailed;
  failure_ = cause;
}

void Job::cancel(const std::string& cause) {
  assert(state_ == JobState::kWaiting);
  state_ = JobState::kCancelled;
  failure_ = cause;
}

std::set<int> Job::incomplete_before(int phase) const {
  std::set<int> found;
  std::vector<int> open{phase};
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    for (int before : spec_->phases[at].after)
      if (!complete(before) && found.insert(before).second) open.push_back(before);
  }
  return found;
}

}  // namespace heddle
