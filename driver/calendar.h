#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/scenario/external_load.h"
#include "core/scenario/fault_watch.h"

namespace heddle::driver {

/// Lists what depends only on time: the scenario's submissions and external loads and the wakes
/// that the policy has requested, as events, and the scenario's faults. The engine does not get
/// faults: the caller takes them from faults() and applies them. The calendar knows when the next
/// of all is due, and returns each event once. Pure: emulated time is passed in.
class Calendar {
 public:
  /// `scenario` (emulation resolved) must outlive the calendar. `patience`: see FaultWatch.
  explicit Calendar(const Scenario& scenario, real::Duration patience = kWorkerPatience);

  /// Returns the time at which the next event is due. Returns nullopt if there is none.
  std::optional<EmuTime> next_time() const {
    const std::optional<EmuTime> planned = next_planned();
    if (wakes_.empty() || (planned && *planned < *wakes_.begin())) return planned;
    return *wakes_.begin();
  }
  /// Returns the time at which the next event of the scenario is due. Wakes don't count. Returns
  /// nullopt if there is none.
  std::optional<EmuTime> next_planned() const {
    std::optional<EmuTime> next = faults_.next_time();
    const auto or_at = [&](EmuTime at) {
      if (!next || at < *next) next = at;
    };
    if (next_submission_ < submissions_.size()) or_at(submissions_[next_submission_].first);
    if (!eligible_.empty()) or_at(eligible_.begin()->first);
    if (next_load_ < loads_.size()) or_at(loads_[next_load_].at);
    return next;
  }

  /// Adds the submissions that are due, ordered by time and then by job id. Then adds the changes
  /// of external load that are due, ordered by time and then by node id. Each event has the time at
  /// which it was due.
  void take_due(EmuTime now, std::vector<Event>& events);
  /// Adds a NodeLost for each node that was expected back and did not return in time.
  void take_missing(EmuTime now, std::vector<Event>& events);
  /// Adds a single Wake if any wakes are due.
  void take_wakes(EmuTime now, std::vector<Event>& events);

  void wake_at(EmuTime at) { wakes_.insert(at); }
  /// Submits a job whose conditions on other jobs hold (SubmitAt).
  void submit_at(JobId job, EmuTime at) { eligible_.emplace(at, job); }
  bool awaits_wake() const { return !wakes_.empty(); }
  /// Returns the last load of the node that take_due() has added. Returns nullopt if there was
  /// none.
  const std::optional<Resources>& load(NodeId node) const { return loads_now_[node.value]; }

  FaultWatch& faults() { return faults_; }
  const FaultWatch& faults() const { return faults_; }

  /// Notes that a submission, a change of load or a wake happened before the run was resumed. The
  /// calendar does not return it again. Other events are ignored.
  void recover(const Event& event);

 private:
  /// Adds the next submission if it is due. Returns whether it was.
  bool take_submission(EmuTime now, std::vector<Event>& events);

  std::vector<std::pair<EmuTime, JobId>> submissions_;  ///< of jobs without conditions, ascending
  std::size_t next_submission_ = 0;
  std::set<std::pair<EmuTime, JobId>> eligible_;  ///< jobs whose conditions hold
  std::vector<LoadChange> loads_;
  std::size_t next_load_ = 0;
  std::vector<std::optional<Resources>> loads_now_;  ///< by node
  FaultWatch faults_;
  std::set<EmuTime> wakes_;
};

}  // namespace heddle::driver
