#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::bench {

/// Returns the scenario of a run with `nodes` small nodes and no containers. Its only job is
/// submitted after a day. The heartbeat interval is chosen so that the heartbeats of all nodes
/// together need a quarter of a CPU.
Scenario start_scenario(int nodes);

/// Real times of two such runs. The first run was interrupted when all workers had registered. The
/// second run was interrupted after half of the time that the workers of the first run took to
/// register.
struct StartMeasured {
  double start_s = 0;     ///< from the command to the last worker's registration
  double memory_mib = 0;  ///< memory of this host that the run added
  double end_s = 0;       ///< from the interrupt to the command's end
  double early_end_s = 0;
};

/// Returns {nodes, start_s, memory_mib, node_mib, end_s, early_end_s}.
wire::Json start_row(int nodes, const StartMeasured& measured);

/// Returns the results (bench/results.h) of such rows. The aim is that an interrupted run ends
/// within 2 s.
wire::Json start_results(std::vector<wire::Json> rows);
std::string format_start_results(const wire::Json& results);

}  // namespace heddle::bench
