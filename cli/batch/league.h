#pragma once

#include <string>
#include <vector>

#include "common/result.h"
#include "report/comparison/league.h"

namespace heddle::cli {

struct LeagueOptions {
  std::vector<std::string> paths;  ///< scenarios, or directories that are searched for them
  std::string policies;            ///< separated by commas; "": all presets that take every job
  report::LeagueFormat format = report::LeagueFormat::kText;
  bool quiet = false;
};

/// `heddle league`: simulates every policy on every scenario. Prints makespan and mean slowdown
/// relative to the best policy of each scenario. Returns the exit status. If a job fails under a
/// policy, the command does not fail.
Result<int> league_command(const LeagueOptions& options);

/// Returns the scenarios of the given paths. A file is a scenario. A directory stands for all
/// *.yaml files in it and its subdirectories, sorted. Errors (kUsage): a path that does not exist,
/// or no scenario.
Result<std::vector<std::string>> find_scenarios(const std::vector<std::string>& paths);

}  // namespace heddle::cli
