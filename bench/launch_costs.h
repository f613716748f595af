#pragma once

#include <sys/types.h>

#include <string>

#include "bench/launch_ways.h"
#include "common/result.h"
#include "wire/fields.h"

namespace heddle::bench {

/// CPU time of launches, in seconds per launch.
struct LaunchCosts {
  LaunchCpu bare;      ///< of BareWay
  LaunchCpu groups;    ///< of GroupWay
  double worker = 0;   ///< all CPU time of a heddle-worker, without that of its tasks
  double master = 0;   ///< all CPU time of this process while it acts as the worker's master
  double journal = 0;  ///< of journal_cpu_s
};

/// Returns the CPU time of each of the `count` launches between two readings.
LaunchCpu per_launch(const LaunchCpu& before, const LaunchCpu& after, int count);

/// Returns the CPU time that a launch takes beyond the task's own start, part by part: [{part,
/// us}]. The task's own start, the first row, is what `bare` takes. The last row is the sum of the
/// other rows.
wire::Json launch_parts(const LaunchCosts& costs);

/// Formats the parts as a table for people.
std::string format_launch_parts(const wire::Json& parts);

/// Writes what a master writes to the journal of a real run when it launches a task and the task
/// ends, `count` times. Makes the file `path`, which must not exist. Returns the CPU time per
/// launch, in seconds. REQUIRES: `count` is at least 1.
Result<double> journal_cpu_s(const std::string& path, int count);

/// Returns the CPU time that a process has used, without that of its children, in seconds. Error
/// (kMachine): there is no such process.
Result<double> cpu_s_of(pid_t process);

}  // namespace heddle::bench
