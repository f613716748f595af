#pragma once

#include <string>
#include <vector>

#include "common/result.h"
#include "common/units.h"
#include "wire/fields.h"

namespace heddle::bench {

inline double to_ms(real::Duration span) {
  return std::chrono::duration<double, std::milli>(span).count();
}

enum class Better { kNeither, kLess, kMore };

/// A column of a bench's table. The column shows the value of each row under `key`. If the value is
/// in an inner object, `key` has several names separated by "/", such as "echo/us".
struct BenchColumn {
  std::string key;
  std::string title = "";
  int digits = 0;  ///< number of decimals; less than 0: as many as the number needs
  Better better = Better::kNeither;  ///< direction in which a result is better
  double unit = 1;                   ///< divisor for the printed numbers
};

/// The aims of a bench: [{aim, value, limit, bound: "at most" or "at least", met}].
struct Aims {
  wire::Json list = wire::Json::array();

  void at_most(const std::string& what, double value, double limit);
  void at_least(const std::string& what, double value, double limit);
  /// Returns whether all aims are met, or null if there are none.
  wire::Json met() const;
};

/// The form of a bench's results. Rows with equal values under all keys of `cases` are the same
/// case.
struct BenchForm {
  std::string bench;
  std::vector<BenchColumn> cases;
  std::vector<BenchColumn> measures;
  /// Adds the aims of the rows. Also sets values of a row that depend on other rows.
  void (*judge)(std::vector<wire::Json>& rows, Aims& aims);
};

/// Returns the value of a row under a column's key, or null if there is none.
wire::Json value_at(const wire::Json& row, const std::string& key);

/// Combines several measurements of a case into one row. Each measure is the median of the rows'
/// values. `runs` is the number of rows. `spread` has {key: [min, max]} for each measure that is a
/// number in all rows. All other values come from the first row. REQUIRES: there is at least one
/// row.
wire::Json combined(const BenchForm& form, const std::vector<wire::Json>& rows);

/// Returns {bench, cases: [key], measures: {key: "less", "more" or null}, rows, aims, met}. "less"
/// and "more" say which values of a measure are better. `met` says whether all aims are met. It is
/// null if there are no aims.
wire::Json bench_results(const BenchForm& form, std::vector<wire::Json> rows);

/// Judges groups of rows that have equal values under all keys, and compares the costs in a group,
/// sorted by `nodes`. Calls `judge` for each row. Sets `x` of each row to its value under `cost`,
/// divided by that of the row with the fewest nodes. If the group has several numbers of nodes,
/// adds the aim that the most nodes cost at most 3 times as much as the fewest. `name` returns the
/// name of a group's cost from a row.
void judge_groups(std::vector<wire::Json>& rows, const std::vector<std::string>& keys,
                  const std::string& cost, std::string (*name)(const wire::Json& row),
                  void (*judge)(const wire::Json& row, Aims& aims), Aims& aims);

/// Formats rows as a table, with "-" for null or missing values. The text of a boolean is "met" or
/// "no". The text of an object is that of its p50 and its p99.
std::string format_rows(const std::vector<BenchColumn>& columns, const wire::Json& rows);

/// Formats the rows, followed by one line per aim.
std::string format_bench(const BenchForm& form, const wire::Json& results);

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
