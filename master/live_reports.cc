// What workers tell, as events of the engine.
#include <algorithm>

#include "master/live_run.h"

namespace heddle {
namespace {

/// A century or so: what a worker's clock says can be reckoned with.
constexpr std::int64_t kLatestClock = 4'000'000'000'000'000'000;

}  // namespace

EmuTime LiveRun::event_time(NodeId node, const wire::Report& report, real::Time now) {
  const EmuTime heard = emulated(now);
  const real::Time at{std::chrono::nanoseconds(std::min(report.monotonic_ns, kLatestClock))};
  // Workers of one host share the master's clock.
  if (!links_.link(node).clock)
    return std::clamp(scale_.to_emulated(at - epoch_), resumed_at_, heard);
  EmuTime least = resumed_at_;
  if (auto it = newest_.find(report.container); it != newest_.end())
    least = std::max(least, it->second);
  if (auto it = suspended_.find(report.container);
      it != suspended_.end() && report.kind == wire::ReportKind::kSuspended)
    least = std::max(least, scale_.to_emulated(it->second - epoch_));
  const std::optional<ClockEstimate> clock = links_.clock_offset(node, now);
  if (!clock) return heard;
  return std::clamp(scale_.to_emulated(at - clock->offset - epoch_), std::min(least, heard), heard);
}

void LiveRun::take(const NodeLinks::Heard& heard, const std::string& identity, real::Time now,
                   std::vector<Event>& events, Effects& effects) {
  EmuTime at = emulated(now);
  for (const wire::Report& report : heard.reports) {
    reported_[events.size()] = {*heard.sender, report.number};
    take(*heard.sender, report, now, events);
  }
  for (ContainerId id : heard.vanished)
    if (engine_.state().container(id))
      events.push_back(
          {at, ContainerEnded{
                   id, Outcome::kLost, OomCause::kNone, 0, "its worker knows nothing of it", {}}});
  if (heard.lost) {
    lose(*heard.lost, heard.why_lost, now, events);
    if (!heard.registered) links_.mark_lost(*heard.lost);
  }
  for (const wire::Message& reply : heard.replies) effects.send.emplace_back(identity, reply);
  if (!heard.registered && !heard.again) return;
  const NodeId node = heard.registered ? *heard.registered : *heard.again;
  effects.send.emplace_back(identity, welcome(node));
  if (life_ == Life::kLeaving) {
    effects.send.emplace_back(identity, wire::Shutdown{reason_});
  } else if (life_ == Life::kRunning) {
    if (heard.registered) {
      note_workers(now, effects);
      events.push_back({at, NodeRegistered{node}});
      faults_.back(node);
      tell_peers(effects);
    } else {
      effects.send.emplace_back(identity, links_.peers());
    }
    effects.send.emplace_back(identity, next_beat(node, now));
  } else if (links_.count(NodeLinks::State::kAlive) == std::ssize(scenario_.cluster.nodes)) {
    begin(now, effects);
  }
}

bool LiveRun::was_given(NodeId node, ContainerId id) const {
  const Container* container = engine_.state().container(id);
  return container ? container->node == node : id < engine_.next_container();
}

void LiveRun::take(NodeId node, const wire::Report& report, real::Time now,
                   std::vector<Event>& events) {
  EmuTime at = event_time(node, report, now);
  // What is nobody's or another's is not the worker's to tell of. The report counts as heard.
  if (!was_given(node, report.container)) {
    events.push_back(
        {at, ActionRefused{"report", "of container " + std::to_string(report.container.value) +
                                         ", which its node was not given"}});
    return;
  }
  if (auto it = newest_.find(report.container); it != newest_.end())
    it->second = std::max(it->second, at);
  switch (report.kind) {
    case wire::ReportKind::kStarted:
      started_any_ = true;
      drains_.started(node);
      if (const Container* started = engine_.state().container(report.container))
        display_.started(*started, at);
      events.push_back({at, ContainerStarted{report.container}});
      break;
    case wire::ReportKind::kEnded:
      if (const Container* ended = engine_.state().container(report.container);
          ended && report.outcome == Outcome::kOomKilled)
        display_.oom_killed(*ended, report.oom, at);
      events.push_back({at, ContainerEnded{report.container, report.outcome, report.oom,
                                           report.exit_code, report.reason, report.usage}});
      if (report.outcome == Outcome::kNotStarted)
        note_failed_start(node, report.reason, now, events);
      break;
    case wire::ReportKind::kInputsRead:
      events.push_back({at, InputsRead{report.container}});
      break;
    case wire::ReportKind::kPartDone:
      events.push_back({at, PartDone{report.container, report.part}});
      break;
    case wire::ReportKind::kInputLost:
      events.push_back(
          {at, InputLost{report.container, report.source, report.object, report.reason}});
      break;
    case wire::ReportKind::kSuspended:
      events.push_back({at, ContainerSuspended{report.container}});
      break;
    case wire::ReportKind::kResumed:
      events.push_back({at, ContainerResumed{report.container}});
      break;
    case wire::ReportKind::kRefused:
      events.push_back({at, ActionRefused{"command", report.reason}});
      break;
  }
}

void LiveRun::lose(NodeId node, const std::string& reason, real::Time now,
                   std::vector<Event>& events) {
  drains_.forget(node);
  // Once the run is leaving, workers go by and by; that is no loss.
  if (life_ != Life::kRunning || !engine_.state().node(node).registered()) return;
  EmuTime at = emulated(now);
  for (ContainerId id : engine_.state().node(node).containers)
    if (!ended_unseen(id))
      events.push_back(
          {at, ContainerEnded{id, Outcome::kLost, OomCause::kNone, 0, "its node was lost", {}}});
  events.push_back({at, NodeLost{node, reason, faults_.lost(node, at)}});
  display_.say(at, "node " + scenario_.cluster.nodes[node.value].name + " lost: " + reason);
}

void LiveRun::note_failed_start(NodeId node, const std::string& reason, real::Time now,
                                std::vector<Event>& events) {
  if (life_ != Life::kRunning || !drains_.failed(node, reason, now)) return;
  const EmuTime at = emulated(now);
  const std::string why = "its machine starts no tasks: " + reason;
  events.push_back({at, NodeDrained{node, why}});
  display_.say(at, "node " + scenario_.cluster.nodes[node.value].name + " drained: " + why);
}

void LiveRun::take_probe(NodeId node, const std::string& reason, real::Time now,
                         std::vector<Event>& events) {
  if (life_ != Life::kRunning || !drains_.probed(node, reason, now)) return;
  const EmuTime at = emulated(now);
  events.push_back({at, NodeRestored{node}});
  display_.say(at, "node " + scenario_.cluster.nodes[node.value].name + " takes tasks again");
}

void LiveRun::send_probes(real::Time now, Effects& effects) {
  for (NodeId node : drains_.take_due(now)) {
    const NodeLinks::Link& link = links_.link(node);
    if (link.state == NodeLinks::State::kAlive)
      effects.send.emplace_back(link.identity, wire::Probe{link.incarnation});
  }
}

bool LiveRun::nothing_left() const {
  const ClusterState& state = engine_.state();
  if (state.alive_nodes() > 0 || faults_.awaits() || !drains_.hopeless()) return false;
  return std::none_of(
      state.containers().begin(), state.containers().end(),
      [](const Container& container) { return container.state == ContainerState::kRunning; });
}

void LiveRun::leave_empty(real::Time now, Effects& effects) {
  const std::map<NodeId, std::string> drained = drains_.drained();
  if (drained.empty()) return leave(RunStatus::kAborted, "every node was lost", now, effects);
  const auto& [node, why] = *drained.begin();
  std::string reason =
      "no node takes tasks any more; node " + scenario_.cluster.nodes[node.value].name + ": " + why;
  if (drained.size() > 1) reason += " (and " + std::to_string(drained.size() - 1) + " more)";
  leave(started_any_ ? RunStatus::kAborted : RunStatus::kUnable, reason, now, effects);
}

bool LiveRun::ended_unseen(ContainerId id) const {
  return std::any_of(unseen_.begin(), unseen_.end(), [&](const Event& event) {
    const auto* ended = std::get_if<ContainerEnded>(&event.what);
    return ended && ended->container == id;
  });
}

}  // namespace heddle
