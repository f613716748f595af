#pragma once

#include <algorithm>
#include <chrono>
#include <deque>

#include "common/units.h"

namespace heddle::master {

// A node is lost if its worker is silent for too long. A slow machine must not lose nodes: there,
// neither the workers nor the master run when they should. Pure functions of real time decide how
// long a worker was silent and how long it may be.

/// The delays of this time count.
inline constexpr real::Duration kLately = std::chrono::minutes(1);
/// A node may be silent for this many times the largest delay.
inline constexpr int kDelays = 3;
/// Shorter delays of the master's loop are usual, and harmless for a limit of at least 2 s.
inline constexpr real::Duration kLeastStall = std::chrono::milliseconds(100);

/// Returns for how long a node may be silent. `configured`: the limit on a machine without delays.
/// `late`: the largest delay of a heartbeat lately.
constexpr real::Duration silence_limit(real::Duration configured, real::Duration late) {
  return std::max(configured, kDelays * late);
}

/// Returns for how long the master did not run, so that the silence of its workers does not count.
/// The master's loop took `took` until it came back to the same place, of which it wanted to wait
/// for `wait`.
constexpr real::Duration stall(real::Duration took, real::Duration wait) {
  return took - wait < kLeastStall ? real::Duration(0) : took - wait;
}

/// Finds the largest delay with which workers sent their heartbeats lately.
class LateHeartbeats {
 public:
  /// Notes a heartbeat that arrived at `now` and was sent `late` after it was due. A delay of more
  /// than kLately counts as kLately, because no worker can make the master wait for longer.
  void note(real::Duration late, real::Time now) {
    late = std::min(late, kLately);
    while (!late_.empty() && late_.back().late <= late) late_.pop_back();
    late_.push_back({now, late});
    while (now - late_.front().at > kLately) late_.pop_front();
  }
  /// Returns 0 if no heartbeat has arrived within kLately.
  real::Duration largest(real::Time now) const {
    const auto recent =
        std::ranges::find_if(late_, [now](const Late& one) { return now - one.at <= kLately; });
    return recent == late_.end() ? real::Duration(0) : recent->late;
  }

 private:
  struct Late {
    real::Time at;
    real::Duration late;
  };
  std::deque<Late> late_;  ///< each smaller than the one before it
};

}  // namespace heddle::master
