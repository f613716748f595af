#include "master/live_nodes.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "master/live_options.h"

namespace heddle::master {

namespace {

/// Returns why a silent node is lost. `configured` and `late`: see silence_limit().
std::string silence_text(const Scale& scale, real::Duration configured, real::Duration late) {
  const real::Duration limit = silence_limit(configured, late);
  const std::string text =
      fmt::format("no heartbeat for {:.1f} s", to_seconds(scale.to_emulated(limit)));
  if (limit == configured) return text;
  return fmt::format(
      "{} ({:.1f} s real); the machine is slow: heartbeats were up to {:.1f} s (real) late", text,
      seconds(limit), seconds(late));
}

}  // namespace

LiveNodes::LiveNodes(const Scenario& scenario, const ClusterState& cluster, const RunLife& life,
                     const LiveClock& clock, FaultWatch& faults, NodeLinks& links, Outbox& outbox)
    : scenario_(scenario),
      cluster_(cluster),
      life_(life),
      clock_(clock),
      faults_(faults),
      links_(links),
      outbox_(outbox) {}

void LiveNodes::lose(NodeId node, const std::string& reason, real::Time now,
                     std::vector<Event>& events) {
  drains_.forget(node);
  // If the run is leaving, a worker that says goodbye is not lost.
  if (!life_.is(Life::kRunning) || !cluster_.node(node).registered()) return;
  const EmuTime at = clock_.emulated(now);
  for (ContainerId id : cluster_.node(node).containers)
    if (!ended_unseen_.contains(id))
      events.push_back(
          {at, ContainerEnded{id, Outcome::kLost, OomCause::kNone, 0, "its node was lost", {}}});
  events.push_back({at, NodeLost{node, reason, faults_.lost(node, at)}});
}

void LiveNodes::lose_silent(real::Time now, std::vector<Event>& events) {
  if (faults_.expects_none()) return lose_all(now, events);
  const std::vector<NodeId> silent = links_.expired(now);
  if (silent.empty()) return;
  const std::string reason =
      silence_text(scenario_.scale(), links_.timeout(), links_.largest_delay(now));
  for (NodeId node : silent) {
    lose(node, reason, now, events);
    links_.mark_lost(node);
    if (life_.is(Life::kRunning)) outbox_.to_all(links_.peers());
  }
}

void LiveNodes::lose_all(real::Time now, std::vector<Event>& events) {
  if (life_.is(Life::kRegistering)) return;
  for (const Node& node : cluster_.nodes()) {
    lose(node.id, "its worker has ended", now, events);
    links_.mark_lost(node.id);
  }
}

void LiveNodes::back(NodeId node, EmuTime at, std::vector<Event>& events) {
  faults_.back(node, at);
  events.push_back({at, NodeRegistered{node}});
}

void LiveNodes::ran(NodeId node) {
  ran_any_ = true;
  drains_.ran(node);
}

void LiveNodes::start_failed(NodeId node, const std::string& reason, real::Time now,
                             std::vector<Event>& events) {
  if (!life_.is(Life::kRunning) || !drains_.failed(node, reason, now)) return;
  const EmuTime at = clock_.emulated(now);
  const std::string why = "its machine can't start tasks: " + reason;
  events.push_back({at, NodeDrained{node, why}});
}

void LiveNodes::probed(NodeId node, const std::string& reason, real::Time now,
                       std::vector<Event>& events) {
  if (!life_.is(Life::kRunning) || !drains_.probed(node, reason, now)) return;
  events.push_back({clock_.emulated(now), NodeRestored{node}});
}

void LiveNodes::send_probes(real::Time now) {
  for (NodeId node : drains_.take_due(now)) {
    const NodeLinks::Link& link = links_.link(node);
    if (link.state == NodeLinks::State::kAlive)
      outbox_.to_node(node, wire::Probe{link.incarnation});
  }
}

void LiveNodes::recover(const Event& event) {
  if (const auto* registered = std::get_if<NodeRegistered>(&event.what))
    faults_.back(registered->node, event.at);
  if (const auto* lost = std::get_if<NodeLost>(&event.what)) {
    drains_.forget(lost->node);
    // If the node was already lost, the event says that the run no longer waits for it.
    if (cluster_.node(lost->node).registered()) (void)faults_.lost(lost->node, event.at);
    if (!lost->returns) faults_.give_up(lost->node);
    links_.mark_lost(lost->node);
  }
  if (const auto* drained = std::get_if<NodeDrained>(&event.what))
    drains_.recover(drained->node, drained->reason);
  if (const auto* restored = std::get_if<NodeRestored>(&event.what)) drains_.forget(restored->node);
  const auto* ended = std::get_if<ContainerEnded>(&event.what);
  ran_any_ = ran_any_ || (ended != nullptr && ended->outcome != Outcome::kNotStarted);
}

void LiveNodes::recover_unseen(const std::vector<Event>& events) {
  for (const Event& event : events)
    if (const auto* ended = std::get_if<ContainerEnded>(&event.what))
      ended_unseen_.insert(ended->container);
}

bool LiveNodes::runs_task() const {
  return std::ranges::any_of(cluster_.containers(), [this](const Container& container) {
    const PhaseId id = container.task.phase;
    // An application master never ends by itself.
    return container.state == ContainerState::kRunning &&
           cluster_.job(id.job).spec().phases[id.phase].kind != PhaseKind::kAm;
  });
}

bool LiveNodes::nothing_left(real::Time now) {
  const bool empty = cluster_.alive_nodes() == 0 && drains_.hopeless() && !runs_task();
  if (!empty) wait_.reset();
  if (const auto until = faults_.patient_until(); until && empty && !wait_) {
    wait_ = clock_.scale().to_real(*until - clock_.emulated(now));
    notice_ = fmt::format(
        "{}; waits {:.0f} s for workers to come back",
        drains_.drained().empty() ? "every node is lost" : "no node takes tasks any more",
        seconds(*wait_));
  }
  return empty && !faults_.awaits();
}

LiveNodes::End LiveNodes::end() const {
  const std::map<NodeId, std::string> drained = drains_.drained();
  if (drained.empty()) {
    std::string reason = "every node was lost";
    if (wait_ && !faults_.expects_none())
      reason += fmt::format(", and no worker came back within {:.0f} s", seconds(*wait_));
    return {RunStatus::kAborted, reason};
  }
  const auto& [node, why] = *drained.begin();
  std::string reason =
      "no node takes tasks any more; node " + scenario_.cluster.nodes[node.value].name + ": " + why;
  if (drained.size() > 1) reason += " (and " + std::to_string(drained.size() - 1) + " more)";
  return {ran_any_ ? RunStatus::kAborted : RunStatus::kUnable, reason};
}

}  // namespace heddle::master
