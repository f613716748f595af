#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/oom_cause.h"
#include "core/jobs/places.h"
#include "core/jobs/shuffle.h"
#include "core/jobs/stages.h"
#include "core/model/event.h"
#include "core/scenario/scenario.h"

namespace heddle {

enum class JobState { kWaiting, kPending, kRunning, kCompleted, kFailed, kKilled, kCancelled };

/// How the reason begins for which a job is killed at its walltime.
inline constexpr std::string_view kWalltimeOver = "its walltime of ";

/// The state machine of one job. Tracks which tasks of the job can be requested, which run and
/// which are complete. Waiting (not submitted) -> Pending -> Running (first task started) ->
/// Completed | Failed | Killed. A waiting job can also be Cancelled. The class does not track
/// resources. A task that failed or was OomKilled is requested again, until it has had max_attempts
/// attempts. A task that was Lost or Killed is always requested again, and the lost or killed
/// attempt does not count toward this limit.
///
/// A job with an application master requests the application master first. The job requests its
/// tasks only while the application master runs. If the application master ends before the job
/// does, it is requested again under the same rules (max_am_attempts), and the job's unfinished
/// tasks start again.
///
/// shuffle() tracks the map outputs. If the output of a map is lost while reduces can still need
/// it, the map has to run again. stages() is the driver of a Spark job. Executors can be requested
/// and can end at any time while the job runs.
class Job {
 public:
  /// Rules of the policy for all jobs.
  struct Rules {
    double early_start =
        1;  ///< share of the maps that must be complete before reduces are requested
    /// Executors prefer the nodes with the input blocks of the first stage.
    bool executors_prefer = false;
    /// A kill because the node was out of memory counts toward max_attempts.
    bool node_kills_count = true;
  };
  /// The scenario must outlive the job.
  Job(const Scenario& scenario, JobId id, const Rules& rules);

  JobId id() const { return id_; }
  const JobSpec& spec() const { return *spec_; }
  JobState state() const { return state_; }
  bool finished() const { return state_ >= JobState::kCompleted; }
  /// Returns whether the job makes its run fail.
  bool failed() const { return state_ == JobState::kFailed || state_ == JobState::kCancelled; }
  /// Returns why the job failed, was killed or was cancelled; "" otherwise.
  const std::string& failure() const { return failure_; }

  /// Returns the number of tasks of a phase that can be requested now and hold no container.
  /// Returns 0 once the job is finished.
  int pending(int phase) const;
  /// Returns false if a task of the phase that starts now has to wait for earlier phases.
  bool inputs_ready(int phase) const;
  /// Progress of the maps towards YARN's slow start of reduces.
  struct EarlyStart {
    int completed = 0, needed = 0, maps = 0;
    bool reached() const { return completed >= needed; }
  };
  /// Returns the progress of the maps before the phase towards its early start. Returns nullopt if
  /// the phase can never start before its inputs are complete, or if it can't do so at present.
  std::optional<EarlyStart> early_start(int phase) const;
  /// Returns the incomplete phases that `phase` depends on, directly or indirectly.
  std::set<int> incomplete_before(int phase) const;
  /// Returns whether any task of the phase was launched since the phase last began. If so, the
  /// phase is not scheduled as a gang.
  bool begun(int phase) const { return phases_[phase].begun; }
  /// Returns whether a task of the gang has ended early, so that its other containers have to end.
  /// The gang can be requested again when none is left.
  bool broken(int phase) const { return phases_[phase].broken; }
  /// Returns how many tasks of the phase hold a container now.
  int live(int phase) const { return phases_[phase].live; }
  int completed(int phase) const { return phases_[phase].completed; }
  /// Returns whether all tasks of the phase are complete.
  bool complete(int phase) const;
  /// Returns how many attempts of a task were launched. Attempts that could not be started don't
  /// count.
  int attempts(int phase, int task) const { return phases_[phase].tasks[task].attempts; }
  int completed_tasks() const { return completed_tasks_; }
  bool am_running() const { return am_running_; }

  /// Returns whether tasks of the phase prefer some nodes. Either each task has its own data, or
  /// all tasks prefer the same nodes (PhaseSpec::prefer).
  bool has_places(int phase) const {
    return phases_[phase].places || !spec_->phases[phase].prefer.empty();
  }
  /// Returns the task to launch on `node` next. If tasks have their own data, this is the task with
  /// the nearest data. Otherwise, tasks that are retried come before fresh tasks, and the smallest
  /// index comes first. Tasks in `without` count as launched. REQUIRES: a task is left.
  NextTask next_task(int phase, NodeId node, const std::set<int>& without = {}) const;
  /// Returns the nodes that the pending task with the smallest index prefers, because they have its
  /// data. Returns an empty list if all nodes are equally good.
  const std::vector<NodeId>& next_data(int phase, const std::set<int>& without = {}) const;

  /// Returns how many of the tasks that can be requested now have their data on the node, but at
  /// most `most`. If all tasks of the phase prefer the same nodes, all tasks count on each of these
  /// nodes. Tasks in `without` count as launched.
  int local_tasks(int phase, NodeId node, const std::set<int>& without, int most) const;

  void submit(EmuTime at);
  /// Returns when the job could be scheduled for the first time. REQUIRES: the job is submitted.
  EmuTime eligible() const { return eligible_; }
  /// Marks a pending task as launched. Returns the number of the attempt, from 1.
  int take(int phase, int task);
  /// Sets the time. Tasks of a phase with a start_spread can be requested one after the other as
  /// time passes. REQUIRES: the job is submitted.
  void on_time(EmuTime now);
  /// Returns the next time at which on_time() changes what the job requests. Returns nullopt if
  /// there is none.
  std::optional<EmuTime> next_time() const;
  /// If `held`, the job requests nothing, because another yarn-client job is active.
  void hold(bool held) { held_ = held; }
  bool held() const { return held_; }
  /// Records that a container of the task has started.
  void started(int phase, int task, EmuTime at);
  /// Records the end of an attempt. If the job fails because of this end, `cause` becomes a part of
  /// failure().
  void ended(int phase, int task, Outcome outcome, OomCause oom, const std::string& cause);
  /// Records the loss of a node and of the outputs on the node. If the lost output of a task is
  /// needed, the task runs again.
  void node_lost(NodeId node);
  /// Records that an object can no longer be read.
  void output_lost(std::uint64_t object);
  /// Returns the time from which the job's walltime counts: when all tasks of a rigid job have
  /// started, or the first task of another job. It moves on while a rigid job is suspended. Returns
  /// nullopt before that time.
  std::optional<EmuTime> walltime_from(EmuTime now) const;
  /// Takes in whether all containers of a rigid job are suspended.
  void suspended(bool all, EmuTime at);
  /// Returns when the job is to be killed, because its walltime is over. Returns nullopt if it has
  /// no walltime, has not started, or is suspended.
  std::optional<EmuTime> kill_at() const;
  /// Ends the job as killed, unless it is finished.
  void kill(const std::string& cause);
  /// Ends the job in failure, unless it is finished.
  void fail(const std::string& cause);
  /// Ends the job, because a condition on another job can never hold. REQUIRES: the job is waiting.
  void cancel(const std::string& cause);

  Shuffle& shuffle() { return shuffle_; }
  const Shuffle& shuffle() const { return shuffle_; }
  /// Returns the driver of a Spark job. Returns nullptr for any other job.
  Stages* stages() { return stages_.get(); }
  const Stages* stages() const { return stages_.get(); }

 private:
  struct Task {
    bool started = false;  ///< an attempt has started
    int attempts = 0;
    int failures = 0;
  };
  struct Phase {
    int released = 0;       ///< tasks before this index can be requested
    int next_fresh = 0;     ///< tasks from this index on were never launched, except `ahead`
    std::set<int> ahead;    ///< tasks from next_fresh on that were launched
    std::set<int> retries;  ///< tasks to launch again
    std::unique_ptr<Places> places;  ///< apart, because the jobs of logs have none
    std::optional<EmuTime> begin;    ///< first time at which its tasks could be requested
    int completed = 0;
    int live = 0;
    bool begun = false;
    bool broken = false;  ///< a task of a gang has ended early
    std::vector<Task> tasks;
  };
  bool is_am(int phase) const { return spec_->phases[phase].kind == PhaseKind::kAm; }
  bool may_ask(int phase) const;
  bool is_executor(int phase) const { return spec_->phases[phase].kind == PhaseKind::kExecutor; }
  void ask_again(int phase, int task);
  /// Makes all tasks of a gang pending again.
  void begin_again(int phase);
  void release(int phase, EmuTime now);
  /// Makes executors and pieces of the first stage prefer the nodes with their input. Executor i
  /// prefers the nodes with the input of piece i. If there are fewer pieces than executors, the
  /// pieces are used again from the first one on.
  void place_executors(int phase);
  /// Returns whether any task that reads the outputs of the phase is incomplete.
  bool needed(int phase) const;
  void redo_lost();
  bool counts(OomCause oom) const { return oom != OomCause::kNode || rules_.node_kills_count; }
  void count_failure(int phase, int task, int limit, const std::string& what,
                     const std::string& cause);

  const Scenario* scenario_;
  JobId id_;
  const JobSpec* spec_;
  Rules rules_;
  JobState state_ = JobState::kWaiting;
  std::string failure_;
  std::vector<Phase> phases_;
  int completed_tasks_ = 0;
  int started_tasks_ = 0;
  EmuTime last_start_;
  std::optional<EmuTime> walltime_from_;
  std::optional<EmuTime> suspended_at_;  ///< of a rigid job, if all its containers are suspended
  bool am_running_ = false;
  bool held_ = false;
  EmuTime now_, eligible_;
  Shuffle shuffle_;
  /// Complete tasks (phase, index) whose output is lost. The output is needed only if a task that
  /// reads it has to run again.
  std::set<std::pair<int, int>> lost_;
  std::unique_ptr<Stages> stages_;
};

}  // namespace heddle
