#pragma once

#include <string>
#include <vector>

#include "cli/batch/batch.h"
#include "report/comparison/metrics.h"

namespace heddle::cli {

struct CompareOptions {
  BatchOptions batch;
  std::string policies;               ///< --policies; "": none
  std::vector<std::string> variants;  ///< each as --variant has it, behind the policies
  std::vector<std::string> groups;    ///< each "NAME=workload,workload": jobs looked at together
};

/// `heddle compare`: the scenario under several policies, which are the pairs of each repeat;
/// compare.json, compare.html, and a table on standard output. The exit status.
Result<int> compare_command(const CompareOptions& options);

/// compare.json's own part of a batch (report/comparison/comparison.h).
wire::Json comparison_of(const BatchState& state,
                         const std::vector<report::NamedWorkloads>& groups);

/// Each "NAME=workload,workload", of --group.
Result<std::vector<report::NamedWorkloads>> parse_groups(const std::vector<std::string>& texts);

}  // namespace heddle::cli
