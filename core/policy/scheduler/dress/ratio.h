#pragma once

#include <cstdint>
#include <vector>

namespace heddle {

// DRESS's pools: each category of demand has a share of the cluster, the last what the others
// leave. Everything is counted in unit containers. Pure.

/// What an update of the ratios is made from, of one pool.
struct DressPool {
  std::int64_t used = 0;              ///< held by its jobs
  double expected = 0;                ///< F: about to be released by them
  std::vector<std::int64_t> pending;  ///< w of each of its jobs that asks, in any order
};

struct DressBounds {
  double least = 0;  ///< of each ratio
  double most = 1;   ///< of their sum
};

/// What is free for each pool now: A_c1 = clamp(delta_1 Tot_R - used_1, 0, A_c), the next one
/// likewise of what is left, the last has the rest. `ratios` has one entry less than `pools`.
std::vector<double> dress_available(const std::vector<double>& ratios,
                                    const std::vector<DressPool>& pools, std::int64_t total,
                                    std::int64_t available);

/// Algorithm 3 for a small pool and a large one: units by which the small one's share is to grow
/// (below 0: shrink). `small_pending` and `large_pending`: w of the jobs that ask.
double dress_shift(double small_available, double large_available, double small_expected,
                   double large_expected, std::vector<std::int64_t> small_pending,
                   std::vector<std::int64_t> large_pending);

/// The next ratios. With two pools this is Algorithm 3; with more each pool in turn, the smallest
/// demand first, is the small one against all that come after it taken together.
/// REQUIRES: total > 0; ratios.size() + 1 == pools.size().
std::vector<double> next_dress_ratios(const std::vector<double>& ratios,
                                      const std::vector<DressPool>& pools, std::int64_t total,
                                      std::int64_t available, const DressBounds& bounds);

/// What each pool may hold: round(delta_i Tot_R), the last what that leaves.
std::vector<std::int64_t> dress_shares(const std::vector<double>& ratios, std::int64_t total);

}  // namespace heddle
