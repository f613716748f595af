#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle::bench {

/// The conditions under which the tasks of a case run.
enum class FidelityKind {
  kAlone,     ///< one task after the other, nothing else runs
  kTogether,  ///< as many tasks as fill 80 % of the machine, in waves
  kCommand,   ///< as many programs at once as kTogether, limited by the kernel's quotas alone
  kCrowded,   ///< twice as many threads as the node has cores
  kWeights,  ///< containers of 1 and 3 cores with four threads each, which want all CPU of the node
  kJoining,  ///< a node whose cores are all in use; as many tasks again join half-way
};
std::string_view name_of(FidelityKind kind);
inline bool is_contended(FidelityKind kind) { return kind >= FidelityKind::kCrowded; }

/// A row of the results: a run of equal tasks.
struct FidelityCase {
  FidelityKind kind = FidelityKind::kAlone;
  double fraction = 0;  ///< share of a CPU that an emulated core is
  double seconds = 0;   ///< real: ideal time of a task; contended: about its duration
  int nodes = 1;
  int cores = 0;  ///< per node; 0: the machine has no room for one
  int waves = 1;
  bool paced = true;
};

struct FidelityPlan {
  std::vector<double> fractions = {0.025, 0.08, 0.25};
  std::vector<double> seconds = {1, 4};
  bool quick = false;  ///< fewer tasks per case, no contention without pacing
};

/// Returns the rows of a plan on a machine with `cpus` usable CPUs. First, each fraction at each
/// duration: alone, together, and as commands. Then contention at a tenth of a CPU and the longest
/// duration, paced and unpaced. The default plan takes about three minutes.
std::vector<FidelityCase> fidelity_cases(const FidelityPlan& plan, double cpus);

/// Returns the scenario of a case that fits on this machine (cores > 0). Emulated seconds are real
/// seconds, and nothing is left `auto`. `burner` is a program that uses the CPU seconds given after
/// --burn.
Scenario fidelity_scenario(const FidelityCase& one, const std::string& burner);

}  // namespace heddle::bench
