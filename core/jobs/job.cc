#include "core/jobs/job.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace heddle {

Job::Job(JobId id, const JobSpec& spec, double early_start)
    : id_(id), spec_(&spec), early_start_(early_start), phases_(spec.phases.size()) {
  for (std::size_t i = 0; i < phases_.size(); ++i) phases_[i].tasks.resize(spec.phases[i].tasks);
}

bool Job::complete(int phase) const {
  return phases_[phase].completed == spec_->phases[phase].tasks;
}

bool Job::all_complete() const {
  for (int i = 0; i < static_cast<int>(phases_.size()); ++i)
    if (!is_am(i) && !complete(i)) return false;
  return true;
}

bool Job::inputs_ready(int phase) const {
  const std::vector<int>& after = spec_->phases[phase].after;
  return std::all_of(after.begin(), after.end(), [&](int other) { return complete(other); });
}

// YARN's slow start (RMContainerAllocator.scheduleReduces): enough of the maps are complete.
bool Job::may_start_early(int phase) const {
  const PhaseSpec& spec = spec_->phases[phase];
  if (spec.kind != PhaseKind::kReduce || spec.gang) return false;
  int maps = 0, completed = 0;
  for (int other : spec.after) {
    if (!is_map(spec_->phases[other].kind) || !inputs_ready(other)) return false;
    maps += spec_->phases[other].tasks;
    completed += phases_[other].completed;
  }
  return completed >= std::ceil(early_start_ * maps - 1e-9);
}

bool Job::may_ask(int phase) const {
  if (spec_->has_am() && !is_am(phase) && !am_running_) return false;
  return inputs_ready(phase) || may_start_early(phase);
}

int Job::pending(int phase) const {
  if (state_ == JobState::kWaiting || finished() || !may_ask(phase)) return 0;
  const Phase& p = phases_[phase];
  return static_cast<int>(p.tasks.size()) - p.next_fresh + static_cast<int>(p.retries.size());
}

void Job::submit() {
  assert(state_ == JobState::kWaiting);
  state_ = JobState::kPending;
}

int Job::next_task(int phase) const {
  assert(pending(phase) > 0);
  const Phase& p = phases_[phase];
  return p.retries.empty() ? p.next_fresh : *p.retries.begin();
}

int Job::take(int phase, int task) {
  assert(task == next_task(phase));
  Phase& p = phases_[phase];
  p.begun = true;
  ++p.live;
  if (p.retries.erase(task) == 0) ++p.next_fresh;
  return ++p.tasks[task].attempts;
}

void Job::started(int phase) {
  if (is_am(phase))
    am_running_ = true;
  else if (state_ == JobState::kPending)
    state_ = JobState::kRunning;
}

void Job::ended(int phase, int task, Outcome outcome, const std::string& cause) {
  Phase& p = phases_[phase];
  --p.live;
  if (is_am(phase)) {
    am_running_ = false;
    p.retries.insert(task);
    // One that leaves of its own accord while the job goes on has failed it too.
    if (outcome == Outcome::kKilled || outcome == Outcome::kLost) return;
    return count_failure(phase, task, spec_->max_am_attempts, "its application master", cause);
  }
  if (outcome == Outcome::kCompleted) {
    ++p.completed;
    ++completed_tasks_;
    if (all_complete() && !finished()) state_ = JobState::kCompleted;
    return;
  }
  p.retries.insert(task);
  if (outcome == Outcome::kFailed || outcome == Outcome::kOomKilled)
    count_failure(phase, task, spec_->max_attempts,
                  "task " + std::to_string(task) + " of phase " + spec_->phases[phase].name, cause);
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

}  // namespace heddle
