#include "master/live_nodes.h"

#include <fmt/core.h>

#include <algorithm>

namespace heddle::master {

LiveNodes::LiveNodes(LiveParts& parts) : parts_(parts), engine_(parts.engine) {}

void LiveNodes::lose(NodeId node, const std::string& reason, real::Time now,
                     std::vector<Event>& events) {
  drains_.forget(node);
  // If the run is leaving, a worker that says goodbye is not lost.
  if (parts_.life != Life::kRunning || !engine_.state().node(node).registered()) return;
  const EmuTime at = parts_.clock.emulated(now);
  for (ContainerId id : engine_.state().node(node).containers)
    if (!ended_unseen(id))
      events.push_back(
          {at, ContainerEnded{id, Outcome::kLost, OomCause::kNone, 0, "its node was lost", {}}});
  events.push_back({at, NodeLost{node, reason, parts_.calendar.faults().lost(node, at)}});
}

void LiveNodes::lose_silent(real::Time now, std::vector<Event>& events) {
  const EmuTime limit = parts_.scenario.scale().to_emulated(liveness(parts_.scenario));
  for (NodeId node : parts_.links.expired(now)) {
    lose(node, fmt::format("no heartbeat for {:.1f} s", to_seconds(limit)), now, events);
    parts_.links.mark_lost(node);
    if (parts_.life == Life::kRunning) parts_.send_to_all(parts_.links.peers());
  }
}

void LiveNodes::ran(NodeId node) {
  ran_any_ = true;
  drains_.ran(node);
}

void LiveNodes::start_failed(NodeId node, const std::string& reason, real::Time now,
                             std::vector<Event>& events) {
  if (parts_.life != Life::kRunning || !drains_.failed(node, reason, now)) return;
  const EmuTime at = parts_.clock.emulated(now);
  const std::string why = "its machine can't start tasks: " + reason;
  events.push_back({at, NodeDrained{node, why}});
}

void LiveNodes::probed(NodeId node, const std::string& reason, real::Time now,
                       std::vector<Event>& events) {
  if (parts_.life != Life::kRunning || !drains_.probed(node, reason, now)) return;
  events.push_back({parts_.clock.emulated(now), NodeRestored{node}});
}

void LiveNodes::send_probes(real::Time now) {
  for (NodeId node : drains_.take_due(now)) {
    const NodeLinks::Link& link = parts_.links.link(node);
    if (link.state == NodeLinks::State::kAlive)
      parts_.effects.send.emplace_back(link.identity, wire::Probe{link.incarnation});
  }
}

void LiveNodes::recover(const Event& event) {
  FaultWatch& faults = parts_.calendar.faults();
  if (const auto* registered = std::get_if<NodeRegistered>(&event.what))
    faults.back(registered->node);
  if (const auto* lost = std::get_if<NodeLost>(&event.what)) {
    drains_.forget(lost->node);
    // If the node was already lost, the event says that the run no longer waits for it.
    if (engine_.state().node(lost->node).registered())
      (void)faults.lost(lost->node, event.at);
    else
      faults.back(lost->node);
    parts_.links.mark_lost(lost->node);
  }
  if (const auto* drained = std::get_if<NodeDrained>(&event.what))
    drains_.recover(drained->node, drained->reason);
  if (const auto* restored = std::get_if<NodeRestored>(&event.what)) drains_.forget(restored->node);
  const auto* ended = std::get_if<ContainerEnded>(&event.what);
  ran_any_ = ran_any_ || (ended != nullptr && ended->outcome != Outcome::kNotStarted);
}

bool LiveNodes::nothing_left() const {
  const ClusterState& state = engine_.state();
  if (state.alive_nodes() > 0 || parts_.calendar.faults().awaits() || !drains_.hopeless())
    return false;
  return std::none_of(
      state.containers().begin(), state.containers().end(),
      [](const Container& container) { return container.state == ContainerState::kRunning; });
}

LiveNodes::End LiveNodes::end() const {
  const std::map<NodeId, std::string> drained = drains_.drained();
  if (drained.empty()) return {RunStatus::kAborted, "every node was lost"};
  const auto& [node, why] = *drained.begin();
  std::string reason = "no node takes tasks any more; node " +
                       parts_.scenario.cluster.nodes[node.value].name + ": " + why;
  if (drained.size() > 1) reason += " (and " + std::to_string(drained.size() - 1) + " more)";
  return {ran_any_ ? RunStatus::kAborted : RunStatus::kUnable, reason};
}

bool LiveNodes::ended_unseen(ContainerId id) const {
  return std::any_of(parts_.unseen.begin(), parts_.unseen.end(), [&](const Event& event) {
    const auto* ended = std::get_if<ContainerEnded>(&event.what);
    return ended && ended->container == id;
  });
}

}  // namespace heddle::master
