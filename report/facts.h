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
#include "report/prediction.h"
#include "report/tables/rows.h"
#include "wire/record.h"

namespace heddle::report {

/// What a journal says of one job; its application master is no task. Points in emulated time.
struct JobFacts {
  std::optional<EmuTime> start;     ///< of its first task
  std::optional<EmuTime> last_end;  ///< of its last completed task so far
  std::optional<EmuTime> finished;  ///< when the engine declared it over
  std::string final_state;          ///< "completed", "failed", "killed"; "" while it is not over
  std::string reason;               ///< why it failed; "" otherwise
  std::int64_t attempts = 0;        ///< handed out
  std::int64_t am_attempts = 0;     ///< its application master's
  std::int64_t oom_kills = 0;       ///< application master included
  std::string size;                 ///< "small", "large" … if the policy tells jobs apart so
};

/// Resource-time: core-seconds and byte-seconds, emulated.
struct Amount {
  double core_s = 0;
  double byte_s = 0;
};

/// Everything a summary needs of a journal, folded from its records one by one, in the journal's
/// order. Memory grows with the number of attempts by a few numbers each, not with the journal.
class RunFacts {
 public:
  /// `scenario` (resolved) must outlive the facts; so must `rows`, which take what the journal
  /// consists of, if anybody wants it.
  explicit RunFacts(const Scenario& scenario, RunRows* rows = nullptr);

  /// Errors (kAborted): a field missing or out of range, an id the scenario or journal doesn't
  /// know.
  Result<void> add(const wire::Json& record);
  /// There are no more records: gives away the rows of what lives on.
  void finish();

  const std::vector<JobFacts>& jobs() const { return jobs_; }
  /// Amounts handed out up to `until`, containers alive included.
  Amount allocated(EmuTime until) const;
  /// Time that reservations were held, up to `until`.
  EmuTime reserved(EmuTime until) const;
  /// Time that containers were suspended, up to `until`.
  EmuTime suspended(EmuTime until) const;

  std::optional<wire::Json> run, end, host;  ///< the records of these types, as they stand
  /// Who played the nodes at last, as the summary has it.
  wire::Json hosts = wire::Json::array();
  EmuTime last;  ///< latest time of any record

  // Of tasks; of containers of any kind from `lost` on.
  std::int64_t attempts = 0;  ///< handed out, but for those that could not be started
  std::int64_t started = 0;   ///< of these, that became a process
  std::int64_t crashed = 0;   ///< of these, that died for lack of memory
  std::int64_t lost = 0;
  std::int64_t not_started = 0;  ///< for want of their machine; no attempts
  std::map<OomCause, std::int64_t> oom_kills;
  Amount used;                  ///< by all attempts that have ended
  std::int64_t unfinished = 0;  ///< attempts of tasks that ended, but not by completing …
  Amount wasted;  ///< … and what these had used, as far as their worker lived to say
  AllocationEfficiency efficiency;  ///< of those that ended with their worker alive
  EmuTime host_lost;
  std::int64_t resumed = 0;  ///< times that a master took the run up again …
  double downtime_s = 0;     ///< … and the real time that there was none
  std::int64_t suspensions = 0;
  std::int64_t reservations = 0;
  std::int64_t preemptions = 0;  ///< kills that made room for others
  /// Of tasks, not of executors: by how near to where they prefer to be.
  std::map<Locality, std::int64_t> launches;
  std::vector<double> launch_ms;
  std::vector<double> stop_ms;
  PredictionFacts predictions;
  ForecastError releases;      ///< of a policy that expects containers to be released
  std::vector<double> errors;  ///< |duration / ideal - 1|, attempts that met no contention

 private:
  struct Attempt {
    AttemptRow row;
    bool am = false;
    bool more_than_work = false;  ///< it waits, reads or writes too (see has_ideal_time)
    bool time_stood = false;      ///< there was no master for a while, and no time
    EmuTime suspended;            ///< suspensions that are over

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
  /// What a summary doesn't need.
  template <class Other>
  void on(const Other&, EmuTime) {}
  void resume(Attempt& attempt, EmuTime at);
  void measure(const Attempt& attempt, const ContainerEnded& event, EmuTime at);
  /// What of a record its event or action does not have.
  void real_times(const wire::Fields& record);
  void give_line(const wire::Json& record, const std::string& type);
  /// What begins and ends by records of its own becomes one row.
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
  /// The attempt, or nullptr if it has ended (late words of containers that were given up).
  Attempt* alive(ContainerId id);
  /// What the attempt held over the span: its memory always, its cores while not suspended.
  static Amount held(const Attempt& attempt, EmuTime from, EmuTime until);

  const Scenario& scenario_;
  RunRows* rows_;
  std::vector<JobFacts> jobs_;
  std::map<ContainerId, Attempt> alive_;
  ContainerId newest_;
  Amount allocated_;  ///< of containers that are gone
  std::map<NodeId, ReservationRow> reserved_now_;
  EmuTime reserved_;
  EmuTime suspended_;
  std::map<PhaseId, int> placed_;  ///< its tasks that hold a container or are complete
};

}  // namespace heddle::report
