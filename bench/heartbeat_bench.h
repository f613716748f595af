#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/results.h"
#include "core/scenario/scenario.h"

namespace heddle::bench {

/// A case: the live workers of one run, each with the same number of containers and one heartbeat
/// per second.
struct BeatCase {
  /// True: heddle-worker and its tasks; false: processes that only use the worker's protocol.
  bool real = false;
  bool tcp = false;  ///< true: TCP with keys, as between hosts; false: ipc
  int workers = 1;
  int containers = 0;
};

/// Returns the scenario of a case. It has a task for each container of the case. The tasks sleep
/// for longer than the measurement takes.
Scenario beat_scenario(const BeatCase& one);

/// The measured values of a case, or of its baseline.
struct BeatsMeasured {
  double seconds = 0;  ///< duration of the measurement
  /// CPU time of the master, or of the process that answers in the baseline.
  double server_cpu_s = 0;
  double workers_cpu_s = 0;
  std::int64_t beats = 0;
  /// Round-trip times of answered heartbeats. Real workers do not report them.
  std::vector<double> trip_ms;
  std::int64_t sent = 0, received = 0;  ///< bytes of heartbeats and of their answers
};

/// Returns the row of a case. The `_us` values are CPU time per heartbeat. A share is the CPU use
/// for 16 nodes, as a share of one CPU. `x` is the master's CPU time per heartbeat divided by the
/// echo's CPU time per message. Unknown values are null, as `echo` is without a baseline.
wire::Json beat_row(const BeatCase& one, const BeatsMeasured& measured, const BeatsMeasured* echo);

extern const BenchForm kHeartbeatForm;

}  // namespace heddle::bench
