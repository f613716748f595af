#include "core/policy/scheduler/dress/ratio.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heddle {
namespace {

constexpr double kHair = 1e-9;  ///< an exact fit fits, whatever its decimals

bool fits(double wanted, double room) { return wanted <= room + kHair; }

double sum(const std::vector<std::int64_t>& units) {
  return static_cast<double>(std::accumulate(units.begin(), units.end(), std::int64_t{0}));
}

/// Takes each in turn while it fits; returns how many did.
std::size_t take(const std::vector<std::int64_t>& ascending, double& room) {
  std::size_t taken = 0;
  for (; taken < ascending.size() && fits(static_cast<double>(ascending[taken]), room); ++taken)
    room -= static_cast<double>(ascending[taken]);
  return taken;
}

}  // namespace

std::vector<double> dress_available(const std::vector<double>& ratios,
                                    const std::vector<DressPool>& pools, std::int64_t total,
                                    std::int64_t available) {
  std::vector<double> shares;
  auto left = static_cast<double>(available);
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const double room = ratios[i] * static_cast<double>(total) - static_cast<double>(pools[i].used);
    shares.push_back(std::clamp(room, 0.0, left));
    left -= shares.back();
  }
  shares.push_back(left);
  return shares;
}

double dress_shift(double small_available, double large_available, double small_expected,
                   double large_expected, std::vector<std::int64_t> small_pending,
                   std::vector<std::int64_t> large_pending) {
  double small = small_available + small_expected;
  double large = large_available + large_expected;
  if (fits(sum(small_pending), small)) return sum(small_pending) - small;
  if (fits(sum(large_pending), large)) return large - sum(large_pending);

  std::sort(small_pending.begin(), small_pending.end());
  std::sort(large_pending.begin(), large_pending.end());
  take(large_pending, large);
  double shift = 0;
  for (std::size_t i = take(small_pending, small); i < small_pending.size(); ++i) {
    const auto wanted = static_cast<double>(small_pending[i]);
    if (!fits(wanted, small + large)) break;
    shift += wanted - small;
    large -= wanted - small;
    small = 0;
  }
  return shift;
}

std::vector<double> next_dress_ratios(const std::vector<double>& ratios,
                                      const std::vector<DressPool>& pools, std::int64_t total,
                                      std::int64_t available, const DressBounds& bounds) {
  const std::vector<double> free = dress_available(ratios, pools, total, available);
  std::vector<double> next = ratios;
  double left = static_cast<double>(available);
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    left -= free[i];
    double expected = 0;
    std::vector<std::int64_t> pending;
    for (std::size_t j = i + 1; j < pools.size(); ++j) {
      expected += pools[j].expected;
      pending.insert(pending.end(), pools[j].pending.begin(), pools[j].pending.end());
    }
    const double shift =
        dress_shift(free[i], left, pools[i].expected, expected, pools[i].pending, pending);
    const double others = std::accumulate(next.begin(), next.end(), 0.0) - next[i];
    next[i] = std::clamp(next[i] + shift / static_cast<double>(total), bounds.least,
                         std::max(bounds.least, bounds.most - others));
  }
  return next;
}

std::vector<std::int64_t> dress_shares(const std::vector<double>& ratios, std::int64_t total) {
  std::vector<std::int64_t> shares;
  std::int64_t left = total;
  for (double ratio : ratios) {
    shares.push_back(
        std::min<std::int64_t>(std::llround(ratio * static_cast<double>(total)), left));
    left -= shares.back();
  }
  shares.push_back(left);
  return shares;
}

}  // namespace heddle
