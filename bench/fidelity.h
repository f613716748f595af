#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/results.h"
#include "core/scenario/scenario.h"
#include "report/history.h"

namespace heddle::bench {

/// The conditions under which the tasks of a case run.
enum class FidelityKind {
  kAlone,     ///< one task after the other, nothing else runs
  kTogether,  ///< waves of tasks; each wave fills 80 % of the machine
  /// The same number of programs at once as kTogether has tasks. Only quotas limit their CPU.
  kCommand,
  kCrowded,  ///< twice as many threads as the node has cores
  /// Containers of 1 and of 3 cores, each with four threads that together want all CPU of the node.
  kWeights,
  kJoining,  ///< all cores of a node are in use, and the same number of tasks starts half-way
};
std::string_view name_of(FidelityKind kind);
inline bool is_contended(FidelityKind kind) { return kind >= FidelityKind::kCrowded; }

/// A case, which becomes a row of the results: a run of equal tasks.
struct FidelityCase {
  FidelityKind kind = FidelityKind::kAlone;
  double fraction = 0;  ///< an emulated core is this share of a CPU
  /// Ideal time of a task, in real seconds. If tasks contend, about the duration of a task.
  double seconds = 0;
  int nodes = 1;
  int cores = 0;  ///< cores per node; 0: the machine has no room for one core
  int waves = 1;
  bool paced = true;
  /// Memory that each task requests, real bytes. 0: the least that a task needs, all the time.
  /// Otherwise the use of a task begins with a quarter of it, then steps up to all of it, back to a
  /// quarter, and up to a half.
  std::int64_t memory = 0;
};
/// Returns the name of a case in the results.
std::string name_of(const FidelityCase& one);

struct FidelityPlan {
  std::vector<double> fractions = {0.025, 0.08, 0.25};
  std::vector<double> seconds = {1, 4};
  bool quick = false;  ///< fewer tasks per case, and no contended cases without pacing
};

/// Returns the cases of a plan on a machine with `cpus` usable CPUs:
/// - each fraction with each duration, for tasks alone, tasks together, and commands
/// - each fraction with the longest duration, for tasks with steps of memory, alone and together
/// - contention, with a tenth of a CPU for each core and the longest duration, paced and unpaced
/// The default plan takes about five minutes.
std::vector<FidelityCase> fidelity_cases(const FidelityPlan& plan, double cpus);

/// Returns the scenario of a case that fits on this machine (cores > 0). Emulated seconds are real
/// seconds, and no factor is `auto`. `burner` is a program that uses as many CPU seconds as the
/// number after --burn says.
Scenario fidelity_scenario(const FidelityCase& one, const std::string& burner);

/// A run in which every task completes in its first attempt, and its samples by time.
struct FidelityRun {
  report::RunHistory history;
  std::vector<report::UsageSample> samples;

  const std::vector<report::AttemptRow>& tasks() const { return history.attempts; }
};

/// Reads the results in `dir`. Throws Failed, also if a task did not complete.
FidelityRun read_fidelity_run(const Scenario& scenario, const std::string& dir);

/// Returns the error of each task. For kWeights, returns the error of each pair of containers.
/// Throws Failed if there are none.
std::vector<double> errors_of(const FidelityCase& one, const FidelityRun& run);

/// Returns when each task would have ended on node 0 of the simulator if it had started there at
/// its measured start. Pure.
std::vector<EmuTime> simulated_ends(const Scenario& scenario,
                                    const std::vector<report::AttemptRow>& tasks);

/// Returns the row of a case that has not been measured: `tasks` is 0, and the measures are null.
/// `note` says why the case was not measured.
wire::Json fidelity_row(const FidelityCase& one, const std::string& note = "");

/// Returns the row of a case from the results of its real run in `dir`. `tasks` is the number of
/// errors, and `error` {p50, p99, max} has their percentiles. `lost` is the time that tasks lost
/// because of the host, as a share of the time of all tasks. `foreign_cpu` is the share of the
/// machine that other programs used.
///
/// The error of a task is |measured / ideal - 1| of the task's time, as in `fidelity` of a summary.
/// For contended tasks, the ideal is the time that the task takes on the node of the simulator if
/// all tasks start when they started in the run. For kWeights, there is an error for each pair of a
/// heavy and a light container. It is the error of the ratio of the CPU that they used while all
/// containers were runnable. The ideal ratio is 3.
///
/// If the tasks have steps of memory, `memory` has {request (real bytes), p50, p99 (errors as
/// shares of the request), late_ms {p50, p99}, short}. `late_ms` is the time from a step to its
/// charge, less the time that filling the largest step takes at `fill_rate` bytes per second.
///
/// Throws Failed if a task did not complete.
wire::Json measure_fidelity(const FidelityCase& one, const Scenario& scenario,
                            const std::string& dir, double fill_rate);

/// Returns the results (bench/results.h) of such rows. Adds to each row its aim, whether it is met,
/// and its baseline, the errors without pacing. Adds `trusted_fraction`: the smallest fraction for
/// which it and all larger ones met the aims of uncontended tasks, or null.
wire::Json fidelity_results(std::vector<wire::Json> rows);

/// Formats the results for people, with a sentence that says how far ideal times can be trusted.
std::string format_fidelity_results(const wire::Json& results);

}  // namespace heddle::bench
