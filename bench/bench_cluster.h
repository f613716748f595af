#pragma once

#include <cstdint>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle::bench {

/// Number of bytes in a GiB.
inline constexpr std::int64_t kGib = 1LL << 30;

/// Adds `count` nodes, named n1, n2 and so on. Containers are allowed to use the whole capacity of
/// a node.
void add_nodes(std::int64_t count, const Resources& capacity, Scenario& scenario);

/// Adds nodes of 8 cores and 16 GiB, in racks of 40.
void add_bench_nodes(std::int64_t count, Scenario& scenario);

/// Returns the nodes that a phase prefers: 30 nodes, as for ten blocks of three replicas, or all
/// nodes if there are fewer. The nodes are equally spaced and ascend. `number` decides where the
/// first one is.
std::vector<NodeId> preferred_nodes(std::int64_t number, std::int64_t nodes);

}  // namespace heddle::bench
