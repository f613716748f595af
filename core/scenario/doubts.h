#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

/// Returns a warning for each part of a scenario that is allowed but seldom meant: tasks that use
/// more memory than they request, and reduces that wait for no maps although their job has some.
std::vector<std::string> doubts(const Scenario& scenario);

/// Returns the warning that a real run takes one real second for each emulated one because the
/// scenario states no time_scale, with the least number of minutes; "" if it states one, or if the
/// run may take less than `from_min` minutes.
std::string unscaled_time(const CheckedScenario& read, double from_min = 2);

}  // namespace heddle
