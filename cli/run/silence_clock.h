#pragma once

#include <algorithm>
#include <chrono>

namespace heddle::cli {

/// Measures how long a process has been silent. Only time in which the watcher itself ran is
/// counted: after the watcher was stopped (Ctrl-Z, SIGSTOP), only kLongestStep of the gap between
/// two looks counts.
class SilenceClock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::nanoseconds;

  /// A running caller looks more often than this.
  static constexpr Duration kLongestStep = std::chrono::seconds(2);

  SilenceClock(Duration limit, Time now) : limit_(limit), looked_(now) {}

  /// Ends the silence; the next one may be longer than the limit by `grace`.
  void heard(Time now, Duration grace = {}) {
    silent_ = -grace;
    looked_ = now;
  }
  /// Counts the time since the last look; returns whether the silence has reached the limit.
  bool over(Time now) {
    silent_ += std::clamp<Duration>(now - looked_, Duration(0), kLongestStep);
    looked_ = now;
    return silent_ >= limit_;
  }
  Duration limit() const { return limit_; }

 private:
  Duration limit_;
  Time looked_;
  Duration silent_{0};
};

/// Returns how long the master may be silent, in real time. A busy master, or one that was stopped
/// for a few seconds, must not be taken for hung. `heartbeat`: real time between two heartbeats of
/// a node.
constexpr SilenceClock::Duration hang_limit(SilenceClock::Duration heartbeat) {
  return std::max<SilenceClock::Duration>(std::chrono::seconds(30), 20 * heartbeat);
}

}  // namespace heddle::cli
