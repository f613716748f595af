#pragma once

#include <cstdint>
#include <string>

#include "core/scenario/scenario.h"

namespace heddle {

/// A small scenario that the seed draws: nodes of several sizes, speeds and racks, queues, jobs
/// with maps, reduces, gangs, application masters, preferred nodes, and a policy of the given
/// scheduler with options drawn too. Every job of it can end: no request needs more than half of a
/// node, no gang more than a third of the cluster.
Scenario random_scenario(std::uint64_t seed, const std::string& scheduler);

}  // namespace heddle
