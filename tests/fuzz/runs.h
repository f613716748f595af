#pragma once

#include <string>

#include "core/scenario/scenario.h"

namespace heddle::fuzz {

/// The run that journals in the corpora are of, tests/fuzz/corpus/scenario/run.yaml: two nodes and
/// three jobs.
const std::string& run_text();
/// In virtual time, under a policy as --policy takes it.
Scenario run_scenario(const std::string& policy);

}  // namespace heddle::fuzz
