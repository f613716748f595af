#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/run_status.h"
#include "core/state/cluster_state.h"
#include "wire/values.h"
#include "workloads/scenario_file.h"

namespace heddle::sim {

/// The result of a simulation.
struct Simulated {
  std::string journal, samples;
  RunStatus status = RunStatus::kAborted;
  std::string reason;

  /// Returns the journal's lines.
  std::vector<wire::Json> records() const;
  /// Returns the journal's lines of a type.
  std::vector<wire::Json> lines(const std::string& type) const;
  /// Returns a field of each line of a type.
  template <class T = double>
  std::vector<T> all(const std::string& type, const char* field) const {
    std::vector<T> values;
    for (const wire::Json& line : lines(type)) values.push_back(line[field].get<T>());
    return values;
  }
};

/// Returns a scenario of the folder scenarios, such as "papers/haste-small", resolved for a
/// simulation. Throws if it has errors.
Scenario shipped(const std::string& name, const Overrides& overrides = {});

/// Runs the scenario to its end. If the simulation takes far more steps than a small scenario
/// needs, stops it. Calls `look` with the state after every step.
Simulated simulate(const Scenario& scenario,
                   const std::function<void(const ClusterState&)>& look = nullptr);

/// Checks that the result is the same with and without Simulation::Options::shortcuts.
void check_shortcuts(const Scenario& scenario);

}  // namespace heddle::sim
