#pragma once

#include <string>
#include <vector>

#include "bench/sim_scenario.h"
#include "common/result.h"
#include "wire/fields.h"

namespace heddle::bench {

/// Simulates the load's scenario on this thread and returns the cost: {nodes, tasks, wall_s, cpu_s,
/// steps, step_us, task_us, decision_us: {p50, p99, max}, tasks_per_s, makespan_s, journal_bytes,
/// peak_bytes}. Costs are CPU time of the thread, except wall_s and decision_us. The costs include
/// making and ending the simulation, but not making the scenario. The journal is written and
/// discarded. peak_bytes is the peak resident memory of the process. Error: the simulation did not
/// reach its end, or a job did not complete.
Result<wire::Json> measure_sim(const SimLoad& load);

/// Combines measurements of the same load into one row (bench/results.h). REQUIRES: there is at
/// least one measurement.
wire::Json combined_sim(const std::vector<wire::Json>& rows);

/// Returns the results (bench/results.h) of rows that also have `scheduler` and `dispatch`. Adds
/// `x` to each row: the row's cost per step divided by the cost per step of the row that has the
/// same scheduler and the fewest nodes. Checks each of these aims for which there are rows:
/// - 10 000 nodes with 100 000 tasks take less than 60 s of CPU.
/// - 10 000 nodes with 1 000 000 tasks take less than 2 GB.
/// - 1000 nodes do 300 000 tasks per second of CPU with fifo, and 100 000 with other schedulers.
/// - A step with the most nodes costs at most 3 times as much as a step with the fewest nodes.
wire::Json sim_results(std::vector<wire::Json> rows);

/// Formats the results for people.
std::string format_sim_results(const wire::Json& results);

}  // namespace heddle::bench
