#pragma once

#include <string>

#include "common/result.h"
#include "wire/fields.h"

namespace heddle::bench {

/// Parses the output of `heddle bench NAME --json`. Error: `text` is not JSON, or a key that
/// `compare_results` needs is missing.
Result<wire::Json> read_bench_results(const std::string& text);

/// Compares two results of one bench, case by case. Returns {bench, rows: [{case, measure, a, b,
/// change, a_spread, b_spread, verdict}], only_a, only_b}.
///
/// - `change` is b / a - 1, or null if a is 0.
/// - `a_spread` and `b_spread` are (max - min) / median of the runs of a row, or null if the row
///   was measured only once.
/// - `verdict` is "one run" if one of the two rows was measured only once. It is "within noise" if
///   the gap between the two ranges is at most the sum of their widths. Otherwise it is "better" or
///   "worse", or "changed" if no direction of the measure counts as better.
/// - `only_a` and `only_b` are the numbers of cases that only one result has.
///
/// A measure is left out if it is null in one of the results. Error: the results are of different
/// benches, or no case is in both results. REQUIRES: both results come from read_bench_results.
Result<wire::Json> compare_results(const wire::Json& a, const wire::Json& b);

/// Formats the comparison for people.
std::string format_result_comparison(const wire::Json& comparison);

}  // namespace heddle::bench
