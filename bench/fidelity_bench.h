#pragma once

#include <string>
#include <vector>

#include "bench/fidelity_scenario.h"
#include "common/result.h"
#include "wire/fields.h"

namespace heddle::bench {

/// Returns the row of a case that has not been measured: {case, paced, fraction, seconds, tasks: 0,
/// error: null, lost: null, foreign_cpu: null, note}. `note` says why the case was not measured.
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
/// Error: a task did not complete.
Result<wire::Json> measure_fidelity(const FidelityCase& one, const Scenario& scenario,
                                    const std::string& dir, double fill_rate);

/// Returns the results (bench/results.h) of such rows, and `trusted_fraction`. Adds to each row
/// `aim` {p50, p99}, `met`, and `baseline` {p50, p99}. The baseline has the errors without pacing
/// in the same measurement. A missing value is null. `met` is null if there is no aim.
/// `trusted_fraction` is the smallest fraction for which all uncontended rows of this fraction and
/// of larger fractions met their aims. It is null if the rows of the largest fraction did not meet
/// their aims.
wire::Json fidelity_results(std::vector<wire::Json> rows);

/// Formats the results for people.
std::string format_fidelity_results(const wire::Json& results);

}  // namespace heddle::bench
