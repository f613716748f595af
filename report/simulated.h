#pragma once

#include <optional>

#include "common/result.h"
#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::report {

/// Simulates a scenario to its end and returns the run's summary (report/summary.h). REQUIRES: the
/// emulation is resolved.
Result<wire::Json> simulated_summary(const Scenario& scenario);

/// Simulates a scenario until its last job has ended and returns the job's completion time, as the
/// summary would have it; nullopt if it did not complete. REQUIRES: likewise.
std::optional<EmuTime> simulated_completion(const Scenario& scenario);

}  // namespace heddle::report
