#pragma once

#include <algorithm>
#include <map>

#include "common/ids.h"
#include "core/model/resources.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// The average shares of the cluster that were allocated to Spark's jobs and to MapReduce's since
/// the last control point: iKayak's R_spark and R_mapreduce (docs/reference/policies.md). Sums are
/// made only when an allocation changes, so that steps in which nothing changes leave no trace.
class FrameworkShares {
 public:
  /// Takes in that the job's containers hold that much from `now` on. Times never go back.
  void hold(JobId job, Framework framework, const Resources& allocated, EmuTime now) {
    const auto held = held_.find(job);
    const Resources before = held == held_.end() ? Resources{} : held->second;
    if (allocated != before) add(job, framework, allocated - before, now);
    if (allocated == Resources{}) held_.erase(job);
  }

  /// Takes in that a container of that size was launched for the job now.
  void add(JobId job, Framework framework, const Resources& size, EmuTime now) {
    sum_up(now);
    side(framework).now += size;
    held_[job] += size;
  }

  /// Starts new averages at the control point `at`, which may lie in the past. Does nothing if the
  /// averages began later. REQUIRES: nothing has changed since `at`.
  void begin_at(EmuTime at) {
    if (at <= since_) return;
    since_ = changed_ = at;
    for (Side& side : sides_) side.core_us = side.byte_us = 0;
  }

  struct Shares {
    double spark = 0, mapreduce = 0;  ///< 0..1, of the resource with the larger share
    /// Returns Spark's part of both, 0..1; 0 if nothing was allocated.
    double lambda() const { return spark > 0 ? spark / (spark + mapreduce) : 0; }
  };
  /// Returns the averages from the last control point to `now`; if these are the same time, the
  /// shares that are allocated then. `total`: the cluster's.
  Shares at(EmuTime now, const Resources& total) const {
    return {share(sides_[0], now, total), share(sides_[1], now, total)};
  }

 private:
  struct Side {
    Resources now;                    ///< what is held since changed_
    double core_us = 0, byte_us = 0;  ///< before that: millicores and bytes, times us
  };
  Side& side(Framework framework) { return sides_[framework == Framework::kSpark ? 0 : 1]; }
  void sum_up(EmuTime now) {
    const auto us = static_cast<double>((now - changed_).count());
    for (Side& side : sides_) {
      side.core_us += us * static_cast<double>(side.now.cores.count());
      side.byte_us += us * static_cast<double>(side.now.memory.count());
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
    return std::max(part(side.core_us, side.now.cores.count(), total.cores.count()),
                    part(side.byte_us, side.now.memory.count(), total.memory.count()));
  }

  Side sides_[2];
  std::map<JobId, Resources> held_;
  EmuTime since_, changed_;
};

}  // namespace heddle
