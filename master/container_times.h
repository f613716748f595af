#pragma once

#include <map>
#include <optional>
#include <vector>

#include "common/ids.h"
#include "common/units.h"
#include "core/model/action.h"

namespace heddle::master {

/// Keeps when the master decided to launch and to suspend each container. These times show how long
/// a decision takes to have its effect. Also keeps the time of each container's last event, because
/// the container's next event can't be earlier.
class ContainerTimes {
 public:
  /// Notes the launches and suspensions among the actions of a step. `at`: the time of the step.
  void decided(const std::vector<Action>& actions, real::Time decided, EmuTime at);
  void launched(ContainerId id, real::Time decided, EmuTime at) {
    launches_[id] = decided;
    newest_[id] = at;
  }
  void suspended(ContainerId id, real::Time decided) { suspensions_[id] = decided; }
  /// Notes that the worker has reported an event at `at`.
  void heard(ContainerId id, EmuTime at);
  void ended(ContainerId id);
  /// Drops the times of all decisions. Called after a recovery, because a previous master made
  /// these decisions.
  void forget_decisions();

  /// Returns the time of a live container's last event. Before the first event, returns the time of
  /// the container's launch.
  std::optional<EmuTime> newest(ContainerId id) const;
  /// Returns when the master decided a launch that the worker has not yet confirmed, and drops this
  /// time.
  std::optional<real::Time> take_launch(ContainerId id) { return take(launches_, id); }
  /// Returns when the master decided a suspension that the worker has not yet confirmed.
  std::optional<real::Time> suspension(ContainerId id) const;
  /// Returns the same time, and drops it.
  std::optional<real::Time> take_suspension(ContainerId id) { return take(suspensions_, id); }

 private:
  using Decided = std::map<ContainerId, real::Time>;
  static std::optional<real::Time> take(Decided& decided, ContainerId id);

  std::map<ContainerId, EmuTime> newest_;
  Decided launches_, suspensions_;
};

}  // namespace heddle::master
