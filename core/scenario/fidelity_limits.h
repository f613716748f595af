#pragma once

#include <optional>

#include "core/scenario/scenario.h"

namespace heddle {

// Limits beyond which processes no longer behave as emulated. The times were measured by `heddle
// bench fidelity` (docs/reference/benchmarks.md).

/// Smallest real CPU share that can stand for a core.
inline constexpr double kLeastCpu = 0.025;
/// Shortest task, in real seconds. On a full machine, 1 % of shorter tasks is off by 4 % or more,
/// because of the cost of starting other tasks.
inline constexpr double kLeastTask_s = 0.2;

/// Smallest real memory of a task, which has to start in it and follow a profile.
inline constexpr real::Bytes kLeastMemory(2 << 20);

/// Returns half of the request, rounded up.
Resources half(const Resources& request);

/// Returns the minimum size of a container that is made smaller than requested: half of the
/// request, but at least kLeastMemory of real memory, or all of the request's memory if that is
/// less.
Resources least_shrunk(const Scenario& scenario, const Resources& request);

/// Returns the real seconds that a mean task of the phase takes on the fastest node without
/// competition for its cores. If the phase lists its tasks one by one, the shortest counts. Returns
/// nullopt if the time is unknown: the tasks read, write or wait for data, or are programs,
/// executors or an application master. REQUIRES: time_scale is resolved.
std::optional<double> ideal_seconds(const Scenario& scenario, const JobSpec& job,
                                    const PhaseSpec& phase);

struct ShortTask {
  const JobSpec* job = nullptr;
  const PhaseSpec* phase = nullptr;
  double seconds = 0;  ///< ideal_seconds()
};

/// Returns the phase with the shortest tasks if they are shorter than kLeastTask_s; the first one
/// of a tie. REQUIRES: time_scale is resolved.
std::optional<ShortTask> too_short(const Scenario& scenario);

}  // namespace heddle
