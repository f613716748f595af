#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/launch_ways.h"
#include "wire/fields.h"

namespace heddle::bench {

/// Names of the two ways of launching that rows with aims compare.
inline constexpr char kBareWay[] = "bare", kWorkerWay[] = "heddle";

/// Runs `count` empty tasks, `at_once` of them at a time, and returns the row. REQUIRES: `count`
/// and `at_once` are at least 1.
using MeasureLaunches = std::function<Result<wire::Json>(int at_once, int count)>;

/// Measures launches in one way. Task ids are taken from `next_id` on.
Result<wire::Json> measure_launches(const std::string& way, LaunchWay& by, int at_once, int count,
                                    std::int64_t& next_id);

/// Returns {way, at_once, tasks, per_s, ms: {p50, p99, max}, x: null, note: ""}. `took` is the time
/// from the first start to the last end. `ms` has one time per task: from its start until this
/// process knows its end. For a container, the time begins when the command is sent. The
/// percentiles are null if `ms` is empty.
wire::Json launch_row(const std::string& way, int at_once, int count, real::Duration took,
                      const std::vector<double>& ms);

/// Returns a row that says why a way could not be measured.
wire::Json launch_note(const std::string& way, const std::string& note);

/// Sets `x` in the rows of a round: tasks per second divided by those of bare starts with the same
/// `at_once`.
void add_ratios(std::vector<wire::Json>& round);

/// Returns the results (bench/results.h) of rounds with the same rows. Each measure is the median
/// of the rounds. There are two aims for 4 tasks at once. The rate is at least 78 % of that of bare
/// starts, and the 99th percentile of the time is at most 10 ms.
wire::Json launch_results(const std::vector<std::vector<wire::Json>>& rounds);

/// Formats the results for people, and the CPU time by part (`parts`, see launch_parts) if they
/// have it.
std::string format_launch_results(const wire::Json& results);

}  // namespace heddle::bench
