#pragma once

#include <string>
#include <vector>

#include "bench/sim_scenario.h"
#include "common/result.h"
#include "wire/fields.h"

namespace heddle::bench {

/// Simulates the load's scenario and says what that cost, on this thread and its process:
/// {nodes, tasks, wall_s, cpu_s, steps, step_us, task_us, decision_us: {p50, p99, max},
/// tasks_per_s, makespan_s, journal_bytes, peak_bytes}. Costs are CPU time of the thread but for
/// wall_s and decision_us; making and ending the simulation counts, making the scenario does not.
/// The journal is made and thrown away. peak_bytes is what the process ever had resident. Error if
/// the simulation did not come to its end with every job completed.
Result<wire::Json> measure_sim(const SimLoad& load);

/// Measurements of the same load as one row (bench/results.h). REQUIRES: at least one.
wire::Json combined_sim(const std::vector<wire::Json>& rows);

/// Results (bench/results.h) of rows that have `scheduler` and `dispatch` too; to each row is added
/// `x`, its cost a step over that of the same scheduler with fewest nodes. Aims, each where there
/// are rows to tell: 10 000 nodes with 100 000 tasks in under 60 s of CPU, and with 1 000 000 in
/// less than 2 GB; on 1000 nodes 300 000 tasks a second of CPU with fifo, 100 000 with each other;
/// cost a step with the most nodes at most 3 times that with the fewest.
wire::Json sim_results(std::vector<wire::Json> rows);

/// The results for people.
std::string format_sim_results(const wire::Json& results);

}  // namespace heddle::bench
