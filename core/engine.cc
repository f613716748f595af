#include "core/engine.h"

#include <algorithm>
#include <map>

#include "core/policy/base/failures.h"
#include "core/policy/locality/delay.h"
#include "core/policy/reduces/early_start.h"
#include "core/policy/registry.h"
#include "core/scenario/blocks.h"
#include "core/scenario/draw.h"
#include "core/scenario/faults.h"
#include "core/scenario/fidelity_limits.h"

namespace heddle {
namespace {

/// Returns why a container of the phase can't have this size. Returns "" if it can.
std::string too_small(const Scenario& scenario, const PhaseSpec& phase, const Resources& size) {
  if (phase.request.fits_in(size)) return "";
  if (phase.kind != PhaseKind::kMap && phase.kind != PhaseKind::kReduce)
    return "only maps and reduces can have less than requested";
  return smallest_container(scenario, phase.request).fits_in(size)
             ? ""
             : "too much smaller than requested";
}

/// Returns the task's work in a container of this size, which can be smaller than requested.
TaskWork fitted(TaskWork work, const PhaseSpec& phase, const Resources& size) {
  return spilled(std::move(work), phase.request.memory, size.memory, phase.spill_penalty);
}

}  // namespace

Engine::Engine(const Scenario& scenario, std::unique_ptr<Policy> policy, Draw draw)
    : scenario_(scenario),
      capacity_(make_capacity_model(scenario)),
      state_(scenario, *capacity_,
             {.early_start = value(scenario.policy, kReduceEarlyStart),
              .executors_prefer = delays_spark(scenario.policy),
              .node_kills_count = value(scenario.policy, kNodeKillsCount)}),
      policy_(std::move(policy)),
      draw_(std::move(draw)) {}

Step Engine::step(EmuTime now, std::span<const Event> events) {
  state_.begin_step(now);
  for (const Event& event : events) state_.fold(event);
  state_.end_overdue_jobs();
  fail_stranded_jobs(events);

  Step step;
  std::vector<Event> all = std::exchange(refused_, {});
  const std::vector<Event> submitted = submit_eligible(now, step);
  step.finished = state_.take_finished_jobs();
  step.kept = state_.take_kept();
  step.released = state_.take_released();
  clear_up_after(step.finished, step);
  tell_of_data(step);

  std::span<const Event> told = events;
  if (!all.empty() || !submitted.empty()) {
    all.insert(all.end(), events.begin(), events.end());
    all.insert(all.end(), submitted.begin(), submitted.end());
    told = all;
  }
  std::vector<NodeId> offered = offers(events);
  const ChangedJobs& jobs = state_.take_changed_jobs();
  const ChangedNodes& nodes = state_.take_changed_nodes();
  const bool anywhere = scenario_.cluster.dispatch == Dispatch::kImmediate;
  const std::vector<ContainerChange>& containers = state_.take_container_changes();
  Decision decision = policy_->decide({.now = now,
                                       .cluster = state_,
                                       .offers = offered,
                                       .anywhere = anywhere,
                                       .changed_jobs = jobs,
                                       .changed_nodes = nodes,
                                       .container_changes = containers},
                                      told);

  step.remembers = decision.remembers;
  step.notes = std::move(decision.notes);
  step.measured = state_.take_measured();
  for (Action& action : decision.actions) {
    const auto* launch = std::get_if<Launch>(&action.what);
    std::string why_not = launch ? gang_fault(*launch, decision.actions) : "";
    if (why_not.empty())
      why_not = std::visit([&](auto& what) { return accept(what, now); }, action.what);
    if (why_not.empty()) {
      step.actions.push_back(std::move(action));
    } else {
      const auto name = [](const auto& what) { return std::string(what.kName); };
      step.refused.push_back(
          {now, ActionRefused{std::visit(name, action.what), about(action) + why_not}});
    }
  }
  for (JobFinished& job : state_.take_finished_jobs()) {  // those that the policy has killed
    clear_up_after({job}, step);
    step.finished.push_back(std::move(job));
  }
  for (const auto& [job, at] : state_.take_eligible_jobs())  // the policy has decided already
    step.actions.push_back({SubmitAt{job, std::max(at, now)}, ""});
  step.capacity_notes = capacity_->take_notes(state_.nodes());
  refused_ = step.refused;
  ask_for_wake(now, step);
  return step;
}

bool Engine::passes(EmuTime now, NodeId node) {
  if (!refused_.empty() || !state_.settled() || capacity_->measures()) return false;
  const bool anywhere = scenario_.cluster.dispatch == Dispatch::kImmediate;
  return policy_->passes(unchanged_view(now, state_, anywhere), node);
}

void Engine::tell_of_data(Step& step) {
  for (auto& [container, reads] : state_.take_fetches())
    step.actions.push_back({Fetch{container, std::move(reads)}, "map output"});
  for (Action& action : state_.drive_executors()) {
    auto* run = std::get_if<RunPart>(&action.what);
    const Container* executor = run ? state_.container(run->container) : nullptr;
    if (executor && !scenario_.faults.empty())
      run->part.cpu =
          stretched(run->part.cpu, straggling(scenario_, executor->task, executor->attempt));
    step.actions.push_back(std::move(action));
  }
}

std::vector<Event> Engine::submit_eligible(EmuTime now, Step& step) {
  std::vector<Event> all;
  // A job that fails at once can be the condition of others.
  for (auto eligible = state_.take_eligible_jobs(); !eligible.empty();
       eligible = state_.take_eligible_jobs()) {
    std::vector<Event> submitted;
    for (const auto& [job, at] : eligible) {
      if (at > now) {
        step.actions.push_back({SubmitAt{job, at}, ""});
        continue;
      }
      submitted.push_back({at, JobSubmitted{job}});
      state_.fold(submitted.back());
      step.actions.push_back({Submit{job}, ""});
    }
    fail_stranded_jobs(submitted);
    all.insert(all.end(), submitted.begin(), submitted.end());
  }
  return all;
}

void Engine::ask_for_wake(EmuTime now, Step& step) {
  const std::optional<EmuTime> next = state_.next_time();
  if (!next || (wake_ > now && wake_ <= *next)) return;
  wake_ = std::max(*next, now + EmuTime(1));
  const char* why = next == state_.next_kill()          ? "a walltime is over"
                    : next == state_.next_reservation() ? "a reservation begins or ends"
                                                        : "a job asks for more";
  step.actions.push_back({WakeAt{wake_}, why});
}

TaskWork Engine::faulty(TaskWork work, const Launch& launch) const {
  if (scenario_.faults.empty()) return work;
  const TaskId task{launch.phase, launch.task};
  work.crash_at = crash_of(scenario_, task, launch.attempt);
  const double factor = straggling(scenario_, task, launch.attempt);
  return factor == 1 ? work : stretched(std::move(work), factor);
}

void Engine::place_data(Launch& launch) const {
  const Shuffle& shuffle = state_.job(launch.phase.job).shuffle();
  TaskWork& work = launch.work;
  work.sources = shuffle.sources(launch.phase.phase);
  for (DataRead& read : shuffle.reads(launch.phase.phase, launch.task))
    work.reads.push_back(std::move(read));
  for (DataRead& read : work.reads) try_nearest_first(scenario_.cluster, launch.node, read.from);
  int file = 0;
  for (DataWrite& write : work.writes) {
    write.object = output_object(launch.container, file++);
    if (!write.kept)
      write.copies = place_copies(scenario_.cluster, launch.node, scenario_.storage.replicas,
                                  draw_key(scenario_.seed, {write.object}));
  }
}

std::vector<NodeId> Engine::offers(std::span<const Event> events) const {
  std::vector<NodeId> nodes;
  if (scenario_.cluster.dispatch == Dispatch::kImmediate) return nodes;
  for (const Event& event : events) {
    const auto* heartbeat = std::get_if<NodeHeartbeat>(&event.what);
    if (heartbeat && state_.node(heartbeat->node).alive) nodes.push_back(heartbeat->node);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

void Engine::fail_stranded_jobs(std::span<const Event> events) {
  std::set<JobId> suspects;
  for (const Event& event : events) {
    if (const auto* submitted = std::get_if<JobSubmitted>(&event.what))
      suspects.insert(submitted->job);
    const auto* lost = std::get_if<NodeLost>(&event.what);
    const auto* registered = std::get_if<NodeRegistered>(&event.what);
    lost_nodes_ |= lost != nullptr;
    all_suspect_ |= lost || registered || std::holds_alternative<NodeRestored>(event.what);
    if (lost && lost->returns) awaited_.insert(lost->node);
    if (lost && !lost->returns) awaited_.erase(lost->node);
    if (registered) awaited_.erase(registered->node);
  }
  // While no node takes tasks, no job fails. The run either ends and can be resumed, or a node
  // comes back.
  if (!lost_nodes_ || state_.alive_nodes() == 0) return;
  if (std::exchange(all_suspect_, false)) {
    ClusterSpec left;
    left.resources = scenario_.cluster.resources;
    for (const Node& node : state_.nodes())
      if (node.registered() || awaited_.contains(node.id)) left.nodes.push_back(*node.spec);
    left_.emplace(left);
    for (const Job& job : state_.jobs()) suspects.insert(job.id());
  }
  for (JobId id : suspects) {
    const Job& job = state_.job(id);
    if (job.state() == JobState::kWaiting || job.finished()) continue;
    if (std::string why = stranded(job); !why.empty()) state_.fail_job(id, why);
  }
}

std::string Engine::stranded(const Job& job) const {
  const JobSpec& spec = job.spec();
  for (int i = 0; i < std::ssize(spec.phases); ++i) {
    const PhaseSpec& phase = spec.phases[i];
    const bool is_am = phase.kind == PhaseKind::kAm;
    if (!is_am && job.complete(i)) continue;
    const Resources beside = spec.has_am() && !is_am ? spec.phases[0].request : Resources{};
    const std::int64_t room = left_->room_for(phase.request, phase.where, beside);
    if (room == 0) return "no node is left that could hold a task of phase " + phase.name;
    const bool gang = phase.gang && !job.begun(i) && spec.deploy != Deploy::kDynamic;
    if (gang && room < phase.tasks)
      return "the nodes that are left could not hold all tasks of phase " + phase.name + " at once";
  }
  return "";
}

void Engine::clear_up_after(const std::vector<JobFinished>& finished, Step& step) {
  for (ContainerId id : state_.take_ready_containers())
    step.actions.push_back({InputsReady{id}, "all maps are complete"});
  for (JobId job : state_.take_orphaned_jobs())
    kill_containers_of(job, "its application master died", step);
  for (const PhaseId phase : state_.take_broken_gangs())
    kill_containers_of(phase.job, "a task of its gang has ended early", step, phase.phase);
  for (const JobFinished& job : finished)
    kill_containers_of(job.job,
                       job.state == JobState::kCompleted ? "its job is complete"
                       : job.state == JobState::kKilled  ? "its job was killed"
                                                         : "its job failed",
                       step);
}

void Engine::kill_containers_of(JobId job, const std::string& reason, Step& step,
                                std::optional<int> phase) {
  for (ContainerId id : state_.holdings(job).containers) {
    const Container& container = *state_.container(id);
    if (container.killed || (phase && container.task.phase.phase != *phase)) continue;
    state_.mark_killed(id);
    step.actions.push_back({Kill{id}, reason});
  }
}

std::string Engine::about(const Action& action) const {
  const auto of_phase = [this](const PhaseId& id) -> std::string {
    if (!state_.valid(id.job)) return "";
    const JobSpec& job = state_.job(id.job).spec();
    if (id.phase < 0 || id.phase >= std::ssize(job.phases)) return "";
    return job.name + "." + job.phases[static_cast<std::size_t>(id.phase)].name + ": ";
  };
  return std::visit(
      [&](const auto& what) -> std::string {
        if constexpr (requires { what.phase; })
          return of_phase(what.phase);
        else if constexpr (requires { what.container; })
          return "container " + std::to_string(what.container.value) + ": ";
        else
          return "";
      },
      action.what);
}

std::string Engine::gang_fault(const Launch& launch, std::span<const Action> actions) const {
  const Request* request = state_.request(launch.phase);
  if (!request || !request->gang) return "";
  int launches = 0;
  std::map<NodeId, std::int64_t> by_node;
  for (const Action& action : actions) {
    const auto* other = std::get_if<Launch>(&action.what);
    if (!other || other->phase != launch.phase || launches == request->pending) continue;
    ++launches;
    ++by_node[other->node];
  }
  const std::string all =
      "all " + std::to_string(request->pending) + " containers of a gang start ";
  if (launches < request->pending)
    return all + "together, but only " + std::to_string(launches) + " are launched";
  for (const auto& [node, count] : by_node) {
    if (!state_.valid(node)) return all + "together, and one is on an unknown node";
    if (reserved_for_other(node, launch.phase) ||
        times(request->resources, state_.free(node)) < count)
      return all + "together, and they do not fit node " + state_.node(node).spec->name;
    if (std::string why = reserved_by_site(launch.phase.job, state_.node(node), state_.now());
        !why.empty())
      return all + "together, and " + why;
  }
  if (!request->resources.counts.none() &&
      !(request->resources * request->pending).fits_in(state_.total_free()))
    return all + "together, and the cluster as a whole has too little left";
  return "";
}

std::string Engine::reserved_by_site(JobId job, const Node& node, EmuTime now) const {
  const auto time = state_.reserved_for_others(job, node.id, now);
  return time ? "node " + node.spec->name + " is reserved for " +
                    scenario_.reservations[time->reservation].name
              : "";
}

std::string Engine::accept(Launch& launch, EmuTime now) {
  const Request* request = state_.request(launch.phase);
  if (!request) return "the phase asks for nothing now";
  if (!state_.valid(launch.node)) return "unknown node";
  const Node& node = state_.node(launch.node);
  if (!node.alive) return "node " + node.spec->name + " is not alive";
  if (reserved_for_other(node.id, launch.phase))
    return "node " + node.spec->name + " is reserved for another request";
  if (launch.resources == Resources{}) launch.resources = request->resources;
  if (!launch.resources.fits_in(request->resources)) return "larger than requested";
  if (!launch.resources.fits_in(state_.free(node.id)))
    return "does not fit node " + node.spec->name;
  const Job& job = state_.job(launch.phase.job);
  const PhaseSpec& spec = job.spec().phases[static_cast<std::size_t>(launch.phase.phase)];
  if (!meets(spec.where, node.spec->labels))
    return "the labels of node " + node.spec->name + " are not those asked for";
  if (std::string why = reserved_by_site(launch.phase.job, node, now); !why.empty()) return why;
  if (!launch.resources.counts.none() && !launch.resources.fits_in(state_.total_free()))
    return "the cluster as a whole has too little left";
  launch.resources = launch.resources.placed_in(state_.free(node.id));
  if (std::string why = too_small(scenario_, spec, launch.resources); !why.empty()) return why;
  const NextTask next = job.next_task(launch.phase.phase, launch.node);
  launch.task = next.task;
  launch.locality = next.locality;
  launch.attempt = job.attempts(launch.phase.phase, launch.task) + 1;
  launch.work = faulty(fitted(draw_({launch.phase, launch.task}), spec, launch.resources), launch);
  launch.container = next_container_;
  place_data(launch);
  launch.work.waits = request->early && launch.work.sources == 0;
  ++next_container_.value;
  state_.launch(launch, now);
  return "";
}

std::string Engine::accept(Reserve& reserve, EmuTime now) {
  const Request* request = state_.request(reserve.phase);
  if (!request) return "the phase asks for nothing now";
  if (!state_.valid(reserve.node)) return "unknown node";
  const Node& node = state_.node(reserve.node);
  if (!node.alive) return "node " + node.spec->name + " is not alive";
  if (node.reservation) return "node " + node.spec->name + " is reserved already";
  const JobSpec& job = state_.job(reserve.phase.job).spec();
  const Where& where = job.phases[static_cast<std::size_t>(reserve.phase.phase)].where;
  if (!request->resources.fits_in(node.spec->allowance) || !meets(where, node.spec->labels))
    return "could never fit node " + node.spec->name;
  if (std::string why = reserved_by_site(reserve.phase.job, node, now); !why.empty()) return why;
  if (std::ssize(request->reserved) >= request->pending) return "more reservations than requests";
  state_.reserve(reserve, now);
  return "";
}

std::string Engine::accept(Unreserve& unreserve, EmuTime) {
  if (!state_.valid(unreserve.node)) return "unknown node";
  const auto& reservation = state_.node(unreserve.node).reservation;
  if (!reservation || reservation->phase != unreserve.phase) return "no such reservation";
  state_.unreserve(unreserve);
  return "";
}

std::string Engine::accept(Suspend& suspend, EmuTime) {
  const Container* container = state_.container(suspend.container);
  if (!container) return "unknown container";
  if (container->state != ContainerState::kRunning) return "not running";
  return "";
}

std::string Engine::accept(Resume& resume, EmuTime) {
  const Container* container = state_.container(resume.container);
  if (!container) return "unknown container";
  if (container->state != ContainerState::kSuspended) return "not suspended";
  return "";
}

std::string Engine::accept(KillJob& kill, EmuTime) {
  if (!state_.valid(kill.job)) return "unknown job";
  const Job& job = state_.job(kill.job);
  if (job.state() == JobState::kWaiting) return "not submitted yet";
  if (job.finished()) return "finished already";
  state_.kill_job(kill.job, "its scheduler ended it");
  return "";
}

std::string Engine::accept(Kill& kill, EmuTime) {
  const Container* container = state_.container(kill.container);
  if (!container) return "unknown container";
  if (container->killed) return "being killed already";
  state_.mark_killed(kill.container);
  return "";
}

}  // namespace heddle
