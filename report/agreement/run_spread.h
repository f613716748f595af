#pragma once

#include <string>
#include <vector>

#include "wire/fields.h"

namespace heddle::report {

/// Compares several real runs of a scenario with each other and with their simulation. `agreements`
/// has an agreement (report/agreement/agreement.h) for each run, all with the same simulation.
/// Returns {scenario, policy, runs: agreements, mean_waiting_s, mean_completion_s, makespan_s}.
/// Each time is {predicted, measured: {median, min, max}, error, spread, cause}: `error` is
/// `predicted` minus the median, and `spread` is max minus min, both divided by the median. `cause`
/// says what explains the error: "chance" if its absolute value is at most the spread, else
/// "model". A value is null if it is not known, for example because a run did not complete its
/// jobs. REQUIRES: there are at least two runs.
wire::Json run_spread(const std::vector<wire::Json>& agreements);

/// Returns the spread as text: a line for each run with its name, a line for the simulation, and a
/// line for each time. REQUIRES: there is a name for each run.
std::string format_run_spread(const wire::Json& spread, const std::vector<std::string>& names);

}  // namespace heddle::report
