#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle::bench {

/// What tasks are put through.
enum class FidelityKind {
  kAlone,     ///< one after the other, nothing else running
  kTogether,  ///< as many as fill 80 % of the machine, wave after wave
  kCommand,   ///< the same number of programs, held by the kernel's quotas alone
  kCrowded,   ///< twice as many threads as the node has cores
  kWeights,   ///< containers of 1 and 3 cores with four threads each: all that is there is wanted
  kJoining,   ///< a node whose cores are all in use, and as many tasks more half-way
};
std::string_view name_of(FidelityKind kind);
inline bool is_contended(FidelityKind kind) { return kind >= FidelityKind::kCrowded; }

/// One row: a run of equal tasks.
struct FidelityCase {
  FidelityKind kind = FidelityKind::kAlone;
  double fraction = 0;  ///< of a CPU that an emulated core is
  double seconds = 0;   ///< real: a task's ideal time; contended: about what it takes
  int nodes = 1;
  int cores = 0;  ///< of each node; 0: the machine has no room for one
  int waves = 1;
  bool paced = true;
};

struct FidelityPlan {
  std::vector<double> fractions = {0.025, 0.08, 0.25};
  std::vector<double> seconds = {1, 4};
  bool quick = false;  ///< few of each, no contention without pacing
};

/// The rows of a plan on a machine of so many usable CPUs: each fraction's alone, together and as
/// commands, at each of the times; then contention at a tenth of a CPU and the longest of them,
/// paced and not. Some three minutes as it stands.
std::vector<FidelityCase> fidelity_cases(const FidelityPlan& plan, double cpus);

/// The scenario of a case with room on its machine (cores > 0). Emulated seconds are real ones, and
/// nothing is left `auto`. `burner`: program that burns the CPU seconds given after --burn.
Scenario fidelity_scenario(const FidelityCase& one, const std::string& burner);

}  // namespace heddle::bench
