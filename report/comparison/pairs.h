#pragma once

#include <string>
#include <vector>

#include "report/table.h"
#include "wire/fields.h"

namespace heddle::report {

/// Compares every two policies of a comparison (compare.json), not only each with the baseline.
/// Returns {"level", "metrics": [{"key", "title", "unit", "better", "group", "pairs": [{"policy",
/// "baseline", "difference", "relative", "interval", "relative_interval", "verdict"}…]}…]}. Each
/// pair is there in both directions. The metrics are the headlines and those that were chosen
/// (report/comparison/chosen.h). The level allows for all pairs (level_of_pairs()), so its
/// intervals are wider than those against one baseline. Pure.
wire::Json every_pair(const wire::Json& comparison);

/// A table of the pairs of a metric: a row and a column for each policy.
struct PairsTable {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};
/// Returns a table for each metric of "pairs" in the comparison; none if it has no "pairs".
std::vector<PairsTable> pairs_tables(const wire::Json& comparison);
/// Explains these tables; "" if there are none.
std::string pairs_note(const wire::Json& comparison);

}  // namespace heddle::report
