#pragma once

#include <string>
#include <vector>

#include "bench/fidelity_scenario.h"
#include "bench/results.h"

namespace heddle::bench {

/// Returns the row of a case that has not been measured: `tasks` is 0, and the measures are null.
/// `note` says why the case was not measured.
wire::Json fidelity_row(const FidelityCase& one, const std::string& note = "");

/// Returns the row of a case from the results of its real run in `dir`. `tasks` is the number of
/// errors, and `error` {p50, p99, max} has their percentiles. `lost` is the time that tasks lost
/// because of the host, as a share of the time of all tasks. `foreign_cpu` is the share of the
/// machine that other programs used.
///
/// The error of a task is |measured / ideal - 1| of the task's time, as in `fidelity` of a summary.
/// For contended tasks, the ideal is the time that the task takes on the node of the simulator if
/// all tasks start when they started in the run. For kWeights, there is an error for each pair of a
/// heavy and a light container. It is the error of the ratio of the CPU that they used while all
/// containers were runnable. The ideal ratio is 3.
///
/// If the tasks have steps of memory, `memory` has {request (real bytes), p50, p99 (errors as
/// shares of the request), late_ms {p50, p99}, short}. `late_ms` is the time from a step to its
/// charge, less the time that filling the largest step takes at `fill_rate` bytes per second.
///
/// Throws Failed if a task did not complete.
wire::Json measure_fidelity(const FidelityCase& one, const Scenario& scenario,
                            const std::string& dir, double fill_rate);

/// Returns the results (bench/results.h) of such rows. Adds to each row its aim, whether it is met,
/// and its baseline, the errors without pacing. Adds `trusted_fraction`: the smallest fraction for
/// which it and all larger ones met the aims of uncontended tasks, or null.
wire::Json fidelity_results(std::vector<wire::Json> rows);

/// Formats the results for people, with a sentence that says how far ideal times can be trusted.
std::string format_fidelity_results(const wire::Json& results);

}  // namespace heddle::bench
