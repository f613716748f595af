#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "report/run_rows.h"
#include "wire/fields.h"

namespace heddle::report {

/// A run whose launches are compared with those of another run.
struct RunLaunches {
  std::string key;  ///< of the run in the result
  const Scenario& scenario;
  std::vector<AttemptRow> attempts;
};

/// Returns the first launch in which two runs differ: {"launch": number of the launch, from 1,
/// KEY1, KEY2: {"at_s", "task", "node"} or null if the run made no such launch, "ended": {KEY1,
/// KEY2} or null}. `ended` are the first two containers that ended in another order before these
/// launches; null if the order was the same. A task is "JOB PHASE INDEX". Tasks and nodes are
/// compared by their names. Returns null if all launches are the same.
wire::Json first_difference(RunLaunches first, RunLaunches second);

/// A run in a sentence about a difference.
struct LaunchWords {
  std::string key;   ///< as in RunLaunches
  std::string name;  ///< such as "the simulation"
};
/// Returns the difference as a sentence or two, or "" for null.
std::string format_first_difference(const wire::Json& difference, const LaunchWords& first,
                                    const LaunchWords& second);

}  // namespace heddle::report
