#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/comparison/metrics.h"
#include "wire/fields.h"

namespace heddle::report {

/// The result of one policy on one scenario.
struct LeagueEntry {
  std::string policy;
  int unfinished = 0;  ///< jobs that did not complete
  /// Value divided by the value of the best policy of the scenario. The best policy therefore has
  /// 1. The value is nullopt if no job completed.
  std::optional<double> makespan, slowdown;
};

/// The results of all policies on one scenario.
struct LeagueRow {
  std::string scenario;
  std::vector<LeagueEntry> entries;  ///< in the order of the policies
};

/// Compares summaries (summary.json) of one scenario. Only policies with the fewest unfinished jobs
/// can be the best. The mean slowdown covers only the jobs that completed under every policy and
/// also when they ran alone.
LeagueRow league_row(const std::string& scenario,
                     const std::vector<std::pair<std::string, wire::Json>>& summaries,
                     const JobReferences& references);

enum class LeagueFormat { kText, kMarkdown, kJson };
/// Returns one table for makespans and one for mean slowdowns: a line for each scenario, then the
/// geometric mean over scenarios and how many values are above 1.5. "1.20 !3" means that three jobs
/// did not complete.
std::string format_league(const std::vector<LeagueRow>& rows, LeagueFormat format);

}  // namespace heddle::report
