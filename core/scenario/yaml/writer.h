#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

/// The scenario as YAML text that reads back as an equal Scenario: counts, arrivals and named
/// workloads expanded, every value written out, `auto` only where it is not resolved.
std::string write_scenario(const Scenario& scenario);

/// The members of a list of jobs, as they stand under `jobs:`. REQUIRES: `nodes` has those that
/// phases prefer.
std::string write_jobs(const std::vector<JobSpec>& jobs, const std::vector<NodeSpec>& nodes);

/// What a job does, as its keys would stand in it: its application master, and its phases, or
/// executors and stages, with every line after `indent`.
std::string write_work(const JobSpec& job, const std::string& indent,
                       const std::vector<NodeSpec>& nodes = {});

}  // namespace heddle
