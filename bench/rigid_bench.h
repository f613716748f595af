#pragma once

#include <string>

#include "bench/results.h"
#include "core/scenario/scenario.h"

namespace heddle::bench {

/// Simulates a scenario on this thread and returns its row: costs as in measure_sim(), and what
/// bench/plain_schedulers.h needs for the same jobs, if it has the scheduler. `workload` and
/// `scheduler` are only named in the row. Throws Failed if the simulation does not reach its end,
/// or if easy starts a job at another time than the plain scheduler.
wire::Json measure_rigid(const Scenario& scenario, const std::string& workload,
                         const std::string& scheduler);

/// Reads a log as `heddle import` does. The scenario is resolved. Throws Failed.
Scenario log_scenario(const std::string& path);

extern const BenchForm kRigidForm;

}  // namespace heddle::bench
