#pragma once

#include <cstdint>
#include <string>

#include "core/scenario/scenario.h"

namespace heddle::sim {

/// A small scenario that the seed draws: nodes of several sizes, speeds, disks, network cards and
/// racks, queues, and a policy of the given scheduler with options drawn too. Of its jobs some have
/// one or two passes of maps and reduces, half of these with blocks, shuffles, files, skew, pauses
/// and start spread; others are Spark's, of all ways to deploy, with cached input, shuffles and
/// stages that come again; there are gangs, application masters, preferred nodes and iterative
/// jobs. Every job of it can end: no request needs more than half of a node, no gang more than a
/// third of the cluster.
Scenario random_scenario(std::uint64_t seed, const std::string& scheduler);

}  // namespace heddle::sim
