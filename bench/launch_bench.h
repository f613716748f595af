#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/launch_ways.h"
#include "wire/fields.h"

namespace heddle::bench {

/// What the rows are called that the aims are about.
inline constexpr char kBareWay[] = "bare", kWorkerWay[] = "heddle";

/// Brings `count` empty tasks through, `at_once` under way all the time: a row. REQUIRES: at least
/// one of each.
using MeasureLaunches = std::function<Result<wire::Json>(int at_once, int count)>;

/// That, one by one. Ids are taken from `next_id` on.
Result<wire::Json> measure_launches(const std::string& way, LaunchWay& by, int at_once, int count,
                                    std::int64_t& next_id);

/// {way, at_once, tasks, per_s, ms: {p50, p99, max}, x: null, note: ""}. `took`: from the first
/// start to the last end. `ms` of each: from the start (of a container: from the command's sending)
/// to when its end is known here; nulls if they are not known.
wire::Json launch_row(const std::string& way, int at_once, int count, real::Duration took,
                      const std::vector<double>& ms);

/// A way that could not be measured, and why.
wire::Json launch_note(const std::string& way, const std::string& note);

/// The round's rows with `x`: tasks a second as a share of the bare ones, with as many at once.
void add_ratios(std::vector<wire::Json>& round);

/// Results (bench/results.h) of rounds that have the same rows, measure by measure the median.
/// Aims: with 4 at once at least 60 % of bare, and the 99th percentile at most 10 ms.
wire::Json launch_results(const std::vector<std::vector<wire::Json>>& rounds);

/// The results for people.
std::string format_launch_results(const wire::Json& results);

}  // namespace heddle::bench
