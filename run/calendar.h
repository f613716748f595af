#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/scenario/external_load.h"
#include "core/scenario/fault_watch.h"

namespace heddle::run {

/// What a run brings about by itself: the scenario's submissions, external loads and faults, and
/// the wakes that the policy asked for. The calendar says when the next of them is due, and gives
/// each once. Pure: emulated time is passed in.
class Calendar {
 public:
  /// `scenario` (emulation resolved) must outlive it.
  explicit Calendar(const Scenario& scenario);

  /// Returns when something is due next; nullopt: never.
  std::optional<EmuTime> next_time() const;
  /// Returns the same of the scenario's part alone, without wakes.
  std::optional<EmuTime> next_planned() const;

  /// Adds the submissions that are due, by time and then by job id, and after them the changes of
  /// external load, by time and then by node id. Each event has the time that it was due.
  void take_due(EmuTime now, std::vector<Event>& events);
  /// Adds the loss of each node that was waited for after a fault and did not come back in time.
  void take_missing(EmuTime now, std::vector<Event>& events);
  /// Adds one Wake if wakes are due, however many they are.
  void take_wakes(EmuTime now, std::vector<Event>& events);

  void wake_at(EmuTime at) { wakes_.insert(at); }
  bool awaits_wake() const { return !wakes_.empty(); }
  /// Returns the load of the node that was taken last; nullopt: none was.
  const std::optional<Resources>& load(NodeId node) const { return loads_now_[node.value]; }

  FaultWatch& faults() { return faults_; }
  const FaultWatch& faults() const { return faults_; }

  /// Takes note that a submission, a change of load or a wake had been given in a former life of
  /// the run. Other events do nothing.
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
