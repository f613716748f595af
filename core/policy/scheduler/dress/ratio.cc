#include "core/policy/scheduler/dress/ratio.h"

#include <algorithm>
#include <numeric>

namespace heddle {
namespace {

std::int64_t sum(const std::vector<std::int64_t>& shares) {
  return std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
}

/// Subtracts one job after the other from `left` until a job does not fit. Returns how many jobs
/// fit.
std::size_t take(const std::vector<std::int64_t>& ascending, std::int64_t& left) {
  std::size_t taken = 0;
  for (; taken < ascending.size() && ascending[taken] <= left; ++taken) left -= ascending[taken];
  return taken;
}

/// Raises each ratio to its floor. If the sum exceeds the bound, the pools of larger demand give up
/// as much, the last one first.
void raise_to_floors(const std::vector<DressPool>& pools, const DressBounds& bounds,
                     std::vector<std::int64_t>& ratios) {
  std::int64_t left = bounds.most;  // for this pool and those of larger demand
  for (std::size_t i = 0; i < ratios.size(); left -= ratios[i++]) {
    if (pools[i].pending.empty()) continue;
    const std::int64_t floor = pools[i].used + *std::ranges::min_element(pools[i].pending);
    ratios[i] = std::max(ratios[i], std::min(floor, left));
    std::int64_t excess = sum(ratios) - bounds.most;
    for (std::size_t j = ratios.size(); excess > 0 && --j > i;) {
      const std::int64_t given = std::clamp(ratios[j] - bounds.least, std::int64_t{0}, excess);
      ratios[j] -= given;
      excess -= given;
    }
  }
}

}  // namespace

std::vector<std::int64_t> dress_available(const std::vector<std::int64_t>& ratios,
                                          const std::vector<DressPool>& pools,
                                          std::int64_t available) {
  std::vector<std::int64_t> shares;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    shares.push_back(std::clamp(ratios[i] - pools[i].used, std::int64_t{0}, available));
    available -= shares.back();
  }
  shares.push_back(available);
  return shares;
}

std::int64_t dress_shift(std::int64_t small_available, std::int64_t large_available,
                         std::int64_t small_expected, std::int64_t large_expected,
                         std::vector<std::int64_t> small_pending,
                         std::vector<std::int64_t> large_pending) {
  std::int64_t small = small_available + small_expected;
  std::int64_t large = large_available + large_expected;
  if (small >= sum(small_pending)) return sum(small_pending) - small;
  if (large >= sum(large_pending)) return large - sum(large_pending);

  std::sort(small_pending.begin(), small_pending.end());
  std::sort(large_pending.begin(), large_pending.end());
  take(large_pending, large);
  std::int64_t shift = 0;
  for (std::size_t i = take(small_pending, small); i < small_pending.size(); ++i) {
    const std::int64_t shortfall = small_pending[i] - small;
    if (shortfall > large) break;
    shift += shortfall;
    large -= shortfall;
    small = 0;
  }
  return shift;
}

std::vector<std::int64_t> next_dress_ratios(const std::vector<std::int64_t>& ratios,
                                            const std::vector<DressPool>& pools,
                                            std::int64_t available, const DressBounds& bounds) {
  const std::vector<std::int64_t> free = dress_available(ratios, pools, available);
  std::vector<std::int64_t> next = ratios;
  std::int64_t left = available;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    left -= free[i];
    std::int64_t expected = 0;
    std::vector<std::int64_t> pending;
    for (std::size_t j = i + 1; j < pools.size(); ++j) {
      expected += pools[j].expected;
      pending.insert(pending.end(), pools[j].pending.begin(), pools[j].pending.end());
    }
    const std::int64_t shift =
        dress_shift(free[i], left, pools[i].expected, expected, pools[i].pending, pending);
    const std::int64_t others = sum(next) - next[i];
    next[i] =
        std::clamp(next[i] + shift, bounds.least, std::max(bounds.least, bounds.most - others));
  }
  if (bounds.floor) raise_to_floors(pools, bounds, next);
  return next;
}

std::int64_t dress_reserve(const std::vector<std::int64_t>& ratios,
                           const std::vector<std::int64_t>& used) {
  std::int64_t reserve = 0;
  for (std::size_t i = 0; i < ratios.size(); ++i)
    reserve += std::max(std::int64_t{0}, ratios[i] - used[i]);
  return reserve;
}

}  // namespace heddle
