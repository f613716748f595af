#pragma once

#include <string>

#include "common/result.h"
#include "wire/fields.h"

namespace heddle::bench {

/// What `heddle bench NAME --json` printed: `text` as JSON with what `compare_results` needs. Error
/// if it isn't that.
Result<wire::Json> read_bench_results(const std::string& text);

/// Two results of one bench, case by case: {bench, rows: [{case, measure, a, b, change, a_spread,
/// b_spread, verdict}], only_a, only_b}. `change` is b / a - 1, null if a is 0; spreads are (most -
/// least) / median of the runs of a row, null if it was measured once. `verdict`: "within noise" if
/// both were measured several times and their ranges lie no further apart than both are wide, else
/// "better" or "worse", or "changed" where neither is better; "one run" where a range is missing.
/// `only_a` and `only_b` count cases that the other lacks. Measures that are null in either are
/// left out. Error if the benches differ or no case is in both. REQUIRES: both are from
/// read_bench_results.
Result<wire::Json> compare_results(const wire::Json& a, const wire::Json& b);

/// The comparison for people.
std::string format_result_comparison(const wire::Json& comparison);

}  // namespace heddle::bench
