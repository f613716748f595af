#pragma once

#include <cstdint>
#include <vector>

#include "core/model/resources.h"

namespace heddle {

// The ratios between DRESS's pools. Each category of demand has a pool; the ratios are the shares
// of the cluster that all pools but the last have reserved. All amounts are shares of the cluster
// in billionths (kWholeCluster is Tot_R). All functions are pure.
//
// Source: Mao et al., DRESS, Algorithm 3, as read in docs/reference/policies.md.

/// The state of one pool when the ratios are updated.
struct DressPool {
  std::int64_t used = 0;              ///< held by its jobs
  std::int64_t expected = 0;          ///< F: about to be released by them
  std::vector<std::int64_t> pending;  ///< w of each of its jobs that asks, in any order
};

struct DressBounds {
  std::int64_t least = 0;             ///< of each ratio
  std::int64_t most = kWholeCluster;  ///< of their sum
};

/// Returns what is free for each pool now: A_c1 = clamp(delta_1 Tot_R - used_1, 0, A_c); the next
/// pool gets its part of what is left in the same way, and the last pool gets the rest. REQUIRES:
/// ratios.size() + 1 == pools.size().
std::vector<std::int64_t> dress_available(const std::vector<std::int64_t>& ratios,
                                          const std::vector<DressPool>& pools,
                                          std::int64_t available);

/// Returns by how much delta grows (below 0: shrinks), by Algorithm 3 for a small and a large pool.
/// `small_pending` and `large_pending`: w of the jobs that ask.
std::int64_t dress_shift(std::int64_t small_available, std::int64_t large_available,
                         std::int64_t small_expected, std::int64_t large_expected,
                         std::vector<std::int64_t> small_pending,
                         std::vector<std::int64_t> large_pending);

/// Returns the next ratios. With two pools this is Algorithm 3. With more, each pool in turn, the
/// smallest demand first, is the small pool, and all pools after it together are the large one.
/// REQUIRES: ratios.size() + 1 == pools.size().
std::vector<std::int64_t> next_dress_ratios(const std::vector<std::int64_t>& ratios,
                                            const std::vector<DressPool>& pools,
                                            std::int64_t available, const DressBounds& bounds);

/// Returns what is reserved for all pools but the last and not used by them: the sum of max(0,
/// delta_i - used_i). `used` may have one entry more, which does not count.
std::int64_t dress_reserve(const std::vector<std::int64_t>& ratios,
                           const std::vector<std::int64_t>& used);

}  // namespace heddle
