#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::bench {

/// Returns the scenario of a run with `nodes` small nodes and no containers; its only job comes
/// after a day. The heartbeat interval is such that the heartbeats of all nodes need a quarter of a
/// CPU.
Scenario start_scenario(int nodes);

/// Real times of two such runs: one was interrupted when all workers had registered, the other
/// after half of that time.
struct StartMeasured {
  double start_s = 0;     ///< from the command to the last worker's registration
  double memory_mib = 0;  ///< memory of this host that the run added
  double end_s = 0;       ///< from the interrupt to the command's end
  double early_end_s = 0;
};

/// Returns {nodes, start_s, memory_mib, node_mib, end_s, early_end_s}.
wire::Json start_row(int nodes, const StartMeasured& measured);

/// Returns the results (bench/results.h) of such rows. Aim: an interrupted run has ended within 2
/// s.
wire::Json start_results(std::vector<wire::Json> rows);
std::string format_start_results(const wire::Json& results);

}  // namespace heddle::bench
