#pragma once

#include <cstdint>
#include <optional>

#include "core/scenario/scenario.h"

namespace heddle {

// Limits of the emulation. Beyond them, processes do not behave as the scenario says. The limits on
// CPU and time are from measurements by `heddle bench fidelity` (docs/reference/benchmarks.md).

/// Smallest real share of a CPU that can emulate a core.
inline constexpr double kLeastCpu = 0.025;
/// Shortest task, in real seconds. On a fully used machine, starting tasks disturbs other tasks.
/// For 1 % of the tasks that are shorter than this limit, the error is then 4 % or more.
inline constexpr double kLeastTask_s = 0.2;

/// Smallest real memory of a task. The task has to start in this memory and follow its profile.
inline constexpr real::Bytes kLeastMemory(2 << 20);

/// Returns half of the request, rounded up.
Resources half_of_request(const Resources& request);

/// Returns the minimum size of a container that is made smaller than its request. This is half of
/// the request, but at least kLeastMemory of real memory. If the request has less memory than that,
/// its memory stays the same.
Resources smallest_container(const Scenario& scenario, const Resources& request);

/// Returns the real seconds that a mean task of the phase takes on the fastest node without
/// competition for its cores. If the phase lists its tasks one by one, returns the time of the
/// shortest task. Returns nullopt if the time is unknown. This is so if the tasks read, write or
/// wait for data, or are programs, executors or an application master. REQUIRES: time_scale is
/// resolved.
std::optional<double> ideal_real_seconds(const Scenario& scenario, const JobSpec& job,
                                         const PhaseSpec& phase);

struct ShortTask {
  const JobSpec* job = nullptr;
  const PhaseSpec* phase = nullptr;
  double seconds = 0;  ///< ideal_real_seconds()
};

/// Returns the phase with the shortest tasks if these are shorter than kLeastTask_s. Of several
/// such phases, returns the first. REQUIRES: time_scale is resolved.
std::optional<ShortTask> shortest_task_below_limit(const Scenario& scenario);

/// Memory that is there later than both of these limits is worth a warning: a share of the task's
/// time, and real seconds.
inline constexpr double kLateMemoryShare = 0.05, kLateMemory_s = 0.04;

struct LateMemory {
  const JobSpec* job = nullptr;
  const PhaseSpec* phase = nullptr;
  std::int64_t tasks = 0;  ///< tasks that can start together on empty nodes
  double seconds = 0;      ///< real time until the last of them has its memory
  double share = 0;        ///< the same, as a share of the time of a task
};

/// Returns the phase whose tasks wait longest for the largest step of their memory, relative to
/// their time, if that is longer than the limits above. Each node fills the steps of its tasks one
/// after the other. `fill_rate`: bytes of real memory that a CPU fills in a second. `spare_cpus`:
/// CPUs that all nodes together have for this. REQUIRES: the emulation's factors are resolved.
std::optional<LateMemory> latest_memory_above_limits(const Scenario& scenario, double fill_rate,
                                                     double spare_cpus);

}  // namespace heddle
