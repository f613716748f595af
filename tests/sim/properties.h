#pragma once

#include <string>
#include <vector>

#include "tests/sim/simulated.h"

namespace heddle::sim {

/// Returns the journal's lines about jobs that did not complete, or "" if all jobs completed.
std::string failures(const std::vector<wire::Json>& journal);

/// Checks the launches, reservations and ends in the journal, independently of the engine's own
/// accounting. No node is over-allocated, no action is refused, and no container is left at the
/// end.
void check_allocations(const Scenario& scenario, const std::vector<wire::Json>& journal);

/// Checks that a replay of the journal makes the same decisions.
void check_replay(const Scenario& scenario, const std::vector<wire::Json>& journal);

}  // namespace heddle::sim
