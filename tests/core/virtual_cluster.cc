#include "tests/core/virtual_cluster.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace heddle {

VirtualCluster::VirtualCluster(Scenario scenario)
    : scenario_(std::move(scenario)),
      engine_(scenario_, make_policy(scenario_), [this](TaskId task) {
        const PhaseSpec& phase = scenario_.jobs[task.phase.job.value].phases[task.phase.phase];
        TaskWork work;
        work.sleep = EmuTime(static_cast<std::int64_t>(phase.sleep.mean));
        return work;
      }) {}

void VirtualCluster::make_fail(TaskId task, int times, Outcome outcome) {
  failures_[task] = {times, outcome};
}

bool VirtualCluster::run() {
  for (std::int64_t i = 0; i < std::ssize(scenario_.cluster.nodes); ++i)
    queue_.emplace(EmuTime(0), Event{EmuTime(0), NodeRegistered{NodeId{i}}});
  for (std::int64_t i = 0; i < std::ssize(scenario_.jobs); ++i) {
    EmuTime at = scenario_.jobs[i].submit;
    queue_.emplace(at, Event{at, JobSubmitted{JobId{i}}});
  }
  if (scenario_.cluster.dispatch == Dispatch::kHeartbeat)
    for (std::int64_t i = 0; i < std::ssize(scenario_.cluster.nodes); ++i)
      queue_.emplace(EmuTime(1 + i), Event{EmuTime(1 + i), NodeHeartbeat{NodeId{i}, {}}});
  int idle = 0;
  while (!queue_.empty() && !engine_.done() && idle < 1000) {
    EmuTime now = queue_.begin()->first;
    std::vector<Event> events;
    while (!queue_.empty() && queue_.begin()->first == now) {
      events.push_back(queue_.begin()->second);
      queue_.erase(queue_.begin());
    }
    bool only_heartbeats = true;
    for (const Event& event : events) {
      const auto* beat = std::get_if<NodeHeartbeat>(&event.what);
      if (!beat) only_heartbeats = false;
      EmuTime next = now + scenario_.cluster.heartbeat;
      if (beat) queue_.emplace(next, Event{next, *beat});
    }
    std::size_t before = log_.size();
    step(now, std::move(events));
    idle = only_heartbeats && log_.size() == before && engine_.state().containers().empty()
               ? idle + 1
               : 0;
  }
  return engine_.done();
}

void VirtualCluster::step(EmuTime now, std::vector<Event> events) {
  for (const Event& event : events)
    if (const auto* ended = std::get_if<ContainerEnded>(&event.what))
      finish_[job_of_[ended->container]] = to_seconds(event.at);
  Step step = engine_.step(now, events);
  refused_ += static_cast<int>(step.refused.size());
  for (const Event& event : step.refused)
    log_.push_back("refused: " + std::get<ActionRefused>(event.what).reason);
  for (const Action& action : step.actions) {
    log_.push_back(describe(now, action));
    if (const auto* kill = std::get_if<Kill>(&action.what)) {
      queue_.emplace(
          now,
          Event{now, ContainerEnded{
                         kill->container, Outcome::kKilled, OomCause::kNone, 137, "killed", {}}});
    }
    const auto* launch = std::get_if<Launch>(&action.what);
    if (!launch) continue;
    TaskId task{launch->phase, launch->task};
    const std::string& job = scenario_.jobs[task.phase.job.value].name;
    job_of_[launch->container] = job;
    start_.try_emplace(job, to_seconds(now));
    Outcome outcome = Outcome::kCompleted;
    if (auto it = failures_.find(task); it != failures_.end() && it->second.first > 0) {
      --it->second.first;
      outcome = it->second.second;
    }
    queue_.emplace(now, Event{now, ContainerStarted{launch->container}});
    EmuTime end = now + launch->work.sleep;
    queue_.emplace(end, Event{end, ContainerEnded{launch->container,
                                                  outcome,
                                                  OomCause::kNone,
                                                  outcome == Outcome::kCompleted ? 0 : 1,
                                                  "as told",
                                                  {}}});
  }
  check_invariants();
}

void VirtualCluster::check_invariants() {
  std::map<NodeId, Resources> sum;
  for (const auto& [id, container] : engine_.state().containers())
    sum[container.node] += container.resources;
  for (const Node& node : engine_.state().nodes()) {
    EXPECT_TRUE(sum[node.id].fits_in(node.spec->allowance)) << node.spec->name;
    EXPECT_EQ(sum[node.id], node.allocated) << node.spec->name;
  }
  for (const auto& [id, request] : engine_.state().requests())
    EXPECT_LE(std::ssize(request.reserved), request.pending);
}

std::string VirtualCluster::describe(EmuTime now, const Action& action) const {
  char time[32];
  std::snprintf(time, sizeof time, "%.1f ", to_seconds(now));
  auto phase = [&](PhaseId id) {
    const JobSpec& job = scenario_.jobs[id.job.value];
    return job.name + "." + job.phases[id.phase].name;
  };
  auto node = [&](NodeId id) { return scenario_.cluster.nodes[id.value].name; };
  if (const auto* a = std::get_if<Launch>(&action.what))
    return time +
           ("launch " + phase(a->phase) + "." + std::to_string(a->task) + " on " + node(a->node));
  if (const auto* a = std::get_if<Reserve>(&action.what))
    return time + ("reserve " + node(a->node) + " for " + phase(a->phase));
  if (const auto* a = std::get_if<Unreserve>(&action.what))
    return time + ("unreserve " + node(a->node) + " from " + phase(a->phase));
  if (const auto* a = std::get_if<Kill>(&action.what))
    return time + ("kill " + std::to_string(a->container.value));
  return time + std::string("other");
}

double VirtualCluster::wait_s(const std::string& job) const {
  for (const JobSpec& spec : scenario_.jobs)
    if (spec.name == job) return start_.at(job) - to_seconds(spec.submit);
  return -1;
}

double VirtualCluster::finish_s(const std::string& job) const { return finish_.at(job); }

double VirtualCluster::makespan_s() const {
  double last = 0;
  for (const auto& [job, at] : finish_) last = std::max(last, at);
  return last;
}

Scenario cluster_of(int nodes, int cores, int gib) {
  Scenario scenario;
  scenario.name = "test";
  scenario.cluster.dispatch = Dispatch::kImmediate;
  for (int i = 1; i <= nodes; ++i) {
    NodeSpec node;
    node.name = "n" + std::to_string(i);
    node.capacity = node.allowance = {Millicores(1000 * cores), EmuBytes(gib * (1LL << 30))};
    scenario.cluster.nodes.push_back(node);
  }
  return scenario;
}

JobSpec job_of(const std::string& name, double submit_s, int tasks, int cores, int gib,
               double seconds) {
  PhaseSpec phase;
  phase.name = "map";
  phase.tasks = tasks;
  phase.request = {Millicores(1000 * cores), EmuBytes(gib * (1LL << 30))};
  phase.sleep = {Drawn::Dist::kConstant, seconds * 1e6, 0};
  JobSpec job;
  job.name = name;
  job.submit = emu_seconds(submit_s);
  job.phases = {phase};
  return job;
}

}  // namespace heddle
