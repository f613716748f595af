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

/// Changes to a scenario file by the command line, applied in this order.
struct Overrides {
  std::optional<std::string> policy;  ///< --policy: replaces the file's policy
  std::optional<std::uint64_t> seed;  ///< --seed
  /// --set, each `key.path=value`. Members of lists are addressed by their name as written
  /// ("jobs.wc.phases.map.cpu=3s", "cluster.nodes.n.cores=8"). The value is YAML.
  std::vector<std::string> set;
};

/// Reads and checks a scenario file. Errors are of kind kUsage and have one line of text for each
/// finding (up to 20): "FILE:LINE: KEY: what was wrong; expected …; did you mean …?". An unreadable
/// file is an error too. Jobs may name `workloads`, and the policy consists of parts of `policies`.
/// `auto` factors stay open; see resolve().
Result<CheckedScenario> read_scenario(const WorkloadTable& workloads, const PolicyTable& policies,
                                      const std::string& path, const Overrides& overrides = {});

/// Does the same for a text that is already read; `filename` is for messages only.
Result<CheckedScenario> read_scenario_text(const WorkloadTable& workloads,
                                           const PolicyTable& policies, std::string_view text,
                                           const std::string& filename,
                                           const Overrides& overrides = {});

}  // namespace heddle
