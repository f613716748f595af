#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <string>
#include <vector>

#include "wire/progress.h"

namespace heddle::cli {

/// Returns whether events of the kind are printed if standard error is no terminal. The starts and
/// completions of jobs are not printed, because the progress lines count them.
bool is_printed(wire::EventKind kind);
/// Returns how a summary names events of the kind, such as "memory kills".
std::string events_text(wire::EventKind kind, std::int64_t count);

/// Chooses the lines about events that `heddle run` prints without a terminal. Every event has a
/// line of its own, unless its kind is too frequent: after kMostPerSecond events of a kind in one
/// real second, further events of this kind are counted, and a line every kSumInterval says how
/// many there were. Events that happened between two messages of the master and are not in
/// last_events are counted in the same way. Pure: the real time is passed in.
class EventLines {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kMostPerSecond = 5;
  static constexpr std::chrono::seconds kSumInterval{5};

  /// Returns the lines that are due.
  std::vector<std::string> take(const wire::Progress& progress, Time now);
  /// Returns a line for each kind that has counted events, at the end of the run.
  std::vector<std::string> rest(Time now) { return sums(now, true); }
  /// Notes that a new master resumes the run. It counts events from 0.
  void restart();

 private:
  struct Kind {
    std::int64_t seen = 0;     ///< events that were printed or counted
    std::deque<Time> printed;  ///< when the lines of the last second were printed
    std::int64_t counted = 0;  ///< events that no line has reported yet
    Time since;                ///< when `counted` was 0 last
  };
  /// Counts events that have no line of their own.
  static void count(Kind& kind, std::int64_t events, Time now);

  /// Returns the summaries that are due, or all of them.
  std::vector<std::string> sums(Time now, bool all);

  std::array<Kind, wire::kEventKinds> kinds_;
  double now_s_ = 0;  ///< emulated time of the last message
};

}  // namespace heddle::cli
