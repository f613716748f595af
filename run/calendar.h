#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/scenario/external_load.h"
#include "core/scenario/fault_watch.h"

namespace heddle::run {

/// The events that a run causes by itself: the scenario's submissions, external loads and faults,
/// and the wakes that the policy asked for. The calendar knows when the next of them is due, and
/// returns each once. Pure: emulated time is passed in.
class Calendar {
 public:
  /// `scenario` (emulation resolved) must outlive the calendar.
  explicit Calendar(const Scenario& scenario);

  /// Returns when something is due next; nullopt: never.
  std::optional<EmuTime> next_time() const;
  /// Returns when the scenario's next entry is due, without wakes; nullopt: never.
  std::optional<EmuTime> next_planned() const;

  /// Adds the submissions that are due, by time and then by job id, followed by the changes of
  /// external load, by time and then by node id. The time of each event is the time at which it was
  /// due.
  void take_due(EmuTime now, std::vector<Event>& events);
  /// Adds the loss of each node that was expected back after a fault and did not return in time.
  void take_missing(EmuTime now, std::vector<Event>& events);
  /// Adds a single Wake if any wakes are due.
  void take_wakes(EmuTime now, std::vector<Event>& events);

  void wake_at(EmuTime at) { wakes_.insert(at); }
  bool awaits_wake() const { return !wakes_.empty(); }
  /// Returns the load that was taken last for the node; nullopt: none was.
  const std::optional<Resources>& load(NodeId node) const { return loads_now_[node.value]; }

  FaultWatch& faults() { return faults_; }
  const FaultWatch& faults() const { return faults_; }

  /// Notes that a submission, a change of load or a wake was already given before the run was
  /// resumed. Other events do nothing.
  void recover(const Event& event);

 private:
  std::vector<std::pair<EmuTime, JobId>> submissions_;  ///< ascending
  std::size_t next_submission_ = 0;
  std::vector<LoadChange> loads_;
  std::size_t next_load_ = 0;
  std::vector<std::optional<Resources>> loads_now_;  ///< by node
  FaultWatch faults_;
  std::set<EmuTime> wakes_;
};

}  // namespace heddle::run
