#include "core/state/cluster_state.h"

#include <cassert>
#include <utility>

namespace heddle {

Resources Node::free() const {
  if (!alive) return {};
  return max(spec->allowance - allocated, Resources{});
}

ClusterState::ClusterState(const Scenario& scenario) {
  for (const NodeSpec& spec : scenario.cluster.nodes) {
    Node& node = nodes_.emplace_back();
    node.id = NodeId{std::ssize(nodes_) - 1};
    node.spec = &spec;
  }
  for (const JobSpec& spec : scenario.jobs) jobs_.emplace_back(JobId{std::ssize(jobs_)}, spec);
}

const Request* ClusterState::request(PhaseId id) const {
  auto it = requests_.find(id);
  return it == requests_.end() ? nullptr : &it->second;
}

const Container* ClusterState::container(ContainerId id) const {
  auto it = containers_.find(id);
  return it == containers_.end() ? nullptr : &it->second;
}

void ClusterState::fold(const Event& event) {
  std::visit([&](const auto& what) { apply(event.at, what); }, event.what);
}

void ClusterState::apply(EmuTime, const JobSubmitted& e) {
  Job& job = jobs_[e.job.value];
  job.submit();
  refresh_requests(job);
}

void ClusterState::apply(EmuTime, const NodeRegistered& e) {
  Node& node = nodes_[e.node.value];
  if (!node.alive) ++alive_nodes_;
  node.alive = true;
}

void ClusterState::apply(EmuTime at, const NodeLost& e) {
  Node& node = nodes_[e.node.value];
  if (!node.alive) return;
  // The driver reports each container's end first; what it did not know of ends here.
  for (ContainerId id : std::set<ContainerId>(node.containers))
    apply(at, ContainerEnded{id, Outcome::kLost, OomCause::kNone, 0, e.reason, {}});
  drop_reservation(node);
  node.alive = false;
  --alive_nodes_;
}

void ClusterState::apply(EmuTime, const NodeHeartbeat& e) {
  for (const ContainerUse& use : e.containers) {
    auto it = containers_.find(use.container);
    if (it != containers_.end() && it->second.node == e.node) it->second.use = use;
  }
}

void ClusterState::apply(EmuTime at, const ContainerStarted& e) {
  auto it = containers_.find(e.container);
  if (it == containers_.end() || it->second.state != ContainerState::kAllocated) return;
  it->second.state = ContainerState::kRunning;
  it->second.started_at = at;
  jobs_[it->second.task.phase.job.value].started();
}

void ClusterState::apply(EmuTime, const ContainerEnded& e) {
  auto it = containers_.find(e.container);
  if (it == containers_.end()) return;
  Container container = it->second;
  containers_.erase(it);
  Node& node = nodes_[container.node.value];
  node.containers.erase(container.id);
  if (container.state == ContainerState::kSuspended) container.resources.cores = Millicores(0);
  node.allocated -= container.resources;
  Job& job = jobs_[container.task.phase.job.value];
  bool was_finished = job.finished();
  job.ended(container.task.phase.phase, container.task.index, e.outcome, e.reason);
  note_if_finished(job, was_finished);
  refresh_requests(job);
}

void ClusterState::apply(EmuTime, const ContainerSuspended& e) {
  auto it = containers_.find(e.container);
  if (it == containers_.end() || it->second.state != ContainerState::kRunning) return;
  it->second.state = ContainerState::kSuspended;
  nodes_[it->second.node.value].allocated.cores -= it->second.resources.cores;
}

void ClusterState::apply(EmuTime, const ContainerResumed& e) {
  auto it = containers_.find(e.container);
  if (it == containers_.end() || it->second.state != ContainerState::kSuspended) return;
  it->second.state = ContainerState::kRunning;
  nodes_[it->second.node.value].allocated.cores += it->second.resources.cores;
}

void ClusterState::launch(const Launch& launch, EmuTime now) {
  Container container;
  container.id = launch.container;
  container.task = {launch.phase, launch.task};
  container.attempt = launch.attempt;
  container.node = launch.node;
  container.resources = launch.resources;
  container.allocated_at = now;
  container.use.container = launch.container;
  containers_.emplace(container.id, container);
  Node& node = nodes_[launch.node.value];
  node.containers.insert(container.id);
  node.allocated += container.resources;
  if (node.reservation && node.reservation->phase == launch.phase) drop_reservation(node);
  int attempt = jobs_[launch.phase.job.value].take(launch.phase.phase, launch.task);
  assert(attempt == launch.attempt);
  (void)attempt;
  refresh_request(launch.phase);
}

void ClusterState::reserve(const Reserve& reserve, EmuTime now) {
  nodes_[reserve.node.value].reservation = Reservation{reserve.phase, now};
  requests_.at(reserve.phase).reserved.insert(reserve.node);
}

void ClusterState::unreserve(const Unreserve& unreserve) {
  drop_reservation(nodes_[unreserve.node.value]);
}

void ClusterState::mark_killed(ContainerId id) { containers_.at(id).killed = true; }

void ClusterState::fail_job(JobId id, const std::string& reason) {
  Job& job = jobs_[id.value];
  bool was_finished = job.finished();
  job.fail(reason);
  note_if_finished(job, was_finished);
  refresh_requests(job);
}

std::set<PhaseId> ClusterState::take_changed_requests() { return std::exchange(changed_, {}); }

std::set<JobId> ClusterState::take_changed_jobs() { return std::exchange(changed_jobs_, {}); }

std::vector<JobFinished> ClusterState::take_finished_jobs() {
  return std::exchange(newly_finished_, {});
}

void ClusterState::note_if_finished(const Job& job, bool was_finished) {
  if (was_finished || !job.finished()) return;
  ++finished_jobs_;
  newly_finished_.push_back({job.id(), job.state(), job.failure()});
}

void ClusterState::refresh_requests(const Job& job) {
  for (int phase = 0; phase < std::ssize(job.spec().phases); ++phase)
    refresh_request({job.id(), phase});
}

void ClusterState::refresh_request(PhaseId id) {
  changed_jobs_.insert(id.job);
  const Job& job = jobs_[id.job.value];
  const PhaseSpec& phase = job.spec().phases[id.phase];
  int pending = job.pending(id.phase);
  auto it = requests_.find(id);
  if (pending == 0) {
    if (it == requests_.end()) return;
    for (NodeId node : it->second.reserved) nodes_[node.value].reservation.reset();
    requests_.erase(it);
    changed_.insert(id);
    return;
  }
  bool gang = phase.gang && !job.begun(id.phase);
  if (it == requests_.end()) {
    Request request{id,   phase.request,       phase.kind,        pending,
                    gang, job.spec().priority, job.spec().submit, {}};
    requests_.emplace(id, std::move(request));
  } else if (it->second.pending == pending && it->second.gang == gang) {
    return;
  } else {
    it->second.pending = pending;
    it->second.gang = gang;
  }
  changed_.insert(id);
}

void ClusterState::drop_reservation(Node& node) {
  if (!node.reservation) return;
  auto it = requests_.find(node.reservation->phase);
  if (it != requests_.end()) it->second.reserved.erase(node.id);
  node.reservation.reset();
}

}  // namespace heddle
