#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/result.h"
#include "core/engine.h"
#include "core/model/locality.h"
#include "core/model/release_estimator.h"
#include "core/scenario/scenario.h"
#include "report/efficiency.h"
#include "report/fragmentation_totals.h"
#include "report/job_outcome.h"
#include "report/memory_errors.h"
#include "report/prediction.h"
#include "report/reservation_totals.h"
#include "report/run_rows.h"
#include "report/task_times.h"
#include "wire/record.h"

namespace heddle::report {

/// An amount of each resource over emulated time: core-seconds, byte-seconds, and for each of the
/// resources that the cluster counts its number times seconds.
struct Amount {
  double core_s = 0;
  double byte_s = 0;
  std::vector<double> counted_s = {};  ///< empty: zeros
};

/// Adds up everything that a summary needs from a journal. The records are added one by one, in
/// the journal's order. For each attempt, this object keeps only a few numbers. It does not keep
/// the journal.
class RunTotals {
 public:
  /// `scenario` (resolved) and `rows` must outlive the object. If `rows` is not null, it receives
  /// the contents of the journal. `counted`: steps are those of the scenario's counted form
  /// (sim/counted_form.h), where a container stands for all tasks of its phase. REQUIRES with
  /// `counted`: no rows.
  explicit RunTotals(const Scenario& scenario, RunRows* rows = nullptr, bool counted = false);

  /// Adds a record. Errors (kAborted): a field is missing or out of range, or the scenario or
  /// journal does not know an id.
  Result<void> add(const wire::Json& record);
  /// Adds a step that was just made, with the same effect as the records of the step. REQUIRES:
  /// the rows, if any, keep no decisions.
  Result<void> add_step(EmuTime now, std::span<const Event> events, const Step& step);
  /// Ends the journal: adds rows for attempts and reservations that are still alive.
  void finish();

  const std::vector<JobOutcome>& jobs() const { return jobs_; }
  /// Returns the amounts that were allocated up to `until`. This includes containers that still
  /// live.
  Amount allocated(EmuTime until) const;
  /// Returns for how long containers were suspended, up to `until`.
  EmuTime suspended(EmuTime until) const;

  /// The records of these types; `run` without its jobs and nodes.
  std::optional<wire::Json> run, end, host;
  /// The hosts that emulated the nodes, according to the latest record, in the form of the summary.
  wire::Json hosts = wire::Json::array();
  EmuTime last;  ///< latest time of any record

  // The counts up to `crashed` count attempts of tasks. The counts from `lost` on count containers
  // of any kind.
  /// Attempts with a container, except attempts that could not be started.
  std::int64_t attempts = 0;
  std::int64_t started = 0;  ///< attempts that became a process
  std::int64_t crashed = 0;  ///< attempts that were killed for lack of memory
  std::int64_t lost = 0;
  wire::Json lost_nodes = wire::Json::array();  ///< in the form of the summary
  std::int64_t not_started =
      0;  ///< starts that failed because of the host; they do not count as attempts
  std::map<OomCause, std::int64_t> oom_kills;
  Amount used;                  ///< amounts that all ended attempts used, except lost ones
  std::int64_t failed = 0;      ///< attempts of tasks that ended with an error
  std::int64_t unfinished = 0;  ///< attempts of tasks that ended without completing
  std::int64_t unmeasured = 0;  ///< those whose worker did not live to report what they used
  Amount wasted;                ///< what these attempts used, if their worker lived to report it
  Amount wasted_held;           ///< what these attempts held
  /// Efficiency of containers that ended while their worker was alive.
  AllocationEfficiency efficiency;
  EmuTime host_lost;
  std::int64_t resumed = 0;  ///< how often a master resumed the run
  double downtime_s = 0;     ///< total real time without a master
  std::int64_t suspensions = 0;
  ReservationTotals reservations;
  FragmentationTotals fragmentation;
  /// Containers that were killed to make room for other containers.
  std::int64_t preemptions = 0;
  std::int64_t walltime_kills = 0;  ///< jobs that were killed because their walltime was over
  /// Number of launches of tasks for each locality. Executors do not count.
  std::map<Locality, std::int64_t> launches;
  /// The launches of tasks, and of executors, by the framework of their job.
  std::map<Framework, std::map<Locality, std::int64_t>> framework_launches;
  /// Completed attempts of tasks of one kind of phase.
  struct Completed {
    std::int64_t count = 0;
    EmuTime took;      ///< total time from start to end, suspensions included
    EmuTime last_end;  ///< when the last one ended
  };
  std::map<PhaseKind, Completed> completed;
  std::vector<double> launch_ms;
  std::vector<double> stop_ms;
  PredictionErrors predictions;
  /// Options whose rules an external policy did not follow in its own launches, ascending.
  std::set<std::string> own_rules;
  ForecastError releases;      ///< errors of a policy that predicts when containers end
  std::vector<double> errors;  ///< |duration / ideal - 1| of attempts without contention
  MemoryErrors memory;
  TaskTimes times;  ///< of tasks that also wait, read or write
  /// Returns `fidelity.transfers` of the summary. Null if the times of some transfers are not
  /// known.
  wire::Json transfers_json() const;

 private:
  struct Attempt {
    AttemptRow row;
    int count = 1;  ///< attempts for which this one stands
    bool am = false;
    /// The task also waits, reads or writes, so it has no ideal time (see has_ideal_time).
    bool more_than_work = false;
    /// Emulated time stood still during the attempt, because there was no master.
    bool time_stood = false;
    EmuTime suspended;  ///< total length of the suspensions that have ended

    std::optional<EmuTime> suspended_since() const;
  };

  void on(const JobSubmitted& event, EmuTime at) { job(event.job).eligible = at; }
  void on(const Submit& action, EmuTime at) { job(action.job).eligible = at; }
  void on(const NodeRegistered& event, EmuTime at);
  void on(const NodeLost& event, EmuTime at);
  void on(const NodeDrained& event, EmuTime at);
  void on(const NodeRestored& event, EmuTime at);
  void on(const ExternalLoad& event, EmuTime at);
  void on(const InputsRead& event, EmuTime at);
  void on(const ContainerStarted& event, EmuTime at);
  void on(const ContainerSuspended& event, EmuTime at);
  void on(const ContainerResumed& event, EmuTime at);
  void on(const Launch& action, EmuTime at);
  void on(const InputsReady& action, EmuTime at);
  void on(const Reserve& action, EmuTime at);
  void on(const Unreserve& action, EmuTime at);
  /// Ignores events and actions that a summary does not need.
  template <class Other>
  void on(const Other&, EmuTime) {}
  /// Takes in an event. `kept`: it is the end of a container, and its job keeps what it held.
  void take(const Event& event, bool kept);
  void end_attempt(const ContainerEnded& event, EmuTime at, bool kept);
  /// Takes in that a task (not a master) completed.
  void complete_task(const Attempt& attempt, JobOutcome& outcome, EmuTime at);
  /// Takes in that kept resources of these containers became free.
  void release(const PlacesReleased& released);
  /// Adds the row of an attempt whose resources are free.
  void vacate(Attempt attempt, EmuTime at);
  void take(const Action& action, EmuTime at);
  void resume(Attempt& attempt, EmuTime at);
  void measure(const Attempt& attempt, const ContainerEnded& event, EmuTime at);
  void measure_times(const Attempt& attempt, const ContainerEnded& event);
  /// Adds launch_ms and stop_ms, which are in the record but not in its event or action.
  void real_times(const wire::Fields& record);
  void give_line(const wire::Json& record, const std::string& type);
  /// Returns the number of a record's fault.
  std::size_t fault_of(const wire::Fields& record) const;
  /// Adds the beginning or the end of a fault to the fault's row.
  void give_fault(const wire::Fields& record);
  void job_finished(const wire::Fields& record);
  void finish_job(JobId id, std::string_view state, const std::string& reason, EmuTime at);
  void run_resumed(const wire::Fields& record);
  void workers(const wire::Fields& record);
  void policy_state(const wire::Fields& record);
  JobOutcome& job(JobId id);
  const PhaseSpec& phase(PhaseId id) const;
  void check(NodeId id) const;
  /// Returns the attempt, or nullptr if the attempt has ended. After the master has given up a
  /// container, late reports of the container can still arrive.
  Attempt* alive(ContainerId id);
  /// Returns how many containers an action of the policy kills.
  std::int64_t killed_by(const Action& action);
  /// Returns all attempts that are alive, by container.
  std::vector<const Attempt*> all_alive() const;
  /// Returns what the attempt held from `from` to `until`: its memory for the whole time, and its
  /// cores for the time in which it was not suspended.
  static Amount held(const Attempt& attempt, EmuTime from, EmuTime until);

  const Scenario& scenario_;
  std::map<NodeId, std::size_t> away_;  ///< lost nodes that are not back; index into lost_nodes
  RunRows* rows_;
  bool counted_;
  std::vector<JobOutcome> jobs_;
  std::unordered_map<ContainerId, Attempt> alive_;
  std::map<ContainerId, Attempt> kept_;  ///< ended attempts whose resources are not free yet
  ContainerId newest_;
  Amount allocated_;  ///< amounts of containers whose resources are free again
  EmuTime suspended_;
  /// Number of tasks of the phase that hold a container or are complete.
  std::map<PhaseId, int> placed_;
};

}  // namespace heddle::report
