#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

/// Returns a warning for each part of a scenario that is allowed but is probably a mistake: tasks
/// that use more memory than they request, reduces that wait for no maps although the job has maps,
/// and overcommitted memory of which tasks use none. If the same is to be said of several jobs, one
/// warning names the first of them.
std::vector<std::string> doubts(const Scenario& scenario);

/// Returns a warning for a real run of a scenario without time_scale. Such a run takes one real
/// second for each emulated second. The warning tells the minimum number of minutes that the run
/// takes. Returns "" if the scenario states a time_scale, or if that minimum is less than
/// `from_min`.
std::string unscaled_time(const CheckedScenario& read, double from_min = 2);

}  // namespace heddle
