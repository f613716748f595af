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
  bool without_faults = false;        ///< also run each variant without the scenario's faults
  std::vector<std::string> groups;    ///< each "NAME=workload,workload": jobs that form a group
};

/// `heddle compare`: runs the scenario under several policies. The runs of the same repeat are
/// compared in pairs. Writes compare.json and compare.html, and prints a table. Returns the exit
/// status.
Result<int> compare_command(const CompareOptions& options);

/// Adds a variant without faults before each variant. Its name is that of the variant and
/// kWithoutFaults.
std::vector<Variant> with_faultless(const std::vector<Variant>& variants);
inline constexpr const char* kWithoutFaults = " without faults";
/// Parses arguments of --group, each "NAME=workload,workload".
Result<std::vector<report::NamedWorkloads>> parse_groups(const std::vector<std::string>& texts);

}  // namespace heddle::cli
