#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/policy/base/obstacle.h"
#include "core/scenario/scenario.h"
#include "report/tables/rows.h"

namespace heddle::report {

/// A span of emulated time in which the same obstacles kept a job from its next container, the most
/// important one first; until > from.
struct WaitInterval {
  EmuTime from, until;
  std::vector<Obstacle> obstacles;
  friend bool operator==(const WaitInterval&, const WaitInterval&) = default;
};

/// Records what a job waited for, in the order of time.
class WaitLog {
 public:
  /// Records that the job waits for these obstacles from `now` on; an empty list means that it does
  /// not wait. Earlier records of `now` and later times are dropped.
  void at(EmuTime now, std::vector<Obstacle> obstacles);

  /// Returns intervals that cover all of [from, until) without gaps. `otherwise` fills the times
  /// for which nothing was recorded.
  std::vector<WaitInterval> all(EmuTime from, EmuTime until, const Obstacle& otherwise) const;
  /// Returns the intervals in [from, until) in which the job waited.
  std::vector<WaitInterval> waits(EmuTime from, EmuTime until) const;

 private:
  struct Word {
    EmuTime at;
    std::vector<Obstacle> obstacles;
  };
  std::vector<Word> words_;
};

/// Continues the log from `from` on with what the journal's lines alone say: which of the job's
/// containers were decided but not started yet. `attempts` are the job's, by container.
void tell_attempts(const JobSpec& job, std::span<const AttemptRow> attempts, EmuTime from,
                   WaitLog& log);

/// Returns a short name of an obstacle's cause: "no room", "locality delay". The causes of an
/// application master's waiting say so: "no room (application master)".
std::string cause_of(const Scenario& scenario, const Obstacle& obstacle);

/// Causes with their total times, longest first.
using CauseTimes = std::vector<std::pair<std::string, EmuTime>>;
CauseTimes times_by_cause(const Scenario& scenario, std::span<const WaitInterval> intervals);

/// An interval for people. Neighboring intervals with the same cause are merged, and an interval
/// shorter than `flicker` is merged into its neighbor. `intervals` must outlive the result.
struct ShownWait {
  EmuTime from, until;
  const WaitInterval* main = nullptr;  ///< the longest interval of the main cause
  CauseTimes causes;                   ///< all causes, the main one first
};
std::vector<ShownWait> shown_waits(const Scenario& scenario,
                                   std::span<const WaitInterval> intervals, EmuTime flicker);

}  // namespace heddle::report
