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

/// What the command line changes of a scenario file, applied in this order.
struct Overrides {
  std::optional<std::string> policy;  ///< --policy: replaces the file's policy
  std::optional<std::uint64_t> seed;  ///< --seed
  /// --set, each `key.path=value`; members of lists are addressed by their name as written
  /// ("jobs.wc.phases.map.cpu=3s", "cluster.nodes.n.cores=8"); the value is YAML.
  std::vector<std::string> set;
};

/// Reads and checks a scenario file. Errors: kUsage, one line of text for each thing wrong (up to
/// 20): "FILE:LINE: KEY: what was wrong; expected …; did you mean …?"; also if the file can't be
/// read. A job may name one of `workloads`; the policy is made
/// of `policies`. `auto` factors stay open; see resolve().
Result<CheckedScenario> read_scenario(const WorkloadTable& workloads, const PolicyTable& policies,
                                      const std::string& path, const Overrides& overrides = {});

/// The same for text already read; `filename` is for messages only.
Result<CheckedScenario> read_scenario_text(const WorkloadTable& workloads,
                                           const PolicyTable& policies, std::string_view text,
                                           const std::string& filename,
                                           const Overrides& overrides = {});

}  // namespace heddle
