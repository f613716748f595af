#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "report/run_rows.h"
#include "wire/fields.h"
#include "yaml/tree.h"

namespace heddle::report {

/// The values of a document by their paths, such as {"jobs.wc.phases.map.cpu", "3s"}. A member of a
/// list is named by its `name` if all members have different ones, else by its index. A list of
/// single values is one value.
using PathValues = std::map<std::string, std::string>;
PathValues values_by_path(const YamlNode& node);
PathValues values_by_path(const wire::Json& json);
/// Returns the values of a scenario.yaml. If it has a table of jobs, each row is a value. Errors:
/// as of parse_yaml().
Result<PathValues> values_of_scenario(std::string_view text, const std::string& filename);

/// A path at which two documents have different values. nullopt: the document has no such path.
struct PathDifference {
  std::string path;
  std::optional<std::string> first, second;
  friend bool operator==(const PathDifference&, const PathDifference&) = default;
};
/// Returns the differences, by path.
std::vector<PathDifference> differing_paths(const PathValues& first, const PathValues& second);

/// A run that is compared with another one.
struct ComparedRun {
  std::string name;  ///< as the user gives it
  Scenario scenario;
  PathValues resolved;  ///< of its scenario.yaml
  wire::Json summary;
  std::optional<std::vector<AttemptRow>> attempts;  ///< nullopt: the run has no journal
};

/// Compares two runs: {"runs": [name, name], "same", "run": [{key, first, second}], "policy": same,
/// "scenario": same, "figures": [{key, title, unit, first, second, difference, relative}],
/// "first_difference": as in first_difference.h, with the keys "first" and "second", or null,
/// "launches_compared"}. `run` has the version, the mode, the seed, the status and the host. The
/// lists have only what differs. `figures` has the figures of comparisons, except those that a
/// computer's speed changes (is_overhead). `same` is true if the lists are empty and no launch
/// differs.
wire::Json run_difference(ComparedRun first, ComparedRun second);

/// Returns the differences as text, or "the same" with what could not be compared. Of the lists,
/// the first lines are shown. `width`: of the terminal; 0: no limit.
std::string format_run_difference(const wire::Json& difference, int width = 0);

}  // namespace heddle::report
