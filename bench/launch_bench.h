#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/launch_ways.h"
#include "wire/fields.h"

namespace heddle::bench {

/// Names of the ways in the rows that have aims.
inline constexpr char kBareWay[] = "bare", kWorkerWay[] = "heddle";

/// Takes `count` empty tasks from start to end, keeping `at_once` under way, and returns the row.
/// REQUIRES: both are at least 1.
using MeasureLaunches = std::function<Result<wire::Json>(int at_once, int count)>;

/// Measures launches in one way. Task ids are taken from `next_id` on.
Result<wire::Json> measure_launches(const std::string& way, LaunchWay& by, int at_once, int count,
                                    std::int64_t& next_id);

/// Returns {way, at_once, tasks, per_s, ms: {p50, p99, max}, x: null, note: ""}. `took` lasts from
/// the first start to the last end. `ms` holds one time per task: from its start (of a container:
/// from sending the command) until its end is known here. The percentiles are null if `ms` is
/// empty.
wire::Json launch_row(const std::string& way, int at_once, int count, real::Duration took,
                      const std::vector<double>& ms);

/// Returns a row that says why a way could not be measured.
wire::Json launch_note(const std::string& way, const std::string& note);

/// Sets `x` in the rows of a round: tasks per second as a share of bare starts with the same
/// `at_once`.
void add_ratios(std::vector<wire::Json>& round);

/// Returns the results (bench/results.h) of rounds with the same rows: the median of each measure.
/// Aims, with 4 at once: at least 60 % of bare starts, and a 99th percentile of at most 10 ms.
wire::Json launch_results(const std::vector<std::vector<wire::Json>>& rounds);

/// Formats the results for people.
std::string format_launch_results(const wire::Json& results);

}  // namespace heddle::bench
