#include "master/run_display.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/policy/registry.h"
#include "core/scenario/yaml/words.h"

namespace heddle::master {
namespace {

constexpr std::size_t kLastEvents = 20;

std::string limit_of(OomCause cause) {
  if (cause == OomCause::kContainer) return "its own limit";
  return cause == OomCause::kNode ? "its node's limit" : "a limit outside of its node";
}

std::string state_of(NodeLinks::State state, const Node& node) {
  switch (state) {
    case NodeLinks::State::kAlive:
      return node.drained ? "drained" : "alive";
    case NodeLinks::State::kWaiting:
    case NodeLinks::State::kReturning:
      return "waiting";
    case NodeLinks::State::kLost:
      // If a worker leaves because the run is over, its node is not lost.
      return node.registered() ? "left" : "lost";
  }
  return "";
}

}  // namespace

RunDisplay::RunDisplay(const Scenario& scenario)
    : scenario_(scenario), starts_(scenario.jobs.size()), use_(scenario.cluster.nodes.size()) {}

void RunDisplay::say(EmuTime at, const std::string& sentence) {
  ++said_;
  last_events_.push_back(fmt::format("{:.1f} s  {}", to_seconds(at), sentence));
  if (last_events_.size() > kLastEvents) last_events_.erase(last_events_.begin());
}

void RunDisplay::started(const Container& container, EmuTime at) {
  const PhaseId phase = container.task.phase;
  const JobSpec& job = scenario_.jobs[phase.job.value];
  if (job.phases[phase.phase].kind == PhaseKind::kAm) return;
  std::optional<EmuTime>& start = starts_[phase.job.value];
  if (!start) say(at, "job " + job.name + " started");
  start = std::min(start.value_or(at), at);
}

void RunDisplay::oom_killed(const Container& container, OomCause cause, EmuTime at) {
  const TaskId& task = container.task;
  const JobSpec& job = scenario_.jobs[task.phase.job.value];
  say(at, fmt::format("{}/{} {} killed on {} for lack of memory ({})", job.name,
                      job.phases[task.phase.phase].name, task.index,
                      scenario_.cluster.nodes[container.node.value].name, limit_of(cause)));
}

void RunDisplay::finished(const JobFinished& job, EmuTime at) {
  say(at, "job " + scenario_.jobs[job.job.value].name + " " +
              std::string(wire::name_of(job.state)) +
              (job.reason.empty() ? "" : ": " + job.reason));
}

void RunDisplay::fault(const FaultMoment& moment) {
  std::string sentence = moment.ends ? "fault over: " : "fault: ";
  sentence += word_of(scenario_.faults[static_cast<std::size_t>(moment.fault)].kind);
  if (moment.node) sentence += " " + scenario_.cluster.nodes[moment.node->value].name;
  say(moment.at, sentence);
}

double RunDisplay::used_cores(NodeId node, const wire::Heartbeat& heartbeat) {
  Use& use = use_[node.value];
  // Use the worker's clock, because the message can be late.
  const real::Time measured{std::chrono::nanoseconds(heartbeat.monotonic_ns)};
  const EmuTime elapsed = scenario_.scale().to_emulated(measured - use.at);
  if (elapsed > EmuTime(0) && use.at != real::Time())
    use.cores = std::max(0.0, static_cast<double>((heartbeat.node_cpu - use.cpu).count()) /
                                  static_cast<double>(elapsed.count()));
  use.memory = heartbeat.node_memory;
  use.cpu = heartbeat.node_cpu;
  use.at = measured;
  return use.cores;
}

wire::Progress RunDisplay::progress(const ClusterState& state, const NodeLinks& links,
                                    EmuTime now) const {
  wire::Progress p = wire::progress_of(state, now, starts_);
  for (std::size_t i = 0; i < p.nodes.size(); ++i) {
    p.nodes[i].used_cores = use_[i].cores;
    p.nodes[i].used_memory = use_[i].memory;
    const NodeId id{static_cast<std::int64_t>(i)};
    p.nodes[i].state = state_of(links.link(id).state, state.node(id));
  }
  p.events = said_;
  p.last_events = last_events_;
  p.scenario = scenario_.name;
  p.policy = policy_text(scenario_.policy);
  return p;
}

}  // namespace heddle::master
