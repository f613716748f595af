#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/units.h"
#include "core/model/resources.h"

namespace heddle::backfill {

// The plan of a backfilling scheduler. The scheduler makes a new plan after each change. The plan
// assumes that running jobs hold their nodes until their walltimes are over. Intervals of time are
// half-open.

/// The end of a job without a walltime.
inline constexpr EmuTime kForever{std::numeric_limits<std::int64_t>::max()};

/// Returns `time` + `length`, or kForever if that is too late.
inline EmuTime after(EmuTime time, EmuTime length) {
  return length >= kForever - time ? kForever : time + length;
}

/// The resources that a node has free from a point in time on, in ascending order of the times. The
/// first time is that of the plan.
class NodePlan {
 public:
  NodePlan(EmuTime now, const Resources& free) : steps_{{now, free}} {}

  /// Returns the least that is free in [from, until), separately for each resource. REQUIRES:
  /// `from` is not before the time of the plan.
  Resources least(EmuTime from, EmuTime until) const;
  Resources at(EmuTime time) const { return least(time, time + EmuTime(1)); }
  /// Takes resources in [from, until). A negative amount gives them back.
  void take(EmuTime from, EmuTime until, const Resources& amount);
  const std::vector<std::pair<EmuTime, Resources>>& steps() const { return steps_; }

 private:
  /// Returns the index of the step that begins at `time`. Makes one if there is none.
  std::size_t split(EmuTime time);

  std::vector<std::pair<EmuTime, Resources>> steps_;
};

/// A job that waits. All its tasks start at once.
struct Waiting {
  int tasks = 1;
  Resources size;  ///< of one task
  EmuTime walltime = kForever;
};

/// How jobs that cannot start now get reservations, and on what.
struct Rules {
  bool conservative = false;  ///< every job gets a reservation; false: only the first
  /// Starts and reservations are on definite nodes, the lowest ones that are free for the whole
  /// time. false: only how many tasks fit in the cluster counts, and the nodes are chosen at the
  /// start.
  bool machines = true;
};

/// The decision of the plan about a job that waits.
struct Planned {
  /// When the job starts. nullopt: it has no reservation.
  std::optional<EmuTime> start;
  /// If the job starts now, the node of each task: an index of `nodes`, ascending.
  std::vector<std::size_t> nodes;
};

/// Plans the jobs in their order. Each job gets the earliest start at which all its tasks fit until
/// its walltime is over, beside the running jobs and what the plan gave to the jobs before it. A
/// job that starts later gets a reservation if the rules give it one. `nodes` has what each node
/// has free: now, and when running jobs are expected to end. Returns one entry for each job.
std::vector<Planned> plan(EmuTime now, std::vector<NodePlan> nodes, std::span<const Waiting> jobs,
                          const Rules& rules);

}  // namespace heddle::backfill
