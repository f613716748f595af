#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/run_status.h"
#include "core/state/cluster_state.h"
#include "wire/values.h"

namespace heddle::sim {

/// What came of a simulation.
struct Simulated {
  std::string journal, samples;
  RunStatus status = RunStatus::kAborted;
  std::string reason;

  /// The journal's lines.
  std::vector<wire::Json> records() const;
};

/// Runs the scenario to its end, or until it has taken far more turns than any small one does.
/// `look` sees the state after every turn.
Simulated simulate(const Scenario& scenario,
                   const std::function<void(const ClusterState&)>& look = nullptr);

/// With and without Simulation::Options::shortcuts the same comes of it.
void check_shortcuts(const Scenario& scenario);

}  // namespace heddle::sim
