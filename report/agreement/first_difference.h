#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "report/run_rows.h"
#include "wire/fields.h"

namespace heddle::report {

/// Returns the first launch in which a run and its simulation differ: {"launch": number of the
/// launch, from 1, "simulated", "run": {"at_s", "task", "node"} or null if there was no such
/// launch, "ended": {"simulated", "run"} or null}. `ended` are the first two containers that ended
/// in another order before these launches; null if the order was the same. A task is "JOB PHASE
/// INDEX". Returns null if all launches are the same.
wire::Json first_difference(const Scenario& scenario, std::vector<AttemptRow> simulated,
                            std::vector<AttemptRow> run);

/// Returns the difference as a sentence or two, or "" for null.
std::string format_first_difference(const wire::Json& difference);

}  // namespace heddle::report
