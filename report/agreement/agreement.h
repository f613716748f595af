#pragma once

#include <string>
#include <vector>

#include "wire/fields.h"

namespace heddle::report {

/// Returns how well the simulation of a scenario predicts its real run, from the two summaries
/// (summary.json): {scenario, policy, status, jobs: [{name, state, waiting_s, completion_s}],
/// mean_waiting_s, mean_completion_s, makespan_s, oom_kills: {container, node, other},
/// mean_peak_memory}. Kills and peak are {predicted, measured}. `policy` is its name
/// (policy_name()). `status` and each `state` are {predicted, measured}. Each time is {predicted,
/// measured, error_s, error}: error_s is `predicted` minus `measured` in emulated seconds, and
/// error is error_s divided by `measured`. A value is null if `predicted` or `measured` is unknown,
/// or if the division would be by 0. REQUIRES: both summaries are of the same scenario.
wire::Json agreement(const wire::Json& predicted, const wire::Json& measured);

/// Adds to an agreement how much the prediction depends on chance: `sensitivity` {simulations
/// (their number), makespan_s, mean_completion_s}. Each of the times is [min, max] of `others`,
/// which are summaries of simulations with the delays of real starts and heartbeats; [null, null]
/// if none has the figure. The range is wide if the result of the run depends on the order of two
/// events that are close to each other.
void add_sensitivity(wire::Json& agreement, const std::vector<wire::Json>& others);

/// Returns the sensitivity as a line after an empty line, or "" if there is none.
std::string format_sensitivity(const wire::Json& agreement);

/// Returns the agreement as text: a line for each job, then the means and the makespan, then memory
/// (also that of add_memory, if it was added). If a job or the whole run ended differently in the
/// simulation, lines about this follow.
std::string format_agreement(const wire::Json& agreement);

}  // namespace heddle::report
