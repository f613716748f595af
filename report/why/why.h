#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/policy/base/obstacle.h"
#include "core/scenario/scenario.h"
#include "report/tables/rows.h"

namespace heddle::report {

/// A stretch of time in which a job was kept from its next container by the same things, the one
/// that counts most first. Emulated times; until > from.
struct WaitInterval {
  EmuTime from, until;
  std::vector<Obstacle> obstacles;
  friend bool operator==(const WaitInterval&, const WaitInterval&) = default;
};

/// What a job waited for, told in the order of time.
class WaitLog {
 public:
  /// From `now` on it waits for that; nothing: it doesn't wait. What was said of that time and
  /// later ones before is forgotten.
  void at(EmuTime now, std::vector<Obstacle> obstacles);

  /// All of [from, until), without gaps: what nothing was said of, before the first word, is
  /// `otherwise`.
  std::vector<WaitInterval> all(EmuTime from, EmuTime until, const Obstacle& otherwise) const;
  /// Where something was waited for in [from, until).
  std::vector<WaitInterval> waits(EmuTime from, EmuTime until) const;

 private:
  struct Word {
    EmuTime at;
    std::vector<Obstacle> obstacles;
  };
  std::vector<Word> words_;
};

/// Goes on with what the journal's lines alone tell of a job: which of its containers was decided
/// and not there yet. `attempts`: of the job, by container.
void tell_attempts(const JobSpec& job, std::span<const AttemptRow> attempts, EmuTime from,
                   WaitLog& log);

/// A few words for what stands in the way: "no room", "locality delay". What keeps the application
/// master waiting says so: "no room (application master)".
std::string cause_of(const Scenario& scenario, const Obstacle& obstacle);

/// Causes by the time they took, most first.
using CauseTimes = std::vector<std::pair<std::string, EmuTime>>;
CauseTimes times_by_cause(const Scenario& scenario, std::span<const WaitInterval> intervals);

/// Intervals for people: those with the same cause are one, and what is shorter than `flicker` is
/// part of its neighbour. `intervals` must outlive them.
struct ShownWait {
  EmuTime from, until;
  const WaitInterval* main = nullptr;  ///< the longest with the cause that most of it had
  CauseTimes causes;                   ///< all there were, that one first
};
std::vector<ShownWait> shown_waits(const Scenario& scenario,
                                   std::span<const WaitInterval> intervals, EmuTime flicker);

}  // namespace heddle::report
