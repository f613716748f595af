#pragma once

#include <string>
#include <vector>

#include "cli/batch/batch.h"
#include "cli/batch/plan/batch_plan.h"
#include "common/units.h"

namespace heddle::cli {

/// The number of real runs that are still to be made, and their expected real time.
struct RealPlan {
  int runs = 0;
  real::Duration time{};
};

/// Returns the number of real runs that run_batch() would make, and their expected time. To get
/// that time, simulates each variant once. The expected time of a run is the simulated makespan
/// times the scenario's time_scale, plus 1 s for starting and ending. Runs whose summary is in
/// `options.run.out` are not counted. The errors are those of run_batch().
Result<RealPlan> plan_real_runs(const BatchOptions& options);

/// Returns "60 real runs, about 41 min".
std::string text_of(const RealPlan& plan);

}  // namespace heddle::cli
