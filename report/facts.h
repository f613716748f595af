#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/result.h"
#include "core/model/locality.h"
#include "core/model/release_estimator.h"
#include "core/scenario/scenario.h"
#include "report/efficiency.h"
#include "report/memory_facts.h"
#include "report/prediction.h"
#include "report/tables/rows.h"
#include "wire/record.h"

namespace heddle::report {

/// Facts of one job according to a journal. Times are emulated. The application master is not a
/// task.
struct JobFacts {
  std::optional<EmuTime> start;     ///< when the first task started
  std::optional<EmuTime> last_end;  ///< end of the latest completed task so far
  std::optional<EmuTime> finished;  ///< when the engine declared the job over
  std::string final_state;          ///< "completed", "failed", "killed"; "" while the job is not
                                    ///< over
  std::string reason;               ///< why it failed; "" otherwise
  std::int64_t attempts = 0;        ///< allocated attempts of tasks
  std::int64_t am_attempts = 0;     ///< attempts of the application master
  std::int64_t oom_kills = 0;       ///< including those of the application master
  std::string size;                 ///< "small", "large" … if the policy classifies jobs by size
};

/// An amount of a resource over emulated time: core-seconds and byte-seconds.
struct Amount {
  double core_s = 0;
  double byte_s = 0;
};

/// Collects everything that a summary needs from a journal, from its records one by one in the
/// journal's order. Memory grows only by a few numbers for each attempt, not with the journal.
class RunFacts {
 public:
  /// `scenario` (resolved) must outlive the facts, and so must `rows`. If given, `rows` receives
  /// the contents of the journal.
  explicit RunFacts(const Scenario& scenario, RunRows* rows = nullptr);

  /// Adds a record. Errors (kAborted): a field is missing or out of range, or the scenario or
  /// journal does not know an id.
  Result<void> add(const wire::Json& record);
  /// Ends the journal: adds rows for attempts and reservations that are still alive.
  void finish();

  const std::vector<JobFacts>& jobs() const { return jobs_; }
  /// Returns the amounts allocated up to `until`, including live containers.
  Amount allocated(EmuTime until) const;
  /// Returns for how long reservations were held, up to `until`.
  EmuTime reserved(EmuTime until) const;
  /// Returns for how long containers were suspended, up to `until`.
  EmuTime suspended(EmuTime until) const;

  std::optional<wire::Json> run, end, host;  ///< the records of these types, unchanged
  /// The hosts that played the nodes, according to the latest record, in the summary's form.
  wire::Json hosts = wire::Json::array();
  EmuTime last;  ///< latest time of any record

  // The counts up to `crashed` are of tasks, those from `lost` on of containers of any kind.
  std::int64_t attempts = 0;  ///< allocated attempts, except those that could not be started
  std::int64_t started = 0;   ///< attempts that became a process
  std::int64_t crashed = 0;   ///< attempts that were killed for lack of memory
  std::int64_t lost = 0;
  std::int64_t not_started =
      0;  ///< starts that failed because of the host; not counted as attempts
  std::map<OomCause, std::int64_t> oom_kills;
  Amount used;                  ///< by all attempts that have ended
  std::int64_t unfinished = 0;  ///< attempts of tasks that ended but did not complete …
  Amount wasted;  ///< … and what they had used, as far as their worker lived to report it
  AllocationEfficiency efficiency;  ///< of containers that ended while their worker was alive
  EmuTime host_lost;
  std::int64_t resumed = 0;  ///< how often a master resumed the run …
  double downtime_s = 0;     ///< … and the real time without a master
  std::int64_t suspensions = 0;
  std::int64_t reservations = 0;
  std::int64_t preemptions = 0;  ///< kills that made room for other containers
  /// Launches of tasks, without executors, by locality.
  std::map<Locality, std::int64_t> launches;
  std::vector<double> launch_ms;
  std::vector<double> stop_ms;
  PredictionFacts predictions;
  ForecastError releases;      ///< of a policy that predicts when containers will be released
  std::vector<double> errors;  ///< |duration / ideal - 1| of attempts without contention
  MemoryFacts memory;

 private:
  struct Attempt {
    AttemptRow row;
    bool am = false;
    bool more_than_work = false;  ///< the task also waits, reads or writes (see has_ideal_time)
    bool time_stood = false;      ///< emulated time stood still while there was no master
    EmuTime suspended;            ///< total of the suspensions that are over

    std::optional<EmuTime> suspended_since() const;
  };

  void on(const NodeRegistered& event, EmuTime at);
  void on(const NodeLost& event, EmuTime at);
  void on(const NodeDrained& event, EmuTime at);
  void on(const NodeRestored& event, EmuTime at);
  void on(const ExternalLoad& event, EmuTime at);
  void on(const InputsRead& event, EmuTime at);
  void on(const ContainerStarted& event, EmuTime at);
  void on(const ContainerSuspended& event, EmuTime at);
  void on(const ContainerResumed& event, EmuTime at);
  void on(const ContainerEnded& event, EmuTime at);
  void on(const Launch& action, EmuTime at);
  void on(const Reserve& action, EmuTime at);
  void on(const Unreserve& action, EmuTime at);
  /// Ignores events and actions that a summary does not need.
  template <class Other>
  void on(const Other&, EmuTime) {}
  void resume(Attempt& attempt, EmuTime at);
  void measure(const Attempt& attempt, const ContainerEnded& event, EmuTime at);
  /// Takes launch_ms and stop_ms, which are in the record but not in its event or action.
  void real_times(const wire::Fields& record);
  void give_line(const wire::Json& record, const std::string& type);
  /// Merges the records of a fault's beginning and end into one row.
  void give_fault(const wire::Fields& record);
  void job_finished(const wire::Json& record);
  void run_resumed(const wire::Fields& record);
  void workers(const wire::Fields& record);
  void policy_state(const wire::Fields& record);
  void drop_reservation(NodeId node, EmuTime at);
  template <class Wanted>
  void drop_reservations(EmuTime at, const Wanted& wanted);
  JobFacts& job(JobId id);
  const PhaseSpec& phase(PhaseId id) const;
  void check(NodeId id) const;
  /// Returns the attempt, or nullptr if it has ended, because late reports of containers that were
  /// given up may still arrive.
  Attempt* alive(ContainerId id);
  /// Returns what the attempt held over the span: its memory always, its cores while not suspended.
  static Amount held(const Attempt& attempt, EmuTime from, EmuTime until);

  const Scenario& scenario_;
  RunRows* rows_;
  std::vector<JobFacts> jobs_;
  std::map<ContainerId, Attempt> alive_;
  ContainerId newest_;
  Amount allocated_;  ///< of containers that have ended
  std::map<NodeId, ReservationRow> reserved_now_;
  EmuTime reserved_;
  EmuTime suspended_;
  std::map<PhaseId, int> placed_;  ///< tasks of the phase that hold a container or are complete
};

}  // namespace heddle::report
