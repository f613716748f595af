#pragma once

#include <optional>

#include "common/result.h"
#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::report {

/// Simulates a scenario to its end and returns the run's summary (report/summary.h). REQUIRES: the
/// emulation is resolved.
Result<wire::Json> simulated_summary(const Scenario& scenario);

/// Simulates a scenario until the last job in its list has ended. Returns the completion time of
/// this job, which is equal to the one in the summary. Returns nullopt if the job did not complete.
/// REQUIRES: the emulation is resolved.
std::optional<EmuTime> simulated_completion(const Scenario& scenario);

}  // namespace heddle::report
