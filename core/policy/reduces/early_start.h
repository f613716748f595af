#pragma once

#include <functional>

#include "core/policy/base/scheduler.h"

namespace heddle {

inline constexpr NumberOption kReduceEarlyStart(
    {.name = "reduce_early_start",
     .least = 0,
     .most = 1,
     .by_default = "0.05",
     .help = "share of a job's maps that must be complete before reduces are requested"});
inline constexpr NumberOption kReduceRampLimit(
    {.name = "reduce_ramp_limit",
     .least = 0,
     .most = 1,
     .by_default = "0.5",
     .help = "largest share of what a job can reach that its early reduces hold while its maps "
             "wait"});
/// Describes the early start of reduces. Every policy has this part.
extern const PartText kEarlyReduces;

/// The state that YARN's ramp of early reduces depends on: one job's maps and reduces, and what the
/// job can reach. Suspended reduces count in full, so that no more reduces come for the cores that
/// they release.
struct Ramp {
  double limit = 0.5;         ///< reduce_ramp_limit
  double maps_completed = 0;  ///< share of the job's maps, 0..1
  int maps_pending = 0;       ///< maps that ask for a container
  int maps_running = 0;       ///< maps that hold one
  Resources maps;             ///< held and asked for by maps
  Resources reduces;          ///< held by reduces
  Resources reach;            ///< what the job holds, and what is free in the cluster
};

/// Returns true if the job may have another reduce of `size` although its maps are not complete.
/// While maps ask for containers, reduces may hold at most `ideal` = min(maps_completed, limit) of
/// the reach; if the maps need no more than the rest of every resource, reduces may hold all that
/// the maps leave. Both bound every resource. While maps ask and none runs, no reduce may start.
/// Once every map has a container, any number of reduces may. Source: Hadoop's
/// RMContainerAllocator, scheduleReduces, with a scheduler that allocates memory and cores.
bool ramp_allows(const Ramp& ramp, const Resources& size);

/// Returns the ramp's state for the job of an early request, as the draft has it.
Ramp ramp_of(const Draft& draft, const Request& request, double limit);

/// Makes room for maps of jobs whose own waiting reduces are in their way: no map of the job runs,
/// and one that is asked for (or a gang of them) fits nowhere. The youngest of the reduces is
/// killed (it has done nothing yet), one at a time. Source: RMContainerAllocator,
/// preemptReducesIfNeeded.
class ReducePreemption {
 public:
  /// `strict_order`: a request that fits nowhere stops those behind it in the order.
  explicit ReducePreemption(bool strict_order) : strict_order_(strict_order) {}
  void refresh(const View& view);
  /// Returns true if make() does nothing as long as nothing changes.
  bool passes() const { return without_maps_.empty(); }
  /// Kills at most one waiting reduce per job. `room_comes` returns true if something else is about
  /// to make room for maps of the job.
  void make(const Scheduler& scheduler, Draft& draft,
            const std::function<bool(JobId)>& room_comes) const;

 private:
  bool strict_order_;
  std::set<JobId> without_maps_;  ///< reduces wait, maps are asked for, and none runs
};

}  // namespace heddle
