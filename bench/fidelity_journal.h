#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/fidelity_scenario.h"
#include "core/model/action.h"
#include "core/model/event.h"
#include "wire/fields.h"

namespace heddle::bench {

/// A task of a measured run, from its start to its end.
struct FidelityTask {
  ContainerId container;
  Resources held;
  TaskWork work;
  EmuTime started, ended;
};

/// CPU time that containers had used until `at`.
struct FidelitySample {
  EmuTime at;
  std::vector<ContainerUse> uses;
};

/// Facts about a run in which every task completes in its first attempt.
struct FidelityRun {
  std::vector<FidelityTask> tasks;   ///< by container
  std::vector<double> ideal_errors;  ///< errors of tasks without contention (RunTotals::errors)
  wire::Json memory;  ///< RunTotals::memory: how closely the charge followed the profiles, or null
  double lost = 0;    ///< time lost because of the host, as a share of the tasks' time
  std::optional<double> foreign_cpu;
  std::vector<FidelitySample> samples;  ///< samples of one node, by time
};

/// Reads journal.jsonl and samples.jsonl of `dir`. Throws Failed, also if a task did not complete.
FidelityRun read_fidelity_run(const Scenario& scenario, const std::string& dir);

/// Returns the error of each task. For kWeights, returns the error of each pair of containers.
/// Throws Failed if there are none.
std::vector<double> errors_of(const FidelityCase& one, const Scenario& scenario,
                              const FidelityRun& run);

/// Returns when each task would have ended on node 0 of the simulator if it had started there at
/// its measured start. Pure.
std::vector<EmuTime> simulated_ends(const Scenario& scenario,
                                    const std::vector<FidelityTask>& tasks);

}  // namespace heddle::bench
