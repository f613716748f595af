#pragma once

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
};

struct FidelityPlan {
  std::vector<double> fractions = {0.025, 0.08, 0.25};
  std::vector<double> seconds = {1, 4};
  bool quick = false;  ///< fewer tasks per case, and no contended cases without pacing
};

/// Returns the cases of a plan on a machine with `cpus` usable CPUs. The first cases have each
/// fraction with each duration, for tasks alone, tasks together, and commands. The other cases have
/// contention, with a tenth of a CPU for each core and the longest duration, paced and unpaced. The
/// default plan takes about three minutes.
std::vector<FidelityCase> fidelity_cases(const FidelityPlan& plan, double cpus);

/// Returns the scenario of a case that fits on this machine (cores > 0). Emulated seconds are real
/// seconds, and no factor is `auto`. `burner` is a program that uses as many CPU seconds as the
/// number after --burn says.
Scenario fidelity_scenario(const FidelityCase& one, const std::string& burner);

}  // namespace heddle::bench
