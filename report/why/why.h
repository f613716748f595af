#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/policy/base/obstacle.h"
#include "core/scenario/scenario.h"
#include "report/run_rows.h"

namespace heddle::report {

/// A span of emulated time in which the same obstacles kept a job from its next container. The most
/// important obstacle is the first. `until` is later than `from`.
struct WaitInterval {
  EmuTime from, until;
  std::vector<Obstacle> obstacles;
  friend bool operator==(const WaitInterval&, const WaitInterval&) = default;
};

/// Records what a job waited for, in the order of time.
class WaitLog {
 public:
  /// Records that these obstacles keep the job waiting from `now` on. An empty list means that the
  /// job does not wait. If there are records for `now` or later times, they are dropped.
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

/// Continues the log from `from` on without the policy's answers. The lines of the journal still
/// say which of the job's containers were decided but not started yet. `attempts` are the attempts
/// of the job, by container.
void tell_attempts(const JobSpec& job, std::span<const AttemptRow> attempts, EmuTime from,
                   WaitLog& log);

/// Returns a sentence for each loss of a node with attempts of the job.
std::vector<std::string> losses_of(const Scenario& scenario, std::span<const NodeRow> nodes,
                                   std::span<const AttemptRow> attempts, JobId job);

/// Causes (Reason::cause) with their total times, longest first.
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
