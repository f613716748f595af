#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "core/scenario/policy_table.h"
#include "core/scenario/scenario.h"
#include "core/scenario/workload.h"

namespace heddle {

/// Changes that the command line makes to a scenario file. They are applied in the order of these
/// fields.
struct Overrides {
  std::optional<std::string> policy;  ///< --policy: replaces the file's policy
  std::optional<std::uint64_t> seed;  ///< --seed
  /// The texts of --set. Each is `key.path=value`. In the path, a member of a list is addressed by
  /// its name in the file, for example "jobs.wc.phases.map.cpu=3s" or "cluster.nodes.n.cores=8".
  /// The value is YAML.
  std::vector<std::string> set;
};

/// Reads and checks a scenario file. The text of an error (kUsage) has one line for each finding,
/// up to 20: "FILE:LINE: KEY: what was wrong; expected …; did you mean …?". A file that can't be
/// read is also an error. Jobs can use the workloads in `workloads`. The policy can use the parts
/// in `policies`. Factors that are `auto` stay `auto`; see resolve().
Result<CheckedScenario> read_scenario(const WorkloadTable& workloads, const PolicyTable& policies,
                                      const std::string& path, const Overrides& overrides = {});

/// Reads and checks the text of a scenario in the same way. `filename` is for messages only.
Result<CheckedScenario> read_scenario_text(const WorkloadTable& workloads,
                                           const PolicyTable& policies, std::string_view text,
                                           const std::string& filename,
                                           const Overrides& overrides = {});

}  // namespace heddle
