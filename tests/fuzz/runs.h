#pragma once

#include <string>

#include "core/scenario/scenario.h"

namespace heddle::fuzz {

/// Returns the scenario of the runs whose journals are in the corpora,
/// tests/fuzz/corpus/scenario/run.yaml: two nodes and three jobs.
const std::string& run_text();
/// Returns the scenario for a simulation under a policy, written as for --policy.
Scenario run_scenario(const std::string& policy);

}  // namespace heddle::fuzz
