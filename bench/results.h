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

/// A column of a bench's table: what stands in its rows under `key` (names parted by "/").
struct BenchColumn {
  std::string key;
  std::string title = "";
  int digits = 0;                    ///< after the point; texts and booleans are as they are
  Better better = Better::kNeither;  ///< of two results
  double unit = 1;                   ///< numbers are shown as multiples of it
};

/// The form of a bench's results. Rows with the same `cases` are the same case.
struct BenchForm {
  std::string bench;
  std::vector<BenchColumn> cases;
  std::vector<BenchColumn> measures;
};

/// What a row has under a column's key; null where there is nothing.
wire::Json value_at(const wire::Json& row, const std::string& key);

/// {aim, value, limit, bound: "at most" or "at least", met}.
wire::Json aim_at_most(const std::string& what, double value, double limit);
wire::Json aim_at_least(const std::string& what, double value, double limit);

/// What was measured several times as one row: each measure is the median of the rows', `runs` is
/// how many there are, and `spread` has {key: [least, most]} of each measure that is a number in
/// all. The rest is the first row's. REQUIRES: at least one.
wire::Json combined(const BenchForm& form, const std::vector<wire::Json>& rows);

/// {bench, cases: [key], measures: {key: "less" or "more" (is better) or null}, rows, aims, met}.
/// `met` is whether all aims are met, null if there are none.
wire::Json bench_results(const BenchForm& form, std::vector<wire::Json> rows, wire::Json aims);

/// Rows that have the same under all of the keys, by ascending `nodes`; groups in the order of
/// their first rows.
std::vector<std::vector<wire::Json*>> grouped(std::vector<wire::Json>& rows,
                                              const std::vector<std::string>& keys);

/// The rows as a table, numbers that are null or missing as "-", and then a line an aim.
std::string format_bench(const BenchForm& form, const wire::Json& results);
std::string format_aims(const wire::Json& aims);

}  // namespace heddle::bench
