#pragma once

#include <string>
#include <vector>

#include "tests/sim/simulated.h"

namespace heddle::sim {

/// Returns the journal's lines about jobs that did not complete, or "" if all jobs completed.
std::string failures(const std::vector<wire::Json>& journal);

/// Checks the launches, reservations and ends in the journal, independently of the engine's own
/// accounting. No node is over-allocated or reserved for others, no array exceeds its limit, no
/// action is refused, and no container is left at the end.
void check_allocations(const Scenario& scenario, const std::vector<wire::Json>& journal);

/// Checks that all jobs completed, and does the checks of check_allocations and check_replay.
void check_run(const Scenario& scenario, const Simulated& outcome);

/// Checks that the journal has actions, and that a replay makes the same decisions.
void check_replay(const Scenario& scenario, const std::vector<wire::Json>& journal);

}  // namespace heddle::sim
