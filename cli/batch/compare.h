#pragma once

#include <string>
#include <vector>

#include "cli/batch/batch.h"
#include "report/comparison/metrics.h"

namespace heddle::cli {

struct CompareOptions {
  BatchOptions batch;
  std::string policies;               ///< argument of --policies; "": no policies
  std::vector<std::string> variants;  ///< each in the form of --variant, compared after the
                                      ///< policies
  std::vector<std::string> groups;    ///< each "NAME=workload,workload": jobs that form a group
};

/// `heddle compare`: runs the scenario under several policies. The runs of the same repeat are
/// compared in pairs. Writes compare.json and compare.html, and prints a table. Returns the exit
/// status.
Result<int> compare_command(const CompareOptions& options);

/// Returns the part of compare.json that only `heddle compare` has
/// (report/comparison/comparison.h).
wire::Json comparison_of(const BatchState& state,
                         const std::vector<report::NamedWorkloads>& groups);

/// Parses arguments of --group, each "NAME=workload,workload".
Result<std::vector<report::NamedWorkloads>> parse_groups(const std::vector<std::string>& texts);

}  // namespace heddle::cli
