#pragma once

#include <algorithm>
#include <array>
#include <map>

#include "common/ids.h"
#include "core/model/resources.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// Computes the average shares of the cluster that Spark's jobs and MapReduce's jobs have held
/// since the last control point. These are iKayak's R_spark and R_mapreduce
/// (docs/reference/policies.md). The sums are updated only when an allocation changes. Steps
/// without a change therefore leave the state as it is.
class FrameworkShares {
 public:
  /// Takes in that the job's containers hold `allocated` from `now` on. `now` is never before an
  /// earlier `now`.
  void hold(JobId job, Framework framework, const Resources& allocated, EmuTime now) {
    const auto held = held_.find(job);
    const Resources before = held == held_.end() ? Resources{} : held->second;
    if (allocated != before) add(job, framework, allocated - before, now);
    if (allocated == Resources{}) held_.erase(job);
  }

  /// Takes in that a container of `size` was launched for the job at `now`.
  void add(JobId job, Framework framework, const Resources& size, EmuTime now) {
    sum_up(now);
    side(framework).now += size;
    held_[job] += size;
  }

  /// Starts new averages at the control point `at`, which can be in the past. Does nothing if the
  /// current averages began at `at` or later. REQUIRES: nothing has changed since `at`.
  void begin_at(EmuTime at) {
    if (at <= since_) return;
    since_ = changed_ = at;
    for (Side& side : sides_) side.sums = {};
  }

  struct Shares {
    double spark = 0, mapreduce = 0;  ///< 0..1; of all resources, the largest share
    /// Returns Spark's part of the sum of the two shares, 0..1. Returns 0 if nothing was allocated.
    double lambda() const { return spark > 0 ? spark / (spark + mapreduce) : 0; }
  };
  /// Returns the averages from the last control point to `now`. If `now` is the control point,
  /// returns the current shares. `total`: the resources of the cluster.
  Shares at(EmuTime now, const Resources& total) const {
    return {share(sides_[0], now, total), share(sides_[1], now, total)};
  }

 private:
  struct Side {
    Resources now;  ///< what has been held since changed_
    /// Sums of what was held before changed_, for each resource, in its unit x us.
    std::array<double, 2 + Counts::kMost> sums{};
  };
  Side& side(Framework framework) { return sides_[framework == Framework::kSpark ? 0 : 1]; }
  void sum_up(EmuTime now) {
    const auto us = static_cast<double>((now - changed_).count());
    for (Side& side : sides_) {
      auto sum = side.sums.begin();
      each_pair(side.now, {},
                [&](std::int64_t held, std::int64_t) { *sum++ += us * static_cast<double>(held); });
    }
    changed_ = now;
  }

  double share(const Side& side, EmuTime now, const Resources& total) const {
    if (now == since_) return dominant_share(side.now, total);
    const auto us = static_cast<double>((now - changed_).count());
    const auto all_us = static_cast<double>((now - since_).count());
    const auto part = [&](double sum, std::int64_t held, std::int64_t of) {
      const double amount = sum + us * static_cast<double>(held);
      return of > 0 ? amount / (all_us * static_cast<double>(of)) : 0;
    };
    double most = 0;
    auto sum = side.sums.begin();
    each_pair(side.now, total, [&](std::int64_t held, std::int64_t of) {
      most = std::max(most, part(*sum++, held, of));
    });
    return most;
  }

  Side sides_[2];
  std::map<JobId, Resources> held_;
  EmuTime since_, changed_;
};

}  // namespace heddle
