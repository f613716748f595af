#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::bench {

/// A case: the live workers of one run, each with the same number of containers and one heartbeat
/// per second.
struct BeatCase {
  bool real = false;  ///< heddle-worker and its tasks; else processes that only speak its protocol
  bool tcp = false;   ///< TCP with keys, as between hosts; else ipc
  int workers = 1;
  int containers = 0;
};
/// Returns the title of a case, such as "1000 workers by ipc, 50 containers each".
std::string title_of(const BeatCase& one);

/// Returns the scenario of a case: as many tasks as there are to be containers. The tasks sleep for
/// longer than the measurement takes.
Scenario beat_scenario(const BeatCase& one);

/// The measured values of a case, or of its baseline.
struct BeatsMeasured {
  double seconds = 0;       ///< duration of the measurement
  double server_cpu_s = 0;  ///< of the master, or of the process that answers
  double workers_cpu_s = 0;
  std::int64_t beats = 0;
  std::vector<double> trip_ms;          ///< of answered heartbeats; real workers report none
  std::int64_t sent = 0, received = 0;  ///< bytes of heartbeats and of their answers
};

/// Returns {worker, transport, workers, containers, beats, master_us, master_share, worker_us,
/// worker_share, trip_ms: {p50, p99, max}, sent_bytes, received_bytes, echo: {us, trip_ms}, x}. The
/// `_us` values are CPU time per heartbeat. Shares are of one CPU per 16 nodes. `x` is the master's
/// CPU time per heartbeat over that of the echo. Unknown values are null, and so is `echo` if there
/// is none.
wire::Json beat_row(const BeatCase& one, const BeatsMeasured& measured, const BeatsMeasured* echo);

/// Returns the results (bench/results.h) of such rows. Aims: with 1000 workers or more, p99 of
/// round trips is below 50 ms; from 16 workers on, the master and real workers each use at most 1 %
/// of a CPU per 16 nodes.
wire::Json heartbeat_results(std::vector<wire::Json> rows);
std::string format_heartbeat_results(const wire::Json& results);

}  // namespace heddle::bench
