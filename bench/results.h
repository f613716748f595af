#pragma once

#include <string>
#include <vector>

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
  int digits = 0;  ///< number of decimals; values that are not numbers are printed unchanged
  Better better = Better::kNeither;  ///< direction in which a result is better
  double unit = 1;                   ///< divisor for the printed numbers
};

/// The form of a bench's results. Rows with equal values under all keys of `cases` are the same
/// case.
struct BenchForm {
  std::string bench;
  std::vector<BenchColumn> cases;
  std::vector<BenchColumn> measures;
};

/// Returns the value of a row under a column's key, or null if there is none.
wire::Json value_at(const wire::Json& row, const std::string& key);

/// Returns {aim, value, limit, bound: "at most" or "at least", met}.
wire::Json aim_at_most(const std::string& what, double value, double limit);
wire::Json aim_at_least(const std::string& what, double value, double limit);

/// Combines several measurements of a case into one row. Each measure is the median of the rows'
/// values. `runs` is the number of rows. `spread` has {key: [min, max]} for each measure that is a
/// number in all rows. All other values come from the first row. REQUIRES: there is at least one
/// row.
wire::Json combined(const BenchForm& form, const std::vector<wire::Json>& rows);

/// Returns {bench, cases: [key], measures: {key: "less", "more" or null}, rows, aims, met}. "less"
/// and "more" say which values of a measure are better. `met` says whether all aims are met. It is
/// null if there are no aims.
wire::Json bench_results(const BenchForm& form, std::vector<wire::Json> rows, wire::Json aims);

/// Groups rows that have equal values under all keys. The groups are in the order of their first
/// rows, and the rows of a group are sorted by `nodes`.
std::vector<std::vector<wire::Json*>> grouped(std::vector<wire::Json>& rows,
                                              const std::vector<std::string>& keys);

/// Compares the costs of a group. Sets `x` of each row to its value under `cost`, divided by that
/// of the first row. If the group has several numbers of nodes, adds the aim that the most nodes
/// cost at most 3 times as much as the fewest. `what` names the cost.
void add_growth(const std::vector<wire::Json*>& group, const std::string& cost,
                const std::string& what, wire::Json& aims);

/// Formats the rows as a table, with "-" for null or missing numbers, followed by one line per aim.
std::string format_bench(const BenchForm& form, const wire::Json& results);

}  // namespace heddle::bench
