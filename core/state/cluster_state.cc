#include "core/state/cluster_state.h"

#include <algorithm>
#include <cassert>

#include "core/scenario/quantity_text.h"

namespace heddle {

ClusterState::ClusterState(const Scenario& scenario, CapacityModel& capacity,
                           const Job::Rules& rules)
    : counted_(scenario.cluster.resources),
      reservations_(scenario),
      capacity_(capacity),
      dependencies_(scenario),
      requests_(scenario.jobs),
      free_(scenario.cluster.nodes.size()),
      totals_(scenario.cluster.nodes.size()),
      holdings_(scenario.jobs.size()),
      total_(cluster_wide(counted_)),
      total_free_(total_),
      allowances_(total_) {
  for (const NodeSpec& spec : scenario.cluster.nodes) {
    Node& node = nodes_.emplace_back();
    node.id = NodeId{std::ssize(nodes_) - 1};
    node.spec = &spec;
  }
  if (scenario.cluster.unfit_jobs == UnfitJobs::kCancel) empty_.emplace(scenario.cluster);
  jobs_.reserve(scenario.jobs.size());
  while (jobs_.size() < scenario.jobs.size())
    jobs_.emplace_back(scenario, JobId{std::ssize(jobs_)}, rules);
}

void ClusterState::apply(EmuTime at, const JobSubmitted& e) {
  Job& job = jobs_[e.job.value];
  if (const std::string why = empty_ ? why_unfit(*empty_, job.spec()) : ""; !why.empty()) {
    job.cancel(why);
    note_if_finished(job, false);
    changed_jobs_.pending().insert(job.id());
    return;
  }
  job.submit(at);
  if (job.spec().framework == Framework::kSpark && job.spec().deploy == Deploy::kYarnClient) {
    clients_.push_back(e.job);
    job.hold(clients_.front() != e.job);
  }
  refresh_requests(job);
}

void ClusterState::apply(EmuTime, const NodeRegistered& e) {
  Node& node = nodes_[e.node.value];
  if (node.alive) return;
  capacity_.registered(node.id);
  open(node);
}

void ClusterState::open(Node& node) {
  node.drained = false;
  node.alive = true;
  ++alive_nodes_;
  allowances_ += addable(node.spec->allowance, counted_);
  refresh_free(node.id);
}

void ClusterState::close(Node& node) {
  drop_reservation(node);
  node.alive = false;
  --alive_nodes_;
  allowances_ -= addable(node.spec->allowance, counted_);
  refresh_free(node.id);
}

void ClusterState::apply(EmuTime, const NodeDrained& e) {
  Node& node = nodes_[e.node.value];
  if (!node.alive) return;
  close(node);
  node.drained = true;
}

void ClusterState::apply(EmuTime, const NodeRestored& e) {
  Node& node = nodes_[e.node.value];
  if (node.drained) open(node);
}

void ClusterState::apply(EmuTime at, const NodeLost& e) {
  Node& node = nodes_[e.node.value];
  if (!node.registered()) return;
  // The master or the simulator first reports the end of each container that it knows. The
  // remaining containers end here.
  for (ContainerId id : ContainerSet(node.containers))
    apply(at, ContainerEnded{id, Outcome::kLost, OomCause::kNone, 0, e.reason, {}});
  while (!node.kept.empty()) release_kept(node.kept.begin()->first, e.node, at);
  for (Job& job : jobs_) {
    if (job.state() == JobState::kWaiting || job.finished()) continue;
    job.node_lost(e.node);
    if (job.stages()) driven_.insert(job.id());
    refresh_requests(job);
  }
  if (node.alive) close(node);
  node.drained = false;
}

void ClusterState::apply(EmuTime, const NodeHeartbeat& e) {
  for (const ContainerUse& use : e.containers) {
    Container* container = containers_.find(use.container);
    if (container && container->node == e.node) container->use = use;
  }
  if (!nodes_[e.node.value].alive) return;
  const Measured measured = capacity_.heartbeat(e);
  if (measured == Measured::kNothing) return;
  measured_ = std::max(measured_, measured);
  const Node& node = nodes_[e.node.value];
  if (capacity_.free(node) != free_[e.node.value] || capacity_.total(node) != totals_[e.node.value])
    refresh_free(e.node);
}

void ClusterState::apply(EmuTime at, const ContainerStarted& e) {
  Container* const container = containers_.find(e.container);
  if (!container || container->state != ContainerState::kAllocated) return;
  container->state = ContainerState::kRunning;
  container->started_at = at;
  container_changes_.pending().push_back({at, *container, std::nullopt});
  const PhaseId phase = container->task.phase;
  Job& job = jobs_[phase.job.value];
  const bool pended = job.state() == JobState::kPending;
  job.started(phase.phase, container->task.index, at);
  if (pended && job.state() == JobState::kRunning) dependencies_.started(job.id(), now_);
  time_suspension(job, at);
  if (const auto kill_at = job.kill_at(); kill_at && !job.finished())
    kill_times_.emplace(*kill_at, job.id());
  changed_jobs_.pending().insert(phase.job);
  if (job.spec().phases[phase.phase].kind == PhaseKind::kExecutor) {
    job.stages()->joined(e.container, container->node, now_);
    driven_.insert(phase.job);
  }
  if (job.am_running()) refresh_requests(job);
}

void ClusterState::apply(EmuTime at, const ContainerEnded& e) {
  Container* const found = containers_.find(e.container);
  if (!found) return;
  set_waits(*found, false);
  const Container container = *found;
  containers_.erase(e.container);
  capacity_.changed(container, CapacityModel::Change::kEnded);
  const PhaseId phase = container.task.phase;
  nodes_[container.node.value].containers.erase(container.id);
  JobHoldings& holdings = holdings_[phase.job.value];
  holdings.containers.erase(container.id);
  if (container.state == ContainerState::kSuspended) --holdings.suspended;
  Job& job = jobs_[phase.job.value];
  bool was_finished = job.finished();
  const std::optional<EmuTime> kill_at = job.kill_at();
  if (e.outcome == Outcome::kCompleted) hand_over(container);
  if (job.stages()) {
    job.stages()->left(e.container);
    driven_.insert(phase.job);
  }
  fetches_.erase(e.container);
  job.ended(phase.phase, container.task.index, e.outcome, e.oom, e.reason);
  if (kill_at && !job.kill_at()) kill_times_.erase({*kill_at, job.id()});  // its gang begins again
  if (job.broken(phase.phase)) broken_gangs_.insert(phase);
  const bool kept = vacate(container, e.outcome, at);
  container_changes_.pending().push_back({at, container, e.outcome, kept});
  note_if_finished(job, was_finished);
  if (job.spec().phases[phase.phase].kind == PhaseKind::kAm && !job.finished())
    orphaned_.insert(phase.job);
  if (e.outcome == Outcome::kCompleted && job.complete(phase.phase)) feed(job);
  refresh_requests(job);
}

void ClusterState::apply(EmuTime, const InputsRead& e) {
  Container* const container = containers_.find(e.container);
  if (!container) return;
  Job& job = jobs_[container->task.phase.job.value];
  if (job.stages()) {
    job.stages()->inputs_read(e.container);
    refresh_requests(job);
  }
  if (!container->fetches) return;
  set_waits(*container, false);
  changed_jobs_.pending().insert(container->task.phase.job);
}

void ClusterState::apply(EmuTime, const PartDone& e) {
  Container* const container = containers_.find(e.container);
  if (!container) return;
  Job& job = jobs_[container->task.phase.job.value];
  if (!job.stages()) return;
  job.stages()->part_done(e.container, e.part, now_);
  driven_.insert(job.id());
  refresh_requests(job);
}

void ClusterState::apply(EmuTime, const InputLost& e) {
  Container* const container = containers_.find(e.container);
  if (!container) return;
  Job& job = jobs_[container->task.phase.job.value];
  job.output_lost(e.object);
  if (job.stages()) driven_.insert(job.id());
  refresh_requests(job);
}

void ClusterState::hand_over(const Container& map) {
  if (map.hands_over == EmuBytes(0)) return;
  const auto [phase, task] = map.task;
  Job& job = jobs_[phase.job.value];
  job.shuffle().wrote(phase.phase, task, map.id, map.node, map.hands_over);
  const JobHoldings& held = holdings_[phase.job.value];
  if (held.waiting == 0) return;
  for (ContainerId id : held.containers) {
    const Container& reader = containers_.at(id);
    if (!reader.fetches || !reader.waits) continue;
    const TaskId& to = reader.task;
    if (auto read = job.shuffle().read(to.phase.phase, to.index, phase.phase, task))
      fetches_[id].push_back(*read);
  }
}

std::vector<Action> ClusterState::drive_executors() {
  std::vector<Action> actions;
  for (JobId id : std::exchange(driven_, {})) drive(jobs_[id.value], actions);
  return actions;
}

void ClusterState::drive(Job& job, std::vector<Action>& actions) {
  Stages& stages = *job.stages();
  if (job.finished()) return;
  for (Stages::Assignment& next : stages.assign(now_))
    actions.push_back({RunPart{next.executor, std::move(next.part)}, ""});
  for (auto& [executor, reads] : stages.take_fetches())
    actions.push_back({Fetch{executor, std::move(reads)}, "made again"});
  const auto finish = [&](ContainerId id, const char* reason) {
    Container& container = containers_.at(id);
    if (std::exchange(container.killed, true)) return;
    actions.push_back({Finish{id}, reason});
  };
  for (ContainerId id : stages.idle(now_)) finish(id, "idle");
  if (std::optional<ContainerId> stuck = stages.stuck()) {
    mark_killed(*stuck);
    actions.push_back({Kill{*stuck}, "makes room for what was lost"});
  }
  if (stages.done())
    for (ContainerId id : holdings_[job.id().value].containers)
      if (job.spec().phases[containers_.at(id).task.phase.phase].kind == PhaseKind::kExecutor)
        finish(id, "all stages are done");
  refresh_requests(job);
}

void ClusterState::begin_step(EmuTime now) {
  now_ = now;
  for (JobId id : std::set<JobId>(timed_)) {
    Job& job = jobs_[id.value];
    if (*job.next_time() > now) continue;
    if (job.stages()) driven_.insert(id);
    refresh_requests(job);
  }
}

std::optional<EmuTime> ClusterState::next_time() const {
  std::optional<EmuTime> next = next_kill();
  for (JobId id : timed_) {
    const EmuTime at = *jobs_[id.value].next_time();
    next = next ? std::min(*next, at) : at;
  }
  if (const auto at = next_reservation()) next = std::min(next.value_or(*at), *at);
  return next;
}
std::optional<EmuTime> ClusterState::next_reservation() const {
  return finished_jobs_ < std::ssize(jobs_) ? reservations_.next_change(now_) : std::nullopt;
}
std::optional<ReservedTime> ClusterState::reserved_for_others(JobId id, NodeId node,
                                                              EmuTime now) const {
  if (!reservations_.any()) return std::nullopt;
  const Job& job = jobs_[id.value];
  EmuTime until = now + EmuTime(1);
  if (job.spec().walltime)
    until = std::max(until, job.walltime_from(now).value_or(now) + *job.spec().walltime);
  return reservations_.against(id, node, now, until);
}

bool ClusterState::settled() const {
  return changed_jobs_.pending().empty() && changed_nodes_.pending().empty() &&
         container_changes_.pending().empty() && newly_finished_.empty() && orphaned_.empty() &&
         broken_gangs_.empty() && inputs_ready_.empty() && fetches_.empty() && driven_.empty() &&
         timed_.empty() && dependencies_.settled() && measured_ == Measured::kNothing;
}

void ClusterState::suspend(ContainerId id, bool suspended, EmuTime at) {
  const auto [from, to] = suspended
                              ? std::pair(ContainerState::kRunning, ContainerState::kSuspended)
                              : std::pair(ContainerState::kSuspended, ContainerState::kRunning);
  Container* const container = containers_.find(id);
  if (!container || container->state != from) return;
  const Resources before = held(*container);
  container->state = to;
  holdings_[container->task.phase.job.value].suspended += suspended ? 1 : -1;
  using Change = CapacityModel::Change;
  capacity_.changed(*container, suspended ? Change::kSuspended : Change::kResumed);
  allot(*container, held(*container) - before);
  time_suspension(jobs_[container->task.phase.job.value], at);
}

void ClusterState::time_suspension(Job& job, EmuTime at) {
  if (job.finished()) return;
  const JobHoldings& holdings = holdings_[job.id().value];
  const std::optional<EmuTime> before = job.kill_at();
  job.suspended(holdings.suspended > 0 && holdings.suspended == std::ssize(holdings.containers),
                at);
  const std::optional<EmuTime> after = job.kill_at();
  if (before == after) return;
  if (before) kill_times_.erase({*before, job.id()});
  if (after) kill_times_.emplace(*after, job.id());
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
  Container& kept = containers_.add(container);
  Node& node = nodes_[launch.node.value];
  node.containers.insert(container.id);
  holdings_[launch.phase.job.value].containers.insert(container.id);
  capacity_.changed(kept, CapacityModel::Change::kLaunched);
  allot(container, container.resources);
  kept.fetches = launch.work.sources > 0;
  set_waits(kept, launch.work.waits || kept.fetches);
  for (const DataWrite& write : launch.work.writes)
    if (write.kept) kept.hands_over = write.size;
  if (node.reservation && node.reservation->phase == launch.phase) drop_reservation(node);
  int attempt = jobs_[launch.phase.job.value].take(launch.phase.phase, launch.task);
  assert(attempt == launch.attempt);
  (void)attempt;
  refresh_request(launch.phase);
}

void ClusterState::reserve(const Reserve& reserve, EmuTime now) {
  nodes_[reserve.node.value].reservation = {reserve.phase, now};
  reserved_nodes_.insert(reserve.node);
  changed_jobs_.pending().insert(reserve.phase.job);
  changed_nodes_.pending().insert(reserve.node);
  requests_.find(reserve.phase)->reserved.insert(reserve.node);
}

void ClusterState::end_overdue_jobs() {
  while (!kill_times_.empty() && kill_times_.begin()->first <= now_) {
    const Job& job = jobs_[kill_times_.begin()->second.value];
    kill_job(job.id(),
             std::string(kWalltimeOver) + print_duration(*job.spec().walltime) + " is over");
  }
}

void ClusterState::kill_job(JobId id, const std::string& reason) {
  Job& job = jobs_[id.value];
  const bool was_finished = job.finished();
  job.kill(reason);
  note_if_finished(job, was_finished);
  refresh_requests(job);
}

void ClusterState::fail_job(JobId id, const std::string& reason) {
  Job& job = jobs_[id.value];
  bool was_finished = job.finished();
  job.fail(reason);
  note_if_finished(job, was_finished);
  refresh_requests(job);
}

void ClusterState::note_if_finished(const Job& job, bool was_finished) {
  if (was_finished || !job.finished()) return;
  note_finished(job);
  dependencies_.ended(job.id(), job.state() == JobState::kCompleted, now_);
  for (const Dependencies::Hopeless& hopeless : dependencies_.take_hopeless()) {
    Job& cancelled = jobs_[hopeless.job.value];
    cancelled.cancel(hopeless.reason);
    note_finished(cancelled);
    changed_jobs_.pending().insert(cancelled.id());
  }
}

void ClusterState::note_finished(const Job& job) {
  ++finished_jobs_;
  timed_.erase(job.id());
  if (const auto kill_at = job.kill_at()) kill_times_.erase({*kill_at, job.id()});
  newly_finished_.push_back({job.id(), job.state(), job.failure()});
  std::erase_if(clients_, [&](JobId id) { return jobs_[id.value].finished(); });
  if (clients_.empty()) return;
  Job& next = jobs_[clients_.front().value];
  next.hold(false);
  refresh_requests(next);
}

void ClusterState::refresh_requests(Job& job) {
  if (job.state() != JobState::kWaiting) job.on_time(now_);
  if (job.next_time())
    timed_.insert(job.id());
  else
    timed_.erase(job.id());
  for (int phase = 0; phase < std::ssize(job.spec().phases); ++phase)
    refresh_request({job.id(), phase});
}

bool ClusterState::vacate(const Container& container, Outcome outcome, EmuTime at) {
  const JobId id = container.task.phase.job;
  const Job& job = jobs_[id.value];
  JobHoldings& holdings = holdings_[id.value];
  const bool runs_again = outcome != Outcome::kCompleted && !job.finished();
  if (job.spec().keeps_places() && !runs_again && !holdings.containers.empty()) {
    holdings.kept.push_back(container);
    nodes_[container.node.value].kept[id] += held(container);
    newly_kept_.push_back(container.id);
    return true;
  }
  allot(container, Resources{} - held(container));
  if (holdings.containers.empty()) release_kept(id, std::nullopt, at);
  return false;
}

void ClusterState::release_kept(JobId job, std::optional<NodeId> node, EmuTime at) {
  std::vector<Container>& kept = holdings_[job.value].kept;
  PlacesReleased released{at, {}};
  std::erase_if(kept, [&](const Container& container) {
    if (node && container.node != *node) return false;
    nodes_[container.node.value].kept.erase(job);
    allot(container, Resources{} - held(container));
    if (std::erase(newly_kept_, container.id) == 0) released.containers.push_back(container.id);
    return true;
  });
  if (!released.containers.empty()) released_.push_back(std::move(released));
}

void ClusterState::allot(const Container& container, const Resources& change) {
  const PhaseId phase = container.task.phase;
  nodes_[container.node.value].allocated += change;
  const Resources total = change.totals();
  holdings_[phase.job.value].allocated += total;
  total_free_ -= total - addable(total, counted_);
  if (jobs_[phase.job.value].spec().phases[phase.phase].kind == PhaseKind::kAm)
    am_allocated_ += total;
  changed_jobs_.pending().insert(phase.job);
  refresh_free(container.node);
}

void ClusterState::refresh_free(NodeId id) {
  const Node& node = nodes_[id.value];
  Resources now = node.alive ? capacity_.free(node) : Resources{};
  total_free_ += addable(now, counted_) - addable(free_[id.value], counted_);
  free_[id.value] = now;
  Resources total = node.alive ? capacity_.total(node) : Resources{};
  total_ += addable(total, counted_) - addable(totals_[id.value], counted_);
  totals_[id.value] = total;
  changed_nodes_.pending().insert(id);
}

void ClusterState::set_waits(Container& container, bool waits) {
  if (container.waits == waits) return;
  container.waits = waits;
  const JobId job = container.task.phase.job;
  int& waiting = holdings_[job.value].waiting;
  waiting += waits ? 1 : -1;
  if (waiting > 0)
    waiting_jobs_.insert(job);
  else
    waiting_jobs_.erase(job);
}

/// Ends the waiting of the job's containers whose inputs are now complete.
void ClusterState::feed(const Job& job) {
  for (ContainerId id : holdings_[job.id().value].containers) {
    Container& container = containers_.at(id);
    if (!container.waits || container.fetches || !job.inputs_ready(container.task.phase.phase))
      continue;
    set_waits(container, false);
    inputs_ready_.push_back(id);
  }
}

void ClusterState::count(const Request& request, int by) {
  if (request.gang) gang_requests_ += by;
  auto it = wanted_.try_emplace(request.resources, 0).first;
  it->second += by;
  if (it->second == 0) wanted_.erase(it);
}

void ClusterState::erase(const Request& request) {
  for (NodeId node : std::set<NodeId>(request.reserved)) drop_reservation(nodes_[node.value]);
  count(request, -1);
  requests_.erase(request.phase);
}

void ClusterState::refresh_request(PhaseId id) {
  changed_jobs_.pending().insert(id.job);
  const Job& job = jobs_[id.job.value];
  const PhaseSpec& phase = job.spec().phases[id.phase];
  int pending = job.pending(id.phase);
  Request* request = requests_.find(id);
  if (pending == 0) {
    if (request) erase(*request);
    return;
  }
  const bool gang = phase.gang && !job.begun(id.phase);
  const bool early = !job.inputs_ready(id.phase);
  if (!request) {
    request = &requests_.add(id);
    request->resources = phase.request;
    request->kind = phase.kind;
    request->priority = job.spec().priority;
    request->submit = job.spec().submit;
  } else {
    if (request->pending == pending && request->gang == gang && request->early == early) return;
    count(*request, -1);
  }
  // The phase can request fewer containers than before, even if no container was launched.
  while (std::ssize(request->reserved) > pending)
    drop_reservation(nodes_[request->reserved.rbegin()->value]);
  request->pending = pending;
  request->gang = gang;
  request->early = early;
  count(*request, 1);
}

void ClusterState::drop_reservation(Node& node) {
  if (!node.reservation) return;
  if (Request* holder = requests_.find(node.reservation->phase)) holder->reserved.erase(node.id);
  changed_jobs_.pending().insert(node.reservation->phase.job);
  node.reservation.reset();
  reserved_nodes_.erase(node.id);
  changed_nodes_.pending().insert(node.id);
}

}  // namespace heddle
