#pragma once

#include <vector>

#include "common/scale.h"
#include "report/run_rows.h"
#include "sim/variation.h"

namespace heddle::report {

/// Adds the times that the starts of a real run took. A node starts one container after the other,
/// so a container whose start was decided before the start of the previous one follows it.
void add_start_times(const std::vector<AttemptRow>& attempts, const Scale& scale,
                     sim::StartTimes& times);

}  // namespace heddle::report
