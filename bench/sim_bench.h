#pragma once

#include <string>
#include <vector>

#include "bench/sim_scenario.h"
#include "common/result.h"
#include "common/wire/fields.h"

namespace heddle {

/// Simulates the load's scenario and says what that cost, on this thread and its process:
/// {nodes, tasks, wall_s, cpu_s, steps, step_us, task_us, decision_us: {p50, p99, max},
/// tasks_per_s, makespan_s, journal_bytes, peak_bytes}. Costs are CPU time of the thread but for
/// wall_s and decision_us; making and ending the simulation counts, making the scenario does not.
/// The journal is made and thrown away. peak_bytes is what the process ever had resident. Error if
/// the simulation did not come to its end with every job completed.
Result<wire::Json> measure_sim(const SimLoad& load);

/// The row in the middle by cpu_s. REQUIRES: at least one.
wire::Json median_row(std::vector<wire::Json> rows);

/// {bench: "sim", rows, aims: [{aim, value, limit, met}], met} of rows that have a `scheduler` too;
/// to each row is added `x`, its cost a step over that of the same scheduler with fewest nodes.
/// Aims, each where there are rows to tell: 10 000 nodes with 100 000 tasks in under 60 s of CPU;
/// cost a step with the most nodes at most 3 times that with the fewest. `met` is null if there was
/// no aim to be met.
wire::Json sim_results(std::vector<wire::Json> rows);

/// The results for people.
std::string format_sim_results(const wire::Json& results);

}  // namespace heddle
