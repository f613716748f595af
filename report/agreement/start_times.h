#pragma once

#include <vector>

#include "report/run_rows.h"
#include "sim/variation.h"

namespace heddle::report {

/// Adds the times that the starts of a real run took. Of the containers that a decision starts on a
/// node, the second waits for the first, and so on.
void add_start_times(const std::vector<AttemptRow>& attempts, sim::StartTimes& times);

}  // namespace heddle::report
