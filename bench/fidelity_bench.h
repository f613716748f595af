#pragma once

#include <string>
#include <vector>

#include "bench/fidelity_scenario.h"
#include "common/result.h"
#include "wire/fields.h"

namespace heddle::bench {

/// What is known of a case before it is measured: {case, paced, fraction, seconds, tasks: 0,
/// error: null, lost: null, foreign_cpu: null, note}. `note` says why nothing was measured.
wire::Json fidelity_row(const FidelityCase& one, const std::string& note = "");

/// The row of a case whose scenario was run for real, from that run's results in `dir`: `tasks`
/// (errors there are), `error` {p50, p99, max}, `lost` (time forfeited to the host, of all tasks'
/// time), `foreign_cpu` (share of the machine used by others). Errors are shares: |measured / ideal
/// - 1| of each task's time, as a summary's `fidelity` has it; contended, against the time that the
/// simulator's node gives it if all start when they did; kWeights: of the CPU that a heavy one got
/// while all were runnable, over what a light one got, against 3. Error if a task did not complete.
Result<wire::Json> measure_fidelity(const FidelityCase& one, const Scenario& scenario,
                                    const std::string& dir);

/// Results (bench/results.h) of such rows, with `trusted_fraction`.
/// To each is added `aim` {p50, p99} or null, and `baseline` {p50, p99}: the same without pacing,
/// of this measurement, or null. `met` is null if there was no aim; `trusted_fraction` is the
/// smallest from which on all that were measured met theirs, uncontended; null if the largest did
/// not.
wire::Json fidelity_results(std::vector<wire::Json> rows);

/// The results for people.
std::string format_fidelity_results(const wire::Json& results);

}  // namespace heddle::bench
