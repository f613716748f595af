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

/// The state on which YARN's ramp of early reduces depends: a job's maps and reduces, and the
/// resources that the job can reach. A suspended reduce counts with all its resources, so that the
/// job does not start more reduces on the cores that it has released.
struct Ramp {
  double limit = 0.5;         ///< reduce_ramp_limit
  double maps_completed = 0;  ///< share of the job's maps that are complete, 0..1
  int maps_pending = 0;       ///< number of maps that request a container
  int maps_running = 0;       ///< number of maps that hold a container
  Resources maps;             ///< what maps hold and request together
  Resources reduces;          ///< held by reduces
  Resources reach;            ///< what the job holds plus what is free in the cluster
  int completed = 0, of = 0;  ///< maps_completed as numbers: `completed` of `of` maps
};

/// Returns true if the job is allowed to start another reduce of `size` before its maps are
/// complete. The rules apply to every resource:
/// - If every map has a container, any number of reduces is allowed.
/// - If maps request containers and no map runs, no reduce is allowed.
/// - If maps request containers, reduces can hold at most `ideal` = min(maps_completed, limit) of
///   the reach.
/// - If the maps need at most the rest of the reach, reduces can hold all that the maps leave.
///
/// Source: Hadoop's RMContainerAllocator, scheduleReduces, with a scheduler that allocates memory
/// and cores.
bool ramp_allows(const Ramp& ramp, const Resources& size);

/// Returns the ramp's state for the job of an early request. Includes what the draft has done.
Ramp ramp_of(const Draft& draft, const Request& request, double limit);

/// Makes room for maps of a job by killing reduces of the same job that wait for map output. Kills
/// a reduce only if no map of the job runs, and if a map (or a gang of maps) that requests
/// containers fits nowhere. The youngest of these reduces is killed, one at a time. Such a reduce
/// has done no work yet. Source: RMContainerAllocator, preemptReducesIfNeeded.
class ReducePreemption {
 public:
  /// `strict_order`: a request that fits nowhere stops all requests after it in the order.
  explicit ReducePreemption(bool strict_order) : strict_order_(strict_order) {}
  void refresh(const View& view);
  /// Returns true if make() does nothing as long as nothing changes.
  bool passes() const { return without_maps_.empty() || idle_; }
  /// Kills at most one waiting reduce of each job. `room_comes` returns true if something else will
  /// soon make room for maps of the job.
  void make(const Scheduler& scheduler, Draft& draft, const std::function<bool(JobId)>& room_comes);

 private:
  bool strict_order_;
  std::set<JobId> without_maps_;  ///< jobs whose reduces wait, whose maps wait, and no map runs
  /// Whether make() has killed nothing in the present state. The room in a draft with actions is
  /// not the room in this state.
  bool idle_ = false;
};

}  // namespace heddle
