#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/ids.h"
#include "core/model/event.h"
#include "core/scenario/scenario.h"

namespace heddle {

enum class JobState { kWaiting, kPending, kRunning, kCompleted, kFailed, kKilled };

/// One job as a state machine: which of its tasks may be asked for, which run, which are done.
/// Waiting (not submitted) -> Pending -> Running (first task started) -> Completed | Failed.
/// Keeps no resources and knows no node. A task that failed or was OomKilled is asked for again up
/// to max_attempts times in all; one that was Lost or Killed always is, and does not count.
///
/// A job with an application master asks for that first, and for tasks only while it runs. Should
/// it end before the job does, it is asked for again under the same rules (max_am_attempts), and
/// the job's unfinished tasks start again.
class Job {
 public:
  /// `early_start`: share of its maps that must be complete before reduces may be asked for.
  Job(JobId id, const JobSpec& spec, double early_start);

  JobId id() const { return id_; }
  const JobSpec& spec() const { return *spec_; }
  JobState state() const { return state_; }
  bool finished() const { return state_ >= JobState::kCompleted; }
  /// Why it failed; "" otherwise.
  const std::string& failure() const { return failure_; }

  /// Tasks of a phase that may be asked for now and hold no container; 0 once the job is finished.
  int pending(int phase) const;
  /// False: a task of the phase that starts now has to wait for phases before its own.
  bool inputs_ready(int phase) const;
  /// True if some task of the phase was ever handed out (a gang then is no gang any more: what
  /// fails is retried alone).
  bool begun(int phase) const { return phases_[phase].begun; }
  /// Tasks of the phase that hold a container now.
  int live(int phase) const { return phases_[phase].live; }
  int completed(int phase) const { return phases_[phase].completed; }
  /// All tasks of the phase are.
  bool complete(int phase) const;
  /// Attempts of a task handed out so far.
  int attempts(int phase, int task) const { return phases_[phase].tasks[task].attempts; }
  int completed_tasks() const { return completed_tasks_; }
  bool am_running() const { return am_running_; }

  void submit();
  /// The task that goes next, smallest index first, retries before fresh ones. REQUIRES:
  /// pending(phase) > 0.
  int next_task(int phase) const;
  /// Hands that task out; returns its attempt, from 1.
  int take(int phase, int task);
  void started(int phase);
  /// An attempt is over. `cause` is a sentence for the job's failure, should this be its end.
  void ended(int phase, int task, Outcome outcome, const std::string& cause);
  /// Ends the job in failure, unless it is finished.
  void fail(const std::string& cause);

 private:
  struct Task {
    int attempts = 0;
    int failures = 0;
  };
  struct Phase {
    int next_fresh = 0;     ///< tasks from here on were never handed out
    std::set<int> retries;  ///< to be handed out again
    int completed = 0;
    int live = 0;
    bool begun = false;
    std::vector<Task> tasks;
  };
  bool is_am(int phase) const { return spec_->phases[phase].kind == PhaseKind::kAm; }
  bool may_ask(int phase) const;
  bool may_start_early(int phase) const;
  bool all_complete() const;
  void count_failure(int phase, int task, int limit, const std::string& what,
                     const std::string& cause);

  JobId id_;
  const JobSpec* spec_;
  double early_start_;
  JobState state_ = JobState::kWaiting;
  std::string failure_;
  std::vector<Phase> phases_;
  int completed_tasks_ = 0;
  bool am_running_ = false;
};

}  // namespace heddle
