#pragma once

#include <string>
#include <vector>

#include "cli/batch.h"
#include "cli/batch_plan.h"

namespace heddle {

/// Real runs that are still to be made, and the real time that they are expected to take.
struct RealPlan {
  int runs = 0;
  double seconds = 0;
};

/// What run_batch() would run for real: each variant is simulated once, its makespan times the
/// scenario's time_scale is the length of its runs, and starting and ending one takes 3 s more.
/// Runs whose summary is in `options.run.out` are not counted. Errors as run_batch() has them.
Result<RealPlan> plan_real_runs(const BatchOptions& options, const std::vector<Variant>& variants);

/// "60 real runs, about 41 minutes"
std::string text_of(const RealPlan& plan);

}  // namespace heddle
