#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/units.h"

namespace heddle::backfill {

/// The end of a job without a walltime.
inline constexpr EmuTime kForever{std::numeric_limits<std::int64_t>::max()};

/// Returns `time` + `length`, or kForever if that is too late.
inline EmuTime after(EmuTime time, EmuTime length) {
  return length >= kForever - time ? kForever : time + length;
}

/// An amount that changes with time: what is free from a point in time on, in ascending order of
/// the times. The first time is that of the plan. The last amount lasts for ever. Intervals are
/// half-open.
template <class T>
class Steps {
 public:
  Steps(EmuTime now, T free) : steps_{{now, std::move(free)}} {}

  /// Returns the least that is free in [from, until), separately for each resource. REQUIRES:
  /// `from` is not before the time of the plan.
  T least(EmuTime from, EmuTime until) const {
    using std::min;
    auto at = std::ranges::upper_bound(steps_, from, {}, &Step::first);
    assert(at != steps_.begin());
    T least = std::prev(at)->second;
    for (; at != steps_.end() && at->first < until; ++at) least = min(least, at->second);
    return least;
  }
  const T& at(EmuTime time) const {
    return std::prev(std::ranges::upper_bound(steps_, time, {}, &Step::first))->second;
  }
  /// Adds an amount in [from, until). A negative amount takes it.
  void add(EmuTime from, EmuTime until, const T& amount) {
    change(from, until, [&](T& free) { free += amount; });
  }
  /// Calls f with each amount in [from, until), which f can change.
  template <class F>
  void change(EmuTime from, EmuTime until, const F& f) {
    if (until <= from) return;
    const std::size_t begin = split(from);
    const std::size_t end = until == kForever ? steps_.size() : split(until);
    for (std::size_t i = begin; i < end; ++i) f(steps_[i].second);
  }
  /// Adds a last step. REQUIRES: it is later than all others.
  void append(EmuTime time, T amount) { steps_.emplace_back(time, std::move(amount)); }

  using Step = std::pair<EmuTime, T>;
  const std::vector<Step>& steps() const { return steps_; }

 private:
  /// Returns the index of the step that begins at `time`. Makes one if there is none.
  std::size_t split(EmuTime time) {
    auto at = std::ranges::lower_bound(steps_, time, {}, &Step::first);
    if (at == steps_.end() || at->first != time) {
      assert(at != steps_.begin());
      at = steps_.insert(at, {time, std::prev(at)->second});
    }
    return static_cast<std::size_t>(at - steps_.begin());
  }

  std::vector<Step> steps_;
};

/// Returns the first of the times at which `fits` becomes true and stays true for `length`. `times`
/// ascend, and nothing changes between them. Returns nullopt if there is none.
template <class Fits>
std::optional<EmuTime> earliest(std::span<const EmuTime> times, EmuTime length, const Fits& fits) {
  std::optional<EmuTime> start;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!fits(times[i])) {
      start.reset();
      continue;
    }
    if (!start) start = times[i];
    const EmuTime next = i + 1 < times.size() ? times[i + 1] : kForever;
    if (next >= after(*start, length)) return start;
  }
  return std::nullopt;
}

}  // namespace heddle::backfill
