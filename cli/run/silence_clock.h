#pragma once

#include <algorithm>
#include <chrono>

namespace heddle::cli {

/// Measures how long a process has been silent. The clock counts only time in which the watching
/// process itself ran. If the watching process was stopped (Ctrl-Z, SIGSTOP), only kLongestStep of
/// the time between two calls counts.
class SilenceClock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::nanoseconds;

  /// Longest time between two calls that counts. A caller that is not stopped calls more often.
  static constexpr Duration kLongestStep = std::chrono::seconds(2);

  SilenceClock(Duration limit, Time now) : limit_(limit), looked_(now) {}

  /// Ends the silence. The next silence is allowed to be longer than the limit by `grace`.
  void heard(Time now, Duration grace = {}) {
    silent_ = -grace;
    looked_ = now;
  }
  /// Counts the time since the last call. Returns whether the silence has reached the limit.
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

/// Returns after how much silence, in real time, the master counts as hung. The limit is long,
/// because a busy master and a master that was stopped for a few seconds must not count as hung.
/// `heartbeat`: real time between two heartbeats of a node.
constexpr SilenceClock::Duration hang_limit(SilenceClock::Duration heartbeat) {
  return std::max<SilenceClock::Duration>(std::chrono::seconds(30), 20 * heartbeat);
}

}  // namespace heddle::cli
