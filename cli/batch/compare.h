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
  std::string against;                ///< name of the baseline; "": the first variant
};

/// `heddle compare`: runs the scenario under several policies. The runs of the same repeat are
/// compared in pairs. Writes compare.json and compare.html, and prints a table. If the argument is
/// the directory of a comparison, only prints it again, maybe against another baseline. Returns the
/// exit status.
Result<int> compare_command(const CompareOptions& options);

/// Adds a variant without faults before each variant. Its name is that of the variant and
/// kWithoutFaults.
std::vector<Variant> with_faultless(const std::vector<Variant>& variants);
inline constexpr const char* kWithoutFaults = " without faults";
/// Makes the variant with this name or policy the first one, with which the others are compared. If
/// `against` is "", changes nothing. Error (kUsage): there is no such variant.
Result<void> put_first(std::vector<Variant>& variants, const std::string& against);
/// Parses arguments of --group, each "NAME=workload,workload".
Result<std::vector<report::NamedWorkloads>> parse_groups(const std::vector<std::string>& texts);

}  // namespace heddle::cli
