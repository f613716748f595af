#pragma once

#include <cstdint>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle::bench {

/// Bytes of a GiB.
inline constexpr std::int64_t kGib = 1LL << 30;

/// Adds nodes n1 and so on, of which containers may have all.
void add_nodes(std::int64_t count, const Resources& capacity, Scenario& scenario);

/// Adds nodes of 8 cores and 16 GiB, 40 of them to a rack.
void add_bench_nodes(std::int64_t count, Scenario& scenario);

/// Returns 30 of the nodes (ten blocks of three replicas), or all of them if there are fewer: at
/// equal distances, from a place on that depends on `number`. Ascending.
std::vector<NodeId> preferred_nodes(std::int64_t number, std::int64_t nodes);

}  // namespace heddle::bench
