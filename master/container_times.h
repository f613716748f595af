#pragma once

#include <map>
#include <optional>

#include "common/ids.h"
#include "common/units.h"

namespace heddle::master {

/// When the master decided to launch and to suspend containers, and what it last heard of each.
/// Says how long its decisions took, and before what time a report can't be.
class ContainerTimes {
 public:
  void launched(ContainerId id, real::Time decided, EmuTime at) {
    launches_[id] = decided;
    newest_[id] = at;
  }
  void suspended(ContainerId id, real::Time decided) { suspensions_[id] = decided; }
  /// The worker has reported something that happened at `at`.
  void heard(ContainerId id, EmuTime at);
  void ended(ContainerId id);
  /// Drops the decisions, which a former life of the run has made.
  void forget_decisions();

  /// Returns the time of the last event of a container alive, or of its launch.
  std::optional<EmuTime> newest(ContainerId id) const;
  /// Returns the decision of a launch that was not confirmed yet, and drops it.
  std::optional<real::Time> take_launch(ContainerId id) { return take(launches_, id); }
  /// Returns the decision of a suspension that was not confirmed yet.
  std::optional<real::Time> suspension(ContainerId id) const;
  /// Does the same, and drops it.
  std::optional<real::Time> take_suspension(ContainerId id) { return take(suspensions_, id); }

 private:
  using Decided = std::map<ContainerId, real::Time>;
  static std::optional<real::Time> take(Decided& decided, ContainerId id);

  std::map<ContainerId, EmuTime> newest_;
  Decided launches_, suspensions_;
};

}  // namespace heddle::master
