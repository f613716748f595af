#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

/// Returns the scenario as YAML text that reads back as an equal Scenario. Counts, arrivals and
/// named workloads are expanded, every value is written, and `auto` appears only if it is not
/// resolved.
std::string write_scenario(const Scenario& scenario);

/// Returns the members of a list of jobs, as written under `jobs:`. REQUIRES: `nodes` has all nodes
/// that phases prefer.
std::string write_jobs(const std::vector<JobSpec>& jobs, const std::vector<NodeSpec>& nodes);

/// Returns the work of a job as its keys: the application master, and phases, or executors and
/// stages. Every line starts with `indent`.
std::string write_work(const JobSpec& job, const std::string& indent,
                       const std::vector<NodeSpec>& nodes = {});

}  // namespace heddle
