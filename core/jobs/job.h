#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/ids.h"
#include "core/jobs/places.h"
#include "core/jobs/shuffle.h"
#include "core/jobs/stages.h"
#include "core/model/event.h"
#include "core/scenario/scenario.h"

namespace heddle {

enum class JobState { kWaiting, kPending, kRunning, kCompleted, kFailed, kKilled };

/// One job as a state machine: which of its tasks may be asked for, which run, which are done.
/// Waiting (not submitted) -> Pending -> Running (first task started) -> Completed | Failed.
/// Keeps no resources. A task that failed or was OomKilled is asked for again up
/// to max_attempts times in all; one that was Lost or Killed always is, and does not count.
///
/// A job with an application master asks for that first, and for tasks only while it runs. Should
/// it end before the job does, it is asked for again under the same rules (max_am_attempts), and
/// the job's unfinished tasks start again.
///
/// What maps have handed over is in shuffle(); a map whose output is lost while reduces may need it
/// has to run again. A Spark job's driver is stages(): its executors may be asked for and end while
/// it goes on.
class Job {
 public:
  /// `early_start`: share of its maps that must be complete before reduces may be asked for.
  /// `executors_prefer`: its executors go where the input blocks of its first stage are.
  /// The scenario must outlive it.
  Job(const Scenario& scenario, JobId id, double early_start, bool executors_prefer = false);

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
  /// YARN's slow start of reduces.
  struct EarlyStart {
    int completed = 0, needed = 0, maps = 0;
    bool reached() const { return completed >= needed; }
  };
  /// How far the maps before the phase are for that; nullopt: it never starts before its inputs
  /// are complete, or not as things are.
  std::optional<EarlyStart> early_start(int phase) const;
  /// Phases that have to be complete before this one, and before those, and are not.
  std::set<int> incomplete_before(int phase) const;
  /// True if some task of the phase was ever handed out (a gang then is no gang any more: what
  /// fails is retried alone).
  bool begun(int phase) const { return phases_[phase].begun; }
  /// Tasks of the phase that hold a container now.
  int live(int phase) const { return phases_[phase].live; }
  int completed(int phase) const { return phases_[phase].completed; }
  /// All tasks of the phase are.
  bool complete(int phase) const;
  /// Attempts of a task handed out so far, but for those that could not be started.
  int attempts(int phase, int task) const { return phases_[phase].tasks[task].attempts; }
  int completed_tasks() const { return completed_tasks_; }
  bool am_running() const { return am_running_; }

  /// Its tasks go where their data is: each has a block of its own, or all prefer the same nodes.
  bool has_places(int phase) const {
    return phases_[phase].places || !spec_->phases[phase].prefer.empty();
  }
  /// The task that goes to `node` next: where each has its own data the nearest, else the smallest
  /// index, retries before fresh ones. `without` counts as handed out. REQUIRES: one is left.
  NextTask next_task(int phase, NodeId node, const std::set<int>& without = {}) const;
  /// Nodes that have the data of the task that goes next wherever it may; empty: any is as good.
  const std::vector<NodeId>& next_data(int phase, const std::set<int>& without = {}) const;

  /// How many of the tasks that may be asked for now have their data on the node, at most `most`;
  /// as many as there is of those that prefer it. `without` as above.
  int local_tasks(int phase, NodeId node, const std::set<int>& without, int most) const;

  void submit();
  /// Hands a pending task out; returns its attempt, from 1.
  int take(int phase, int task);
  /// Takes note of the time: tasks of phases with a start_spread come to be asked for. REQUIRES:
  /// submitted.
  void on_time(EmuTime now);
  /// When on_time() next changes what is asked for; nullopt: never.
  std::optional<EmuTime> next_time() const;
  /// Not to ask for anything while another job of its kind is active (deploy: yarn-client).
  void hold(bool held) { held_ = held; }
  bool held() const { return held_; }
  void started(int phase);
  /// An attempt is over. `cause` is a sentence for the job's failure, should this be its end.
  void ended(int phase, int task, Outcome outcome, const std::string& cause);
  /// A node was lost, and what lay there with it: tasks whose output is needed run again.
  void node_lost(NodeId node);
  /// An object can't be read any more.
  void output_lost(std::uint64_t object);
  /// Ends the job in failure, unless it is finished.
  void fail(const std::string& cause);

  Shuffle& shuffle() { return shuffle_; }
  const Shuffle& shuffle() const { return shuffle_; }
  /// nullptr: it is no Spark job.
  Stages* stages() { return stages_ ? &*stages_ : nullptr; }
  const Stages* stages() const { return stages_ ? &*stages_ : nullptr; }

 private:
  struct Task {
    int attempts = 0;
    int failures = 0;
  };
  struct Phase {
    int released = 0;       ///< tasks before this one may be asked for
    int next_fresh = 0;     ///< tasks from here on were never handed out, but for …
    std::set<int> ahead;    ///< … these
    std::set<int> retries;  ///< to be handed out again
    std::optional<Places> places;
    std::optional<EmuTime> begin;  ///< when its tasks could first be asked for
    int completed = 0;
    int live = 0;
    bool begun = false;
    std::vector<Task> tasks;
  };
  bool is_am(int phase) const { return spec_->phases[phase].kind == PhaseKind::kAm; }
  bool may_ask(int phase) const;
  bool is_executor(int phase) const { return spec_->phases[phase].kind == PhaseKind::kExecutor; }
  void ask_again(int phase, int task);
  void release(int phase, EmuTime now);
  /// Executors and tasks of the first stage prefer the nodes with its input: executor i those that
  /// have what piece i of the stage reads, in turn.
  void place_executors(int phase);
  /// Some task that reads what the phase hands over is not complete.
  bool needed(int phase) const;
  void redo_lost();
  void count_failure(int phase, int task, int limit, const std::string& what,
                     const std::string& cause);

  const Scenario* scenario_;
  JobId id_;
  const JobSpec* spec_;
  double early_start_;
  bool executors_prefer_;
  JobState state_ = JobState::kWaiting;
  std::string failure_;
  std::vector<Phase> phases_;
  int completed_tasks_ = 0;
  bool am_running_ = false;
  bool held_ = false;
  EmuTime now_;
  Shuffle shuffle_;
  /// Tasks (phase, index) that are complete, but what they handed over is lost. Nobody needs it, as
  /// long as no task that has read it runs again.
  std::set<std::pair<int, int>> lost_;
  std::optional<Stages> stages_;
};

}  // namespace heddle
