#include "core/policy/scheduler/backfill/qos_preemption.h"

#include <algorithm>
#include <set>

namespace heddle::backfill {
namespace {

constexpr EmuTime kStarting = emu_seconds(1);  ///< until a job that starts is looked at again

bool named(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

QosPreemption::QosPreemption(const Scenario& scenario) : scenario_(scenario) {
  for (const QosSpec& by : scenario.qos) {
    if (by.preempt.empty()) continue;
    for (const QosSpec& one : scenario.qos) {
      qos_.emplace(one.name, &one);
      suspends_ |= one.preempt_mode == PreemptMode::kSuspend && named(by.preempt, one.name);
    }
  }
}

const QosSpec* QosPreemption::qos_of(JobId job) const {
  const auto known = qos_.find(scenario_.jobs[static_cast<std::size_t>(job.value)].qos);
  return known == qos_.end() ? nullptr : known->second;
}

const std::string& QosPreemption::name_of(JobId job) const {
  return scenario_.jobs[static_cast<std::size_t>(job.value)].name;
}

bool QosPreemption::preempts(JobId job) const {
  const QosSpec* by = qos_of(job);
  return by && !by->preempt.empty();
}

bool QosPreemption::preempts(JobId job, JobId other) const {
  const QosSpec *by = qos_of(job), *one = qos_of(other);
  return by && one && named(by->preempt, one->name);
}

bool QosPreemption::due(EmuTime now) {
  if (now < preempt_at_) return false;
  preempt_at_ = kForever;
  return true;
}

bool QosPreemption::changed(const View& view) const {
  return !suspended_.empty() &&
         std::ranges::any_of(view.changed_jobs, [&](JobId job) { return suspended(job); });
}

bool QosPreemption::waits_no_longer(JobId job, const Draft& draft) {
  for (const Request* request : draft.view().cluster.requests(job))
    if (request && request->gang) return draft.pending(*request) == 0;
  return true;
}

bool QosPreemption::release(const Draft& draft) {
  requeue_at_ = kForever;
  const EmuTime now = draft.view().now;
  const auto over = [&](const auto& one) {
    if (now >= one.second.until) return waits_no_longer(one.second.by, draft);
    requeue_at_ = std::min(requeue_at_, one.second.until);
    return false;
  };
  return std::erase_if(requeued_, over) > 0;
}

Millicores QosPreemption::let_go(const ClusterState& cluster, NodeId node) const {
  Millicores cores(0);
  if (suspended_.empty()) return cores;
  for (const ContainerId id : cluster.node(node).containers) {
    const Container& container = *cluster.container(id);
    if (container.state == ContainerState::kSuspended && suspended(container.task.phase.job))
      cores += container.resources.cores;
  }
  return cores;
}

PreemptionNode QosPreemption::room_on(const Place& place, JobId job, const Draft& draft,
                                      bool& comes) const {
  PreemptionNode room{draft.free(place.id), place.usable};
  const ClusterState& cluster = draft.view().cluster;
  for (const ContainerId id : cluster.node(place.id).containers) {
    const Container& container = *cluster.container(id);
    const JobId other = container.task.phase.job;
    const auto stops = suspended_.find(other);
    if (draft.killed(id)) {
      room.free += held(container);
      comes |= place.usable;
    } else if (stops == suspended_.end()) {
      continue;
    } else if (container.state == ContainerState::kSuspended) {
      if (stops->second.resumes || !preempts(job, other))
        room.free.cores -= container.resources.cores;
    } else if (!stops->second.resumes) {
      room.free.cores += container.resources.cores;
      comes |= place.usable;
    }
  }
  return room;
}

QosPreemption::Room QosPreemption::make_room(const Request& gang, const std::vector<Place>& nodes,
                                             Draft& draft) {
  const JobId job = gang.phase.job;
  Room room;
  if (!preempts(job)) return room;
  std::vector<PreemptionNode> free;
  std::vector<NodeId> ids;
  for (const Place& place : nodes) {
    free.push_back(room_on(place, job, draft, room.comes));
    ids.push_back(place.id);
  }
  std::optional<EmuTime> next;
  const auto chosen =
      to_preempt(gang.pending, gang.resources, std::move(free), preemptible(job, ids, draft, next));
  if (!chosen) {
    if (next && *next < preempt_at_) {
      preempt_at_ = *next;
      draft.wake_at(*next, "a job may be preempted");
    }
    room.comes = false;
    return room;
  }
  room.comes |= !chosen->empty();
  for (const JobId one : *chosen) preempt(one, job, draft, room);
  if (room.comes) claim(job, nodes, draft.view().cluster);
  return room;
}

void QosPreemption::preempt(JobId job, JobId by, Draft& draft, Room& room) {
  const QosSpec& qos = *qos_of(job);
  const std::string why = "preempted for " + name_of(by);
  if (qos.preempt_mode == PreemptMode::kCancel) return draft.kill_job(job, why);
  const bool suspends = qos.preempt_mode == PreemptMode::kSuspend;
  for (const ContainerId id : draft.view().cluster.holdings(job).containers) {
    if (draft.killed(id)) continue;
    if (suspends)
      draft.suspend(id, why);
    else
      draft.kill(id, why);
  }
  if (suspends) {
    suspended_[job] = {by};
    return;
  }
  const EmuTime from = draft.view().now + qos.requeue_delay;
  requeued_[job] = {by, from};
  if (qos.requeue_delay == EmuTime(0)) return;
  room.requeued.emplace_back(job, from);
  requeue_at_ = std::min(requeue_at_, from);
  draft.wake_at(from, "a preempted job may start again");
}

void QosPreemption::claim(JobId job, const std::vector<Place>& nodes, const ClusterState& cluster) {
  for (auto& [other, stops] : suspended_) {
    if (stops.resumes || !preempts(job, other)) continue;
    const auto& containers = cluster.holdings(other).containers;
    const auto on = [&](const Place& place) {
      return place.usable && std::ranges::any_of(containers, [&](ContainerId id) {
               return cluster.container(id)->node == place.id;
             });
    };
    if (std::ranges::any_of(nodes, on)) stops.by = job;
  }
}

std::vector<Preemptible> QosPreemption::preemptible(JobId job, const std::vector<NodeId>& nodes,
                                                    const Draft& draft,
                                                    std::optional<EmuTime>& next) const {
  const ClusterState& cluster = draft.view().cluster;
  const EmuTime now = draft.view().now;
  std::map<JobId, Preemptible> found;
  std::set<JobId> not_yet;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const ContainerId id : cluster.node(nodes[i]).containers) {
      const Container& container = *cluster.container(id);
      const JobId other = container.task.phase.job;
      if (draft.killed(id) || suspended(other) || !preempts(job, other)) continue;
      const QosSpec& qos = *qos_of(other);
      const bool suspends = qos.preempt_mode == PreemptMode::kSuspend;
      const EmuTime started = container.allocated_at, exempt = started + qos.exempt_time;
      // Only what runs can be suspended.
      const bool starts = suspends && container.state != ContainerState::kRunning;
      if (exempt > now || starts) {
        const EmuTime from = std::max(exempt, starts ? now + kStarting : now);
        next = std::min(next.value_or(from), from);
        not_yet.insert(other);
        continue;
      }
      const auto [known, fresh] = found.try_emplace(other);
      if (fresh) known->second = {other, qos.priority, started, {}};
      known->second.started = std::min(known->second.started, started);
      Resources freed = held(container);
      if (suspends) freed = {freed.cores, EmuBytes(0)};
      known->second.holds.emplace_back(i, freed);
    }
  std::vector<Preemptible> all;
  for (auto& [other, one] : found)
    if (!not_yet.contains(other)) all.push_back(std::move(one));
  return all;
}

std::vector<Preemptible> QosPreemption::suspended_for(JobId job, const std::vector<NodeId>& nodes,
                                                      const Draft& draft) const {
  std::map<JobId, Preemptible> found;
  if (suspended_.empty()) return {};
  const ClusterState& cluster = draft.view().cluster;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Millicores left = draft.free(nodes[i]).cores;
    std::vector<const Container*> stopped;
    for (const ContainerId id : cluster.node(nodes[i]).containers) {
      const Container& container = *cluster.container(id);
      const auto stops = suspended_.find(container.task.phase.job);
      if (container.state != ContainerState::kSuspended || stops == suspended_.end()) continue;
      if (stops->second.resumes || !preempts(job, stops->first))
        left -= container.resources.cores;
      else
        stopped.push_back(&container);
    }
    for (const Container* one : stopped) {
      const Millicores cores = std::min(left, one->resources.cores);
      if (cores <= Millicores(0)) break;
      left -= cores;
      const JobId other = one->task.phase.job;
      found.try_emplace(other, Preemptible{other, 0, one->allocated_at, {}})
          .first->second.holds.emplace_back(i, Resources{cores, EmuBytes(0)});
    }
  }
  std::vector<Preemptible> all;
  for (auto& [other, one] : found) all.push_back(std::move(one));
  return all;
}

void QosPreemption::resume(Draft& draft) {
  if (suspended_.empty()) return;
  const ClusterState& cluster = draft.view().cluster;
  std::map<NodeId, Millicores> taken;  // by jobs that run again, and have no cores yet
  const auto containers_of = [&](JobId job) {
    std::vector<const Container*> all;
    for (const ContainerId id : cluster.holdings(job).containers)
      all.push_back(cluster.container(id));
    return all;
  };
  const auto is = [](ContainerState state) {
    return [state](const Container* one) { return one->state == state; };
  };
  std::erase_if(suspended_, [&](const auto& one) {
    const auto containers = containers_of(one.first);
    return cluster.job(one.first).finished() || containers.empty() ||
           (one.second.resumes && std::ranges::none_of(containers, is(ContainerState::kSuspended)));
  });
  const auto take = [&](const std::vector<const Container*>& containers) {
    for (const Container* one : containers)
      if (one->state == ContainerState::kSuspended)
        taken.try_emplace(one->node, Millicores(0)).first->second += one->resources.cores;
  };
  for (const auto& [job, stops] : suspended_)
    if (stops.resumes) take(containers_of(job));
  for (auto& [job, stops] : suspended_) {
    const auto containers = containers_of(job);
    if (stops.resumes || !waits_no_longer(stops.by, draft) ||
        !std::ranges::all_of(containers, is(ContainerState::kSuspended)))
      continue;
    const auto before = taken;
    take(containers);
    if (std::ranges::any_of(containers, [&](const Container* one) {
          return taken.at(one->node) > draft.free(one->node).cores;
        })) {
      taken = before;
      continue;
    }
    stops.resumes = true;
    for (const Container* one : containers) draft.resume(one->id, "its cores are free again");
  }
}

}  // namespace heddle::backfill
