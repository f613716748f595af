#pragma once

#include <string>
#include <vector>

#include "wire/fields.h"

namespace heddle::report {

/// Returns how well the simulation of a scenario predicts its real run, from the two summaries
/// (summary.json): {scenario, policy, status, jobs: [{name, state, waiting_s, completion_s}],
/// mean_waiting_s, mean_completion_s, makespan_s}. `policy` is the preset; status and state are
/// {predicted, measured}. Each time is {predicted, measured, error_s, error}: error_s is predicted
/// minus measured in emulated seconds, and error is error_s divided by measured. A value is null if
/// a side is unknown or there is nothing to divide by. REQUIRES: both summaries are of the same
/// scenario.
wire::Json agreement(const wire::Json& predicted, const wire::Json& measured);

/// Adds to an agreement how much of it is chance: `sensitivity` {makespan_s, mean_completion_s},
/// each [min, max] over the prediction and `others`, which are simulations that differ from it by
/// milliseconds. The range is wide if the order of two close events decides the run.
void add_sensitivity(wire::Json& agreement, const std::vector<wire::Json>& others);

/// Returns the agreement as text: a line for each job, then the means and the makespan, then what
/// ended differently.
std::string format_agreement(const wire::Json& agreement);

}  // namespace heddle::report
