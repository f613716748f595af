#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/launch_ways.h"
#include "bench/results.h"

namespace heddle::bench {

/// Runs `count` empty tasks, `at_once` of them at a time, and returns the row of the way. Task ids
/// are taken from `next_id` on. REQUIRES: `count` and `at_once` are at least 1.
wire::Json measure_launches(const std::string& way, LaunchWay& by, int at_once, int count,
                            std::int64_t& next_id);

/// Returns a row that says why a way could not be measured.
wire::Json launch_note(const std::string& way, const std::string& note);

/// Sets `x` in the rows of a round: tasks per second divided by those of bare starts with the same
/// `at_once`.
void add_ratios(std::vector<wire::Json>& round);

/// Returns the results (bench/results.h) of rounds with the same rows. Each measure is the median
/// of the rounds.
wire::Json launch_results(const std::vector<std::vector<wire::Json>>& rounds);

/// Formats the results for people, and the CPU time by part (`parts`, see launch_parts) if they
/// have it.
std::string format_launch_results(const wire::Json& results);

/// CPU time of launches, in seconds.
struct LaunchCosts {
  LaunchCpu bare = {};    ///< of BareWay
  LaunchCpu groups = {};  ///< of GroupWay
  double worker = 0;      ///< all CPU time of a heddle-worker, without that of its tasks
  double master = 0;      ///< all CPU time of this process while it acts as the worker's master
  double journal = 0;     ///< of journal_cpu_s
  int launches = 1;       ///< in each of these ways
};

/// Returns the CPU time that a launch takes beyond the task's own start, part by part: [{part,
/// us}]. The task's own start, the first row, is what `bare` takes. The last row is the sum of the
/// other rows.
wire::Json launch_parts(const LaunchCosts& costs);

/// Writes what a master writes to the journal of a real run when it launches a task and the task
/// ends, `count` times. Makes the file `path`, which must not exist. Returns the CPU time in
/// seconds. REQUIRES: `count` is at least 1.
double journal_cpu_s(const std::string& path, int count);

}  // namespace heddle::bench
