#include "core/jobs/job.h"

#include <algorithm>
#include <cassert>

namespace heddle {

Job::Job(JobId id, const JobSpec& spec) : id_(id), spec_(&spec), phases_(spec.phases.size()) {
  for (std::size_t i = 0; i < phases_.size(); ++i) phases_[i].tasks.resize(spec.phases[i].tasks);
}

bool Job::complete(int phase) const {
  return phases_[phase].completed == spec_->phases[phase].tasks;
}

bool Job::ready(int phase) const {
  const std::vector<int>& after = spec_->phases[phase].after;
  return std::all_of(after.begin(), after.end(), [&](int other) { return complete(other); });
}

int Job::pending(int phase) const {
  if (state_ == JobState::kWaiting || finished() || !ready(phase)) return 0;
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
  if (p.retries.erase(task) == 0) ++p.next_fresh;
  return ++p.tasks[task].attempts;
}

void Job::started() {
  if (state_ == JobState::kPending) state_ = JobState::kRunning;
}

void Job::ended(int phase, int task, Outcome outcome, const std::string& cause) {
  Phase& p = phases_[phase];
  if (outcome == Outcome::kCompleted) {
    ++p.completed;
    ++completed_tasks_;
    bool all = true;
    for (int i = 0; i < static_cast<int>(phases_.size()); ++i) all = all && complete(i);
    if (all && !finished()) state_ = JobState::kCompleted;
    return;
  }
  p.retries.insert(task);
  if (outcome != Outcome::kFailed && outcome != Outcome::kOomKilled) return;
  if (++p.tasks[task].failures >= spec_->max_attempts) {
    fail("task " + std::to_string(task) + " of phase " + spec_->phases[phase].name + " failed " +
         std::to_string(p.tasks[task].failures) + " times, last: " + cause);
  }
}

void Job::fail(const std::string& cause) {
  if (finished()) return;
  state_ = JobState::kFailed;
  failure_ = cause;
}

}  // namespace heddle
