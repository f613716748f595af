#pragma once

#include <string>
#include <vector>

#include "wire/fields.h"

namespace heddle::report {

/// How well the simulation of a scenario foretells its real run, from the two summaries
/// (summary.json): {scenario, policy, status, jobs: [{name, state, waiting_s, completion_s}],
/// mean_waiting_s, mean_completion_s, makespan_s}. `policy` is the preset; status and state are
/// {predicted, measured}; each time is {predicted, measured, error_s, error}, error_s being
/// predicted - measured in emulated seconds and error the same as a share of measured; null where a
/// side is not known, or nothing to take a share of.
/// REQUIRES: both of the same scenario.
wire::Json agreement(const wire::Json& predicted, const wire::Json& measured);

/// Adds to an agreement how much of it is chance: `sensitivity` {makespan_s, mean_completion_s},
/// each [least, most] over the prediction and `others`, simulations that differ from it by
/// milliseconds. Where a run is decided by which of two things came first, this range is wide.
void add_sensitivity(wire::Json& agreement, const std::vector<wire::Json>& others);

/// For people: a line a job, then the means and the makespan, then what ended differently.
std::string format_agreement(const wire::Json& agreement);

}  // namespace heddle::report
