#pragma once

#include <functional>

#include "core/policy/scheduler/scheduler.h"

namespace heddle {

/// What YARN's ramp goes by: memory, in bytes, of one job and what it might still get. So
/// suspended reduces, which keep theirs, count in full, and no more of them come for the cores that
/// they let go.
struct Ramp {
  double limit = 0.5;             ///< reduce_ramp_limit
  double maps_completed = 0;      ///< share of the job's maps, 0..1
  std::int64_t maps = 0;          ///< held and still asked for by maps
  std::int64_t maps_pending = 0;  ///< of that, still asked for
  std::int64_t maps_running = 0;  ///< of that, held
  std::int64_t reduces = 0;       ///< held by reduces
  std::int64_t reach = 0;         ///< what the job holds, and what is free in the cluster
};

/// May the job have another reduce of `size` bytes, though its maps are not all complete?
/// While maps are still asked for, reduces may hold at most what maps leave of the job's reach, or
/// min(maps_completed, limit) of it where maps want more than the rest; none while no map runs.
/// Once every map has a container: any number. Source: Hadoop's RMContainerAllocator,
/// scheduleReduces.
bool ramp_allows(const Ramp& ramp, std::int64_t size);

/// The phases that have to be complete before this one, and before those, and are not.
std::set<int> incomplete_before(const Job& job, int phase);

/// Where the job of an early request stands in the draft.
Ramp ramp_of(const Draft& draft, const Request& request, double limit);

/// Makes room for maps of jobs whose own waiting reduces are in their way: no map of the job runs,
/// and one that is asked for (or a gang of them) fits nowhere. The youngest of the reduces is
/// killed (it has done nothing yet), one at a time. Source: RMContainerAllocator,
/// preemptReducesIfNeeded.
class MapRoom {
 public:
  /// `strict_order`: a request that fits nowhere stops those behind it.
  explicit MapRoom(bool strict_order) : strict_order_(strict_order) {}
  void refresh(const View& view);
  /// While nothing changes, make does nothing.
  bool passes() const { return without_maps_.empty(); }
  /// `room_comes`: something else is about to make room for maps of the job.
  void make(const Scheduler& scheduler, Draft& draft,
            const std::function<bool(JobId)>& room_comes) const;

 private:
  bool strict_order_;
  std::set<JobId> without_maps_;  ///< reduces wait, maps are asked for, none runs
};

}  // namespace heddle
