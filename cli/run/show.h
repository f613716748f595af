#pragma once

#include <string>

#include "workloads/scenario_file.h"

namespace heddle::cli {

// Commands that only look something up and print it.

/// `heddle validate SCENARIO`: reads it with the changes that options ask for, resolves it on this
/// machine and prints what it comes to.
Result<int> validate_command(const std::string& path, const Overrides& overrides);
/// `heddle policies [NAME]`; "": all.
Result<int> policies_command(const std::string& name);
/// What `heddle workloads` is asked for; "": not said.
struct WorkloadQuery {
  std::string name;  ///< "": all of them, in a table
  std::string input;
  std::string framework;
};
/// Prints a workload's sizes, as comments, and the jobs it stands for, as YAML for a scenario.
Result<int> workloads_command(const WorkloadQuery& query);

}  // namespace heddle::cli
