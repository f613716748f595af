#include "master/run_display.h"

#include <fmt/core.h>

#include <algorithm>
#include <concepts>
#include <numeric>
#include <utility>

#include "common/overloads.h"
#include "core/policy/own_options.h"
#include "core/scenario/words.h"

namespace heddle::master {
namespace {

using wire::EventKind;

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

/// Returns the container that the event names, or nullptr if it names none or the container is not
/// alive.
const Container* container_of(const Event& event, const ClusterState& state) {
  return std::visit(
      [&](const auto& what) -> const Container* {
        if constexpr (requires {
                        { what.container } -> std::convertible_to<ContainerId>;
                      })
          return state.container(what.container);
        else
          return nullptr;
      },
      event.what);
}

/// Returns, for example, "count/map 3".
std::string task_text(const Scenario& scenario, const TaskId& task) {
  const JobSpec& job = scenario.jobs[task.phase.job.value];
  return fmt::format("{}/{} {}", job.name, job.phases[task.phase.phase].name, task.index);
}

}  // namespace

std::optional<Sentence> sentence_of(const Scenario& scenario, const Event& event,
                                    const Container* container, std::optional<EmuTime> lost_at) {
  const auto node = [&](NodeId id) { return "node " + scenario.cluster.nodes[id.value].name; };
  const auto about = [&](EventKind kind, const std::string& what) -> std::optional<Sentence> {
    if (!container) return std::nullopt;
    return Sentence{kind, task_text(scenario, container->task) + " " + what + " on " +
                              scenario.cluster.nodes[container->node.value].name};
  };
  using Shown = std::optional<Sentence>;
  return std::visit(
      Overloads{
          [&](const NodeLost& lost) -> Shown {
            return Sentence{EventKind::kNode, node(lost.node) + " lost: " + lost.reason +
                                                  (lost.returns ? "; expected back" : "")};
          },
          [&](const NodeRegistered& registered) -> Shown {
            if (!lost_at) return std::nullopt;  // the beginning of the run
            return Sentence{EventKind::kNode,
                            fmt::format("{} is back after {:.1f} s", node(registered.node),
                                        to_seconds(event.at - *lost_at))};
          },
          [&](const NodeDrained& drained) -> Shown {
            return Sentence{EventKind::kNode, node(drained.node) + " drained: " + drained.reason};
          },
          [&](const NodeRestored& restored) -> Shown {
            return Sentence{EventKind::kNode, node(restored.node) + " takes tasks again"};
          },
          [&](const ContainerStarted&) -> Shown {
            if (!container || container->attempt == 1) return std::nullopt;
            Shown retry = about(EventKind::kRetry, "runs again");
            retry->text += fmt::format(" (attempt {})", container->attempt);
            return retry;
          },
          [&](const ContainerEnded& ended) -> Shown {
            if (ended.outcome != Outcome::kOomKilled) return std::nullopt;
            Shown kill = about(EventKind::kMemoryKill, "killed");
            if (kill) kill->text += " for lack of memory (" + limit_of(ended.oom) + ")";
            return kill;
          },
          [&](const ContainerSuspended&) { return about(EventKind::kSuspension, "suspended"); },
          [&](const ContainerResumed&) { return about(EventKind::kSuspension, "resumed"); },
          [](const auto&) -> Shown { return std::nullopt; }},
      event.what);
}

Sentence sentence_of(const Scenario& scenario, const JobFinished& job) {
  return {job.state == JobState::kCompleted ? EventKind::kJob : EventKind::kFailedJob,
          "job " + scenario.jobs[job.job.value].name + " " + std::string(wire::name_of(job.state)) +
              (job.reason.empty() ? "" : ": " + job.reason)};
}

Sentence sentence_of(const Scenario& scenario, const FaultMoment& moment) {
  std::string text = moment.ends ? "fault over: " : "fault: ";
  text += word_of(scenario.faults[static_cast<std::size_t>(moment.fault)].kind);
  if (moment.node) text += " " + scenario.cluster.nodes[moment.node->value].name;
  return {EventKind::kFault, text};
}

RunDisplay::RunDisplay(const Scenario& scenario)
    : scenario_(scenario), starts_(scenario.jobs.size()), use_(scenario.cluster.nodes.size()) {}

void RunDisplay::say(EmuTime at, const std::string& sentence, EventKind kind) {
  ++said_[static_cast<std::size_t>(kind)];
  last_events_.push_back(fmt::format("{:.1f} s  {}", to_seconds(at), sentence));
  last_kinds_.push_back(kind);
  if (last_events_.size() <= kLastEvents) return;
  last_events_.erase(last_events_.begin());
  last_kinds_.erase(last_kinds_.begin());
}

bool RunDisplay::note_start(const Container& container, EmuTime at) {
  const PhaseId phase = container.task.phase;
  const JobSpec& job = scenario_.jobs[phase.job.value];
  if (job.phases[phase.phase].kind == PhaseKind::kAm) return false;
  std::optional<EmuTime>& start = starts_[phase.job.value];
  const bool first = !start;
  start = std::min(start.value_or(at), at);
  return first;
}

void RunDisplay::recover(const Event& event, const ClusterState& state) {
  if (const auto* lost = std::get_if<NodeLost>(&event.what))
    lost_at_.try_emplace(lost->node, event.at);
  if (const auto* registered = std::get_if<NodeRegistered>(&event.what))
    lost_at_.erase(registered->node);
  const Container* container = container_of(event, state);
  if (container && std::holds_alternative<ContainerStarted>(event.what))
    (void)note_start(*container, event.at);
}

void RunDisplay::happened(const Event& event, const ClusterState& state) {
  const Container* container = container_of(event, state);
  std::optional<EmuTime> lost_at;
  if (const auto* registered = std::get_if<NodeRegistered>(&event.what))
    if (const auto lost = lost_at_.find(registered->node); lost != lost_at_.end())
      lost_at = lost->second;
  if (container && std::holds_alternative<ContainerStarted>(event.what) &&
      note_start(*container, event.at))
    say(event.at, "job " + scenario_.jobs[container->task.phase.job.value].name + " started",
        EventKind::kJob);
  if (const auto sentence = sentence_of(scenario_, event, container, lost_at))
    say(event.at, sentence->text, sentence->kind);
  recover(event, state);
}

void RunDisplay::finished(const JobFinished& job, EmuTime at) {
  const Sentence sentence = sentence_of(scenario_, job);
  say(at, sentence.text, sentence.kind);
}

void RunDisplay::fault(const FaultMoment& moment) {
  const Sentence sentence = sentence_of(scenario_, moment);
  say(moment.at, sentence.text, sentence.kind);
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
  p.events = std::accumulate(said_.begin(), said_.end(), std::int64_t{0});
  p.last_events = last_events_;
  p.last_kinds = last_kinds_;
  p.events_of_kind = said_;
  p.scenario = scenario_.name;
  p.policy = policy_label(scenario_.policy);
  return p;
}

}  // namespace heddle::master
