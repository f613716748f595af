#pragma once

#include <vector>

#include "core/model/event.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// From `at` on a node carries this much from outside, all its loads together.
struct LoadChange {
  EmuTime at;
  ExternalLoad what;
};

/// Every change of a node's external load, by time and then by node; none where loads come and go
/// in a way that leaves it as it was. A node that has not been named yet carries nothing.
std::vector<LoadChange> load_changes(const std::vector<ExternalLoadSpec>& loads);

/// Whether a load is ever on the node.
bool has_external_load(const Scenario& scenario, NodeId node);

}  // namespace heddle
