#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/run_status.h"
#include "core/state/cluster_state.h"
#include "wire/values.h"

namespace heddle::sim {

/// The result of a simulation.
struct Simulated {
  std::string journal, samples;
  RunStatus status = RunStatus::kAborted;
  std::string reason;

  /// Returns the journal's lines.
  std::vector<wire::Json> records() const;
};

/// Runs the scenario to its end, or until it has taken far more turns than any small scenario does.
/// `look` sees the state after every turn.
Simulated simulate(const Scenario& scenario,
                   const std::function<void(const ClusterState&)>& look = nullptr);

/// Checks that the result is the same with and without Simulation::Options::shortcuts.
void check_shortcuts(const Scenario& scenario);

}  // namespace heddle::sim
