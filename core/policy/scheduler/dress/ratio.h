#pragma once

#include <cstdint>
#include <vector>

#include "core/model/resources.h"

namespace heddle {

// Computes the ratios of DRESS's pools. Each category of demand has a pool. The ratio of a pool is
// the share of the cluster that is reserved for the pool. The last pool has no ratio. All amounts
// are shares of the cluster in billionths (kWholeCluster is Tot_R). All functions are pure.
//
// Source: Mao et al., DRESS, Algorithm 3, as read in docs/reference/policies.md.

/// The state of one pool when the ratios are updated.
struct DressPool {
  std::int64_t used = 0;              ///< held by its jobs
  std::int64_t expected = 0;          ///< F: expected to be released by its jobs
  std::vector<std::int64_t> pending;  ///< w: what each of its jobs requests, in any order
};

struct DressBounds {
  std::int64_t least = 0;             ///< lower bound of each ratio
  std::int64_t most = kWholeCluster;  ///< upper bound of the sum of the ratios
  /// Whether a pool whose jobs wait keeps what it holds and the least that one of them requests.
  /// Without it, whatever is released goes to a large job that it is enough for, so nothing is ever
  /// saved for a small job that needs more (docs/reference/policies.md).
  bool floor = false;
};

/// Returns what is free for each pool now. For the first pool, this is A_c1 = clamp(delta_1 Tot_R -
/// used_1, 0, A_c). Each further pool gets its part of what is left in the same way. The last pool
/// gets the rest. REQUIRES: ratios.size() + 1 == pools.size().
std::vector<std::int64_t> dress_available(const std::vector<std::int64_t>& ratios,
                                          const std::vector<DressPool>& pools,
                                          std::int64_t available);

/// Returns the change of delta that Algorithm 3 computes for a small and a large pool. A negative
/// change makes delta smaller. `small_pending` and `large_pending`: w of each job that requests
/// something.
std::int64_t dress_shift(std::int64_t small_available, std::int64_t large_available,
                         std::int64_t small_expected, std::int64_t large_expected,
                         std::vector<std::int64_t> small_pending,
                         std::vector<std::int64_t> large_pending);

/// Returns the next ratios. With two pools, this is Algorithm 3. With more pools, Algorithm 3 runs
/// once for each pool except the last, the smallest demand first. This pool is then the small pool,
/// and all later pools together are the large pool. REQUIRES: ratios.size() + 1 == pools.size().
std::vector<std::int64_t> next_dress_ratios(const std::vector<std::int64_t>& ratios,
                                            const std::vector<DressPool>& pools,
                                            std::int64_t available, const DressBounds& bounds);

/// Returns the part of the ratios that the pools do not use: the sum of max(0, delta_i - used_i).
/// The last pool does not count. `used` can have an entry for it, which is ignored.
std::int64_t dress_reserve(const std::vector<std::int64_t>& ratios,
                           const std::vector<std::int64_t>& used);

}  // namespace heddle
