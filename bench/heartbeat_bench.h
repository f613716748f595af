#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::bench {

/// Workers of one run, all of them alive and with so many containers each, a heartbeat a second.
struct BeatCase {
  bool real = false;  ///< heddle-worker and its tasks; else processes that only speak like it
  bool tcp = false;   ///< with keys, as over several hosts; else by ipc
  int workers = 1;
  int containers = 0;
};
/// "1000 workers, 50 containers each"
std::string title_of(const BeatCase& one);

/// What is run for a case: tasks that sleep for longer than it is measured, as many as there are to
/// be containers.
Scenario beat_scenario(const BeatCase& one);

/// What was measured of a case, or of its baseline.
struct BeatsMeasured {
  double seconds = 0;       ///< for which it was
  double server_cpu_s = 0;  ///< of the master, or of who answers
  double workers_cpu_s = 0;
  std::int64_t beats = 0;
  std::vector<double> trip_ms;          ///< of those that were answered; real workers tell none
  std::int64_t sent = 0, received = 0;  ///< bytes of heartbeats and of their answers
};

/// {worker, transport, workers, containers, beats, master_us, master_share, worker_us,
/// worker_share, trip_ms: {p50, p99, max}, sent_bytes, received_bytes, echo: {us, trip_ms}, x}: CPU
/// time a heartbeat; shares of one CPU per 16 nodes; x: of the master's CPU time over that of the
/// echo. What is not known is null. `echo` is null if there is none.
wire::Json beat_row(const BeatCase& one, const BeatsMeasured& measured, const BeatsMeasured* echo);

/// Results (bench/results.h) of such rows. Aims: p99 of round trips with 1000 workers or more below
/// 50 ms; from 16 workers on, 1 % of a CPU per 16 nodes, for the master and for real workers.
wire::Json heartbeat_results(std::vector<wire::Json> rows);
std::string format_heartbeat_results(const wire::Json& results);

}  // namespace heddle::bench
