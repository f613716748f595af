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

/// Runs the scenario to its end. If the simulation takes far more steps than a small scenario
/// needs, stops it. Calls `look` with the state after every step.
Simulated simulate(const Scenario& scenario,
                   const std::function<void(const ClusterState&)>& look = nullptr);

/// Checks that the result is the same with and without Simulation::Options::shortcuts.
void check_shortcuts(const Scenario& scenario);

}  // namespace heddle::sim
