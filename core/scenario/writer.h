#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

/// The scenario as YAML text that reads back as an equal Scenario: counts, arrivals and named
/// workloads expanded, every value written out, `auto` only where it is not resolved.
std::string write_scenario(const Scenario& scenario);

/// Phases as they would stand under a job's `phases:`, one a line, each after `indent`; none for an
/// application master. REQUIRES: `nodes` has those that phases prefer.
std::string write_phases(const std::vector<PhaseSpec>& phases, const std::string& indent = "",
                         const std::vector<NodeSpec>& nodes = {});

}  // namespace heddle
