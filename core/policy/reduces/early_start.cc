#include "core/policy/reduces/early_start.h"

#include <algorithm>

namespace heddle {
namespace {

/// Returns the youngest container of the job that waits for its inputs and is not being killed.
const Container* youngest_waiting(const Draft& draft, JobId job) {
  const ClusterState& cluster = draft.view().cluster;
  const auto& containers = cluster.holdings(job).containers;
  for (auto it = containers.rbegin(); it != containers.rend(); ++it) {
    const Container* container = cluster.container(*it);
    if (container->waits && !draft.killed(*it)) return container;
  }
  return nullptr;
}

/// Returns true if every resource of `part` is at most `share` of `whole`.
bool within_share(const Resources& part, double share, const Resources& whole) {
  bool within = true;
  each_pair(part, whole, [&](std::int64_t some, std::int64_t all) {
    within &= static_cast<double>(some) <= static_cast<double>(all) * share;
  });
  return within;
}

}  // namespace

constinit const PartText kEarlyReduces{.name = "early start of reduces",
                                       .summary =
                                           "reduces are requested before their maps are complete, "
                                           "and their number grows with the completed maps",
                                       .source = "Hadoop, RMContainerAllocator",
                                       .options = {&kReduceEarlyStart, &kReduceRampLimit}};

bool ramp_allows(const Ramp& ramp, const Resources& size) {
  if (ramp.maps_pending == 0) return true;
  if (ramp.maps_running == 0) return false;
  const double ideal = std::min(ramp.maps_completed, ramp.limit);
  if (within_share(ramp.maps, 1 - ideal, ramp.reach))
    return (ramp.maps + ramp.reduces + size).fits_in(ramp.reach);
  return within_share(ramp.reduces + size, ideal, ramp.reach);
}

Ramp ramp_of(const Draft& draft, const Request& request, double limit) {
  const JobSpec& spec = draft.job(request.phase);
  const Job& job = draft.view().cluster.job(request.phase.job);
  Ramp ramp;
  ramp.limit = limit;
  for (int before : spec.phases[request.phase.phase].after) {
    const PhaseSpec& phase = spec.phases[before];
    const PhaseId id{request.phase.job, before};
    const int pending = draft.pending(id), running = draft.live(id);
    ramp.of += phase.tasks;
    ramp.completed += job.completed(before);
    ramp.maps_pending += pending;
    ramp.maps_running += running;
    ramp.maps += phase.request * (pending + running);
  }
  ramp.maps_completed = share_of(ramp.completed, ramp.of);
  for (int i = 0; i < static_cast<int>(spec.phases.size()); ++i)
    if (spec.phases[i].kind == PhaseKind::kReduce)
      ramp.reduces += spec.phases[i].request * draft.live({request.phase.job, i});
  ramp.reach = draft.allocated(request.phase.job) + draft.total_free();
  return ramp;
}

void ReducePreemption::refresh(const View& view) {
  const ClusterState& cluster = view.cluster;
  if (!view.changed_jobs.empty() || !view.changed_nodes.empty() || !view.container_changes.empty())
    idle_ = false;
  for (JobId id : view.changed_jobs) {
    without_maps_.erase(id);
    if (cluster.holdings(id).waiting == 0) continue;
    const Job& job = cluster.job(id);
    bool running = false, asking = false;
    for (int i = 0; i < static_cast<int>(job.spec().phases.size()); ++i) {
      // Reduces that hand data over to other phases count as maps here, because they can be run
      // again in the same way.
      const PhaseSpec& phase = job.spec().phases[i];
      running |= is_map(phase.kind) && job.live(i) > 0;
      asking |= (is_map(phase.kind) || phase.shuffle.mean > 0) && job.pending(i) > 0;
    }
    if (asking && !running) without_maps_.insert(id);
  }
}

void ReducePreemption::make(const Scheduler& scheduler, Draft& draft,
                            const std::function<bool(JobId)>& room_comes) {
  const ClusterState& cluster = draft.view().cluster;
  const auto fits_nowhere = [&](const Request& request) {
    if (request.gang) return true;
    const std::optional<bool> fits = draft.free_nodes().fits_if_watched(request.resources);
    return fits ? !*fits : !draft.free_nodes().first(request.resources);
  };
  // In a strict order, the maps also wait if a request before them fits nowhere.
  const auto others_block = [&](JobId job) {
    const auto& requests = cluster.requests();
    return strict_order_ && std::any_of(requests.begin(), requests.end(), [&](const auto& entry) {
             const Request& other = entry.second;
             return other.phase.job != job && !other.early && draft.pending(other) > 0 &&
                    fits_nowhere(other);
           });
  };
  // A gang that still has something pending has no room. Otherwise it would be placed already.
  const auto blocked = [&](const Request* request) {
    return request && draft.pending(*request) > 0 &&
           (fits_nowhere(*request) || !scheduler.allows(draft, *request) ||
            others_block(request->phase.job));
  };
  for (JobId job : without_maps_) {
    const std::span<const Request* const> requests = cluster.requests(job);
    if (std::none_of(requests.begin(), requests.end(), blocked)) continue;
    const auto& containers = cluster.holdings(job).containers;
    // Kill one reduce at a time, and wait until its resources are free before the next.
    const bool being_killed = std::any_of(containers.begin(), containers.end(),
                                          [&](ContainerId id) { return draft.killed(id); });
    if (being_killed || room_comes(job)) continue;
    const Container* victim = youngest_waiting(draft, job);
    if (!victim) continue;
    bool stuck = false, running = false;
    for (int before : cluster.job(job).incomplete_before(victim->task.phase.phase)) {
      const PhaseId id{job, before};
      running |= draft.live(id) > 0;
      stuck |= blocked(cluster.request(id));
    }
    if (stuck && !running) draft.kill(victim->id, "room for its job's maps");
  }
  idle_ = draft.empty();
}

}  // namespace heddle
