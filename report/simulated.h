#pragma once

#include <optional>

#include "common/result.h"
#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::report {

/// Simulates a scenario to its end and returns the run's summary (report/summary.h). REQUIRES: the
/// emulation is resolved.
Result<wire::Json> simulated_summary(const Scenario& scenario);

/// Simulates a scenario until its last job has ended and returns that job's completion time, equal
/// to the summary's, or nullopt if the job did not complete. REQUIRES: the emulation is resolved.
std::optional<EmuTime> simulated_completion(const Scenario& scenario);

}  // namespace heddle::report
