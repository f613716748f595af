#include "core/policy/base/obstacle.h"

#include <algorithm>
#include <map>

#include "core/policy/base/draft.h"

namespace heddle {
namespace {

const PhaseSpec& spec_of(const Job& job, int phase) {
  return job.spec().phases[static_cast<std::size_t>(phase)];
}

Obstacle of_phase(const Job& job, int phase, Obstacle::What what) {
  return {{job.id(), phase}, spec_of(job, phase).request, std::move(what)};
}

Obstacle of_job(const Job& job, Obstacle::What what) {
  return {{job.id(), -1}, {}, std::move(what)};
}

/// Adds containers of the job that are decided but have not started. For each phase, adds the
/// oldest one.
void add_starting(const View& view, const Job& job, std::vector<Obstacle>& found) {
  std::map<int, const Container*> oldest;
  for (ContainerId id : view.cluster.holdings(job.id()).containers) {
    const Container& container = *view.cluster.container(id);
    if (container.state == ContainerState::kAllocated)
      oldest.emplace(container.task.phase.phase, &container);
  }
  for (const auto& [phase, container] : oldest)
    found.push_back(
        of_phase(job, phase, obstacle::Starting{container->node, container->allocated_at}));
}

void add_suspended(const View& view, const Job& job, std::vector<Obstacle>& found) {
  std::map<int, int> suspended;
  for (ContainerId id : view.cluster.holdings(job.id()).containers) {
    const Container& container = *view.cluster.container(id);
    if (container.state == ContainerState::kSuspended) ++suspended[container.task.phase.phase];
  }
  for (const auto& [phase, tasks] : suspended)
    found.push_back(of_phase(job, phase, obstacle::Suspended{tasks}));
}

std::optional<JobId> active_client(const ClusterState& cluster) {
  for (const Job& job : cluster.jobs())
    if (job.spec().framework == Framework::kSpark && job.spec().deploy == Deploy::kYarnClient &&
        job.state() != JobState::kWaiting && !job.finished() && !job.held())
      return job.id();
  return std::nullopt;
}

/// Returns why a phase requests none of its remaining tasks. Returns nullopt if it requests tasks
/// or has no tasks left.
std::optional<Obstacle> not_asking(const Job& job, int phase) {
  if (spec_of(job, phase).kind == PhaseKind::kAm || job.complete(phase) || job.pending(phase) > 0 ||
      job.live(phase) + job.completed(phase) >= spec_of(job, phase).tasks)
    return std::nullopt;
  if (job.inputs_ready(phase)) {
    const std::optional<EmuTime> next = job.next_time();
    if (!next) return std::nullopt;
    return of_phase(job, phase, obstacle::Later{*next});
  }
  const std::set<int> before = job.incomplete_before(phase);
  if (const auto start = job.early_start(phase); start && !start->reached())
    return of_phase(job, phase, obstacle::SlowStart{start->completed, start->needed, start->maps});
  return of_phase(job, phase, obstacle::Inputs{{before.begin(), before.end()}});
}

void add_not_asking(const View& view, const Job& job, std::vector<Obstacle>& found) {
  if (job.held()) {
    if (const auto active = active_client(view.cluster))
      found.push_back(of_job(job, obstacle::OtherClient{*active}));
    return;
  }
  if (job.spec().has_am() && !job.am_running()) return;
  for (int phase = 0; phase < std::ssize(job.spec().phases); ++phase)
    if (std::optional<Obstacle> why = not_asking(job, phase)) found.push_back(*std::move(why));
}

/// Returns which share of the request is free on a node, 0..1. The smallest share of any resource
/// counts.
double part_free(const Resources& wanted, const Resources& free) {
  return smallest_share(free, wanted, [](std::int64_t has, std::int64_t needs) {
    return needs <= has ? 1.0 : share_of(has, needs);
  });
}

void add(const Node& node, obstacle::Reserved& reserved) {
  ++reserved.count;
  if (reserved.nodes.size() < kMostNamed)
    reserved.nodes.push_back({node.id, node.reservation->phase});
}

/// Adds a node that a reservation of the site keeps from the request.
void add_reserved(const Draft& draft, const Request& request, NodeId node,
                  std::optional<obstacle::AdvanceReservation>& reserved) {
  const View& view = draft.view();
  const auto time = view.cluster.reserved_for_others(request.phase.job, node, view.now);
  if (!time) return;
  if (!reserved) reserved = obstacle::AdvanceReservation{0, *time};
  ++reserved->nodes;
}

/// Adds what jobs hold on a node, and which of them keep places of ended tasks there.
void add_held(const Draft& draft, const Node& node, std::map<JobId, JobShare>& by_job) {
  const auto share_of_job = [&](JobId job) -> JobShare& {
    return by_job.try_emplace(job, JobShare{job, {}}).first->second;
  };
  for (ContainerId id : node.containers) {
    const Container& container = *draft.view().cluster.container(id);
    share_of_job(container.task.phase.job).held += held(container);
  }
  for (const auto& [job, kept] : node.kept) {
    JobShare& share = share_of_job(job);
    share.held += kept;
    share.kept = true;
  }
}

/// Returns the jobs that hold most, as shares of `whole`. Only resources count of which some is
/// `wanted`.
std::vector<JobShare> most_of(const std::map<JobId, JobShare>& by_job, const Resources& wanted,
                              const Resources& whole) {
  const auto weight = [&](const Resources& has) {
    const auto of_wanted = [](std::int64_t amount, std::int64_t want) {
      return want > 0 ? amount : 0;
    };
    return dominant_share(combined(has, wanted, of_wanted), whole);
  };
  std::vector<JobShare> most;
  for (const auto& [job, share] : by_job)
    if (weight(share.held) > 0) most.push_back(share);
  std::stable_sort(most.begin(), most.end(), [&](const JobShare& a, const JobShare& b) {
    return weight(a.held) > weight(b.held);
  });
  most.resize(std::min(most.size(), kMostNamed));
  return most;
}

/// Returns the jobs that hold most of the resources that are missing on the node.
std::vector<JobShare> holders(const Draft& draft, const Node& node, const Resources& wanted) {
  std::map<JobId, JobShare> by_job;
  add_held(draft, node, by_job);
  return most_of(by_job, lacking(wanted, draft.free(node.id)), node.spec->allowance);
}

/// Returns why the request has no room on the nodes `open`. They are large enough, and not reserved
/// for another request.
Obstacle::What without_room(const Draft& draft, const Request& request,
                            const std::vector<const Node*>& open) {
  const Resources& wanted = request.resources;
  obstacle::NoRoom best;
  double most = -1;
  for (const Node* node : open) {
    const Resources left = node->unrequested();
    const Resources estimated = draft.view().cluster.free(node->id);
    if (wanted.fits_in(left) && !wanted.fits_in(estimated))
      return obstacle::Estimated{node->id, estimated, left};
    const Resources free = draft.free(node->id);  // without what is withheld for other queues
    const bool own = request.reserved.contains(node->id);
    // Prefer nodes that are reserved for the request, regardless of what is free there.
    const double part = part_free(wanted, free) + (own ? 2 : 0);
    if (own && best.own.size() < kMostNamed) best.own.push_back(node->id);
    if (part <= most) continue;
    most = part;
    best.node = node->id;
    best.free = free;
  }
  best.held = holders(draft, draft.view().cluster.node(best.node), wanted);
  return best;
}

/// Returns why the job takes no part in scheduling yet.
Obstacle::What not_submitted(const View& view, JobId id) {
  const std::vector<JobCondition> open = view.cluster.dependencies().open(id);
  if (open.empty()) return obstacle::NotSubmitted{};
  obstacle::OtherJobs others{static_cast<int>(open.size()), {}};
  for (const JobCondition& condition : open)
    if (others.first.size() < kMostNamed) others.first.push_back(condition);
  return others;
}

}  // namespace

void AheadOf::add(JobId job) {
  if (!seen_.insert(job).second) return;
  ++ahead_.jobs;
  if (ahead_.first.size() < kMostNamed) ahead_.first.push_back(job);
}

std::vector<JobId> jobs_that_keep(const ClusterState& cluster) {
  std::set<JobId> jobs;
  for (const Node& node : cluster.nodes())
    for (const auto& [job, kept] : node.kept) jobs.insert(job);
  std::vector<JobId> first(jobs.begin(), jobs.end());
  first.resize(std::min(first.size(), kMostNamed));
  return first;
}

std::vector<JobShare> holders_for_gang(const Draft& draft, const Request& request,
                                       const NodeGates& refused) {
  std::map<JobId, JobShare> by_job;
  Resources whole;
  for (const Node& node : draft.view().cluster.nodes()) {
    const std::optional<NotHere> why = refused(node.id);
    if (why && why != NotHere::kNoRoom) continue;
    add_held(draft, node, by_job);
    whole += node.spec->allowance;
  }
  by_job.erase(request.phase.job);
  return most_of(by_job, request.resources, whole);
}

std::vector<Obstacle> obstacles_of(
    const View& view, JobId id, const std::function<Obstacle::What(const Request&)>& of_request) {
  const Job& job = view.cluster.job(id);
  if (job.finished()) return {};
  if (job.state() == JobState::kWaiting) return {of_job(job, not_submitted(view, id))};
  std::vector<Obstacle> found;
  add_starting(view, job, found);
  for (const Request* request : view.cluster.requests(id))
    if (request) found.push_back(of_phase(job, request->phase.phase, of_request(*request)));
  add_suspended(view, job, found);
  add_not_asking(view, job, found);
  return found;
}

Room room_for(const Draft& draft, const Request& request, const NodeGates& refused) {
  Room room;
  obstacle::NoNode none;
  obstacle::Reserved with_room{true, 0, {}}, all{false, 0, {}};
  std::vector<const Node*> full;
  for (const Node& node : draft.view().cluster.nodes()) {
    const bool own = node.reservation && node.reservation->phase == request.phase;
    const std::optional<NotHere> why = refused(node.id);
    if (!why)
      (own ? room.own : room.open).push_back(node.id);
    else if (why == NotHere::kLost && none.gone.size() < kMostNamed)
      none.gone.push_back(node.id);
    else if (why == NotHere::kReserved)
      add(node, with_room);
    else if (why == NotHere::kAdvance)
      add_reserved(draft, request, node.id, room.reserved);
    if (why != NotHere::kNoRoom && why != NotHere::kReserved) continue;
    if (node.reservation && !own)
      add(node, all);
    else
      full.push_back(&node);
  }
  if (!room.own.empty() || !room.open.empty()) return room;
  if (room.reserved)
    room.none = *room.reserved;
  else if (!with_room.nodes.empty())
    room.none = std::move(with_room);
  else if (!full.empty())
    room.none = without_room(draft, request, full);
  else if (!all.nodes.empty())
    room.none = std::move(all);
  else
    room.none = std::move(none);
  return room;
}

}  // namespace heddle
