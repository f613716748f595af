#pragma once

#include <optional>

#include "core/scenario/scenario.h"

namespace heddle {

// Where what runs is no longer what it claims to be. Times: by `heddle bench fidelity`
// (docs/benchmarks.md).

/// Less of a CPU than this is no core.
inline constexpr double kLeastCpu = 0.025;
/// Real seconds: of shorter tasks than these, on a full machine, one in a hundred is 4 % off or
/// more, by what starting others costs.
inline constexpr double kLeastTask_s = 0.2;

/// Less real memory than this is no task: it has to start in it and follow a profile.
inline constexpr real::Bytes kLeastMemory(2 << 20);

/// Rounded up.
Resources half(const Resources& request);

/// The least that a container may be made where it is made smaller than requested: half of the
/// request, but of memory no less than kLeastMemory real (or all of it, where that is less).
Resources least_shrunk(const Scenario& scenario, const Resources& request);

/// Real seconds that a mean task of the phase takes on the fastest node if its cores are its own;
/// the shortest where each is said by itself.
/// nullopt where that is not known: it reads, writes or waits for data, is a program, an executor
/// or an application master. REQUIRES: time_scale is resolved.
std::optional<double> ideal_seconds(const Scenario& scenario, const JobSpec& job,
                                    const PhaseSpec& phase);

struct ShortTask {
  const JobSpec* job = nullptr;
  const PhaseSpec* phase = nullptr;
  double seconds = 0;  ///< ideal_seconds()
};

/// The phase with the shortest tasks, if they are shorter than kLeastTask_s; the first of equal
/// ones. REQUIRES: time_scale is resolved.
std::optional<ShortTask> too_short(const Scenario& scenario);

}  // namespace heddle
