#pragma once

#include <string>

#include "cli/base/policy_link.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {

// Commands that only print information.

/// `heddle validate SCENARIO`: reads the scenario with the changes in the options, resolves it on
/// this machine and prints a summary.
Result<int> validate_command(const std::string& path, const Overrides& overrides);
/// `heddle policies [NAME]`: prints one policy, or all if the name is "". If the name is that of an
/// external policy, such as exec:./mine.py, prints what its program says about itself. `options`:
/// the rights of the program.
Result<int> policies_command(const std::string& name, const PolicyOptions& options);
/// Options of `heddle workloads`. An option that is not given is "".
struct WorkloadQuery {
  std::string name;  ///< "": all of them, in a table
  std::string input;
  std::string framework;
};
/// `heddle workloads`: prints the jobs that a workload stands for, as YAML for a scenario. Comments
/// in the YAML state the sizes.
Result<int> workloads_command(const WorkloadQuery& query);

}  // namespace heddle::cli
