#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

/// Returns this many cores and GiB.
Resources size_of(double cores, double gib);
/// Returns a node whose tasks may use all of it.
NodeSpec node_of(const std::string& name, const Resources& size, double speed = 1);
/// Returns a scenario with nodes n1…nN of the given cores and GiB each, and `dispatch: immediate`.
/// `policy` is as in set_policy().
Scenario cluster_of(int nodes, double cores, double gib, const std::string& policy = "",
                    std::vector<JobSpec> jobs = {});
Scenario cluster_of(int nodes, double cores, double gib, std::vector<JobSpec> jobs);
/// Returns a queue below the root, with defaults for everything else.
QueueSpec queue_of(const std::string& name, double capacity = 1, double max_capacity = 1);
/// Sets an option of the scenario's policy. Its name and value must be valid.
void set_policy(Scenario& scenario, const char* option, const char* value);
/// Sets the preset and options of the scenario's policy, and leaves its other options as they are.
/// `words` are as on the command line: "fair+reserve=false".
void set_policy(Scenario& scenario, const std::string& words);

}  // namespace heddle
