#pragma once

#include <cstdint>
#include <string>

#include "core/scenario/scenario.h"

namespace heddle::sim {

/// Draws a small scenario from the seed. There are queues, and nodes of several sizes, speeds,
/// disks, network cards and racks. In every third scenario, nodes count a resource beside cores and
/// memory. The policy has the given scheduler and drawn options. Some jobs have one or two passes
/// of maps and reduces. Half of these jobs have blocks, shuffles, files, skew, pauses and start
/// spread. Other jobs are Spark jobs, with every deploy mode, cached input, shuffles and repeated
/// stages. There are also gangs, application masters, preferred nodes and iterative jobs. Every job
/// can end, because no request needs more than half of a node, and no gang needs more than a third
/// of the cluster.
Scenario random_scenario(std::uint64_t seed, const std::string& scheduler);

}  // namespace heddle::sim
