#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::bench {

/// A run of so many small nodes without containers; its only job comes in a day. Heartbeats are
/// as far apart as it takes for all of them to need a quarter of a CPU.
Scenario start_scenario(int nodes);

/// What was measured of two such runs, real time: one that was interrupted once all workers were
/// there, and one that was interrupted half-way to that.
struct StartMeasured {
  double start_s = 0;     ///< from the command to the last worker's registration
  double memory_mib = 0;  ///< of this host, more in use then than before
  double end_s = 0;       ///< from the interrupt to the command's end
  double early_end_s = 0;
};

/// {nodes, start_s, memory_mib, node_mib, end_s, early_end_s}
wire::Json start_row(int nodes, const StartMeasured& measured);

/// Results (bench/results.h) of such rows. Aim: an interrupted run has ended within 2 s.
wire::Json start_results(std::vector<wire::Json> rows);
std::string format_start_results(const wire::Json& results);

}  // namespace heddle::bench
