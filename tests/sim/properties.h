#pragma once

#include <string>
#include <vector>

#include "tests/sim/simulated.h"

namespace heddle::sim {

/// The lines that tell of jobs that didn't complete; "" if all did.
std::string failures(const std::vector<wire::Json>& journal);

/// Folds launches, reservations and ends as the journal tells them, apart from the engine's own
/// books: nothing is over-allocated, nothing refused, nothing left.
void check_allocations(const Scenario& scenario, const std::vector<wire::Json>& journal);

/// A replay of the journal decides the same.
void check_replay(const Scenario& scenario, const std::vector<wire::Json>& journal);

}  // namespace heddle::sim
