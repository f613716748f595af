#pragma once

#include <string>

#include "core/scenario/scenario.h"

namespace heddle {

/// How near to its data a task is placed; kAny: it has no preference.
enum class Locality { kAny, kLocal, kRack, kRemote };

/// How near `node` is to any of the nodes in `prefer` (ascending). REQUIRES: ids are the cluster's.
Locality locality(const ClusterSpec& cluster, const std::vector<NodeId>& prefer, NodeId node);

/// Brings those who have some data into the order in which `reader` tries them: itself, its rack,
/// the others; else as they were.
void try_nearest_first(const ClusterSpec& cluster, NodeId reader, std::vector<NodeId>& from);

}  // namespace heddle
