#pragma once

#include <vector>

#include "bench/results.h"
#include "bench/scenarios.h"

namespace heddle::bench {

/// Simulates the load's scenario on this thread and returns its row, without `scheduler`,
/// `dispatch` and `journal`. Costs are CPU time of the thread, except wall_s and decision_us. They
/// include making and ending the simulation, but not making the scenario. The journal is written
/// and discarded. Throws Failed if the simulation does not reach its end.
wire::Json measure_sim(const SimLoad& load);

extern const BenchForm kSimForm;

}  // namespace heddle::bench
