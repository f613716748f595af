#pragma once

#include <cstdint>
#include <string>

#include "core/scenario/scenario.h"

namespace heddle::sim {

/// Draws a small scenario from the seed: nodes of several sizes, speeds, disks, network cards and
/// racks, queues, and a policy of the given scheduler with drawn options. Some jobs have one or two
/// passes of maps and reduces, half of them with blocks, shuffles, files, skew, pauses and start
/// spread. Others are Spark jobs, with every deploy mode, cached input, shuffles and repeated
/// stages. There are also gangs, application masters, preferred nodes and iterative jobs. Every job
/// can end: no request needs more than half of a node, and no gang more than a third of the
/// cluster.
Scenario random_scenario(std::uint64_t seed, const std::string& scheduler);

}  // namespace heddle::sim
