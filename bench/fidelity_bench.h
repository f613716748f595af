#pragma once

#include <string>
#include <vector>

#include "bench/fidelity_scenario.h"
#include "common/result.h"
#include "wire/fields.h"

namespace heddle::bench {

/// Returns the row of a case that has not been measured: {case, paced, fraction, seconds, tasks: 0,
/// error: null, lost: null, foreign_cpu: null, note}. `note` says why nothing was measured.
wire::Json fidelity_row(const FidelityCase& one, const std::string& note = "");

/// Returns the row of a case from the results of its real run in `dir`. `tasks` is the number of
/// errors and `error` {p50, p99, max} their percentiles. `lost` is the time forfeited to the host,
/// as a share of the time of all tasks. `foreign_cpu` is the share of the machine that others used.
/// An error is |measured / ideal - 1| of a task's time, as in `fidelity` of a summary. For
/// contended tasks, the ideal is the time on the simulator's node if all tasks start when they did.
/// For kWeights, the error is that of the ratio of CPU, heavy container to light one, while all
/// were runnable; the ideal ratio is 3. Error: a task did not complete.
Result<wire::Json> measure_fidelity(const FidelityCase& one, const Scenario& scenario,
                                    const std::string& dir);

/// Returns the results (bench/results.h) of such rows, with `trusted_fraction`. Adds to each row
/// `aim` {p50, p99}, `met`, and `baseline` {p50, p99}, the errors without pacing in this
/// measurement. A missing value is null; `met` is null if there is no aim. `trusted_fraction` is
/// the smallest fraction such that all uncontended rows at it and above met their aims. It is null
/// if the largest fraction did not.
wire::Json fidelity_results(std::vector<wire::Json> rows);

/// Formats the results for people.
std::string format_fidelity_results(const wire::Json& results);

}  // namespace heddle::bench
