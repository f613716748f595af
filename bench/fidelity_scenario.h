#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/scenario/scenario.h"

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

}  // namespace heddle::bench
