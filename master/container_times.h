#pragma once

#include <map>
#include <optional>

#include "common/ids.h"
#include "common/units.h"

namespace heddle::master {

/// Keeps when the master decided to launch and to suspend containers, and the time of the last
/// event of each. Used to measure how long decisions took to take effect, and as the earliest
/// possible time of the next report.
class ContainerTimes {
 public:
  void launched(ContainerId id, real::Time decided, EmuTime at) {
    launches_[id] = decided;
    newest_[id] = at;
  }
  void suspended(ContainerId id, real::Time decided) { suspensions_[id] = decided; }
  /// Notes that the worker has reported an event at `at`.
  void heard(ContainerId id, EmuTime at);
  void ended(ContainerId id);
  /// Drops the decisions, because a previous master made them.
  void forget_decisions();

  /// Returns the time of a live container's last event, or of its launch.
  std::optional<EmuTime> newest(ContainerId id) const;
  /// Returns when a launch that is not yet confirmed was decided, and drops it.
  std::optional<real::Time> take_launch(ContainerId id) { return take(launches_, id); }
  /// Returns when a suspension that is not yet confirmed was decided.
  std::optional<real::Time> suspension(ContainerId id) const;
  /// Returns the same, and drops it.
  std::optional<real::Time> take_suspension(ContainerId id) { return take(suspensions_, id); }

 private:
  using Decided = std::map<ContainerId, real::Time>;
  static std::optional<real::Time> take(Decided& decided, ContainerId id);

  std::map<ContainerId, EmuTime> newest_;
  Decided launches_, suspensions_;
};

}  // namespace heddle::master
