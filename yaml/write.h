#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

/// With more jobs, a scenario has a table of jobs (yaml/jobs_table.h) if it can.
inline constexpr std::size_t kMostListedJobs = 2000;

/// Returns the scenario as YAML text. If the text is read again, the result is an equal Scenario.
/// Counts, arrivals and named workloads are expanded, and every value is written, also if it is the
/// default. A factor is written as `auto` if it is not resolved.
std::string write_scenario(const Scenario& scenario);

/// Returns the members of the list of jobs, as they stand under `jobs:`. REQUIRES: `cluster` has
/// all nodes that phases prefer, and the resources that phases request.
std::string write_jobs(const std::vector<JobSpec>& jobs, const ClusterSpec& cluster);

/// Returns one member of such a list. `jobs`: all jobs, which its conditions name.
std::string write_job(const JobSpec& job, const std::vector<JobSpec>& jobs,
                      const ClusterSpec& cluster);

/// Returns the keys that describe the work of a job. These are the application master and the
/// phases, or for a Spark job the executors and the stages. Every line starts with `indent`.
std::string write_work(const JobSpec& job, const std::string& indent,
                       const ClusterSpec& cluster = {});

}  // namespace heddle
