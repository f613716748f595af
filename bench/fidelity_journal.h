#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/fidelity_scenario.h"
#include "common/result.h"
#include "core/model/action.h"
#include "core/model/event.h"

namespace heddle::bench {

/// A task of such a run, from its start to its end.
struct FidelityTask {
  ContainerId container;
  Resources held;
  TaskWork work;
  EmuTime started, ended;
};

/// CPU that containers had used by some time.
struct FidelitySample {
  EmuTime at;
  std::vector<ContainerUse> uses;
};

/// What is to be known of a run in which every task completes in its first attempt.
struct FidelityRun {
  std::vector<FidelityTask> tasks;   ///< by container
  std::vector<double> ideal_errors;  ///< of tasks that met no contention (RunFacts::errors)
  double lost = 0;                   ///< forfeited to the host, as a share of the tasks' time
  std::optional<double> foreign_cpu;
  std::vector<FidelitySample> samples;  ///< in the order of time; of one node
};

/// Reads journal.jsonl and samples.jsonl of `dir`. Errors: kAborted, also if a task did not
/// complete, with the reason.
Result<FidelityRun> read_fidelity_run(const Scenario& scenario, const std::string& dir);

/// The error of each task (kWeights: of each pair). Pure.
Result<std::vector<double>> errors_of(const FidelityCase& one, const Scenario& scenario,
                                      const FidelityRun& run);

/// When each task would have ended on the simulator's node 0, had it started when it did. Pure.
std::vector<EmuTime> simulated_ends(const Scenario& scenario,
                                    const std::vector<FidelityTask>& tasks);

}  // namespace heddle::bench
