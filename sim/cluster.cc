#include "sim/cluster.h"

#include <algorithm>

#include "core/model/least_silence.h"
#include "core/policy/capacity/estimation.h"

namespace heddle::sim {
namespace {

/// Returns the same limits as in a real run. A data service waits 3 s for a peer that does not
/// answer.
NodeLink::Limits limits_of(const Scenario& scenario) {
  const auto emulated = [&](real::Duration time) { return scenario.scale().to_emulated(time); };
  using namespace std::chrono_literals;
  return {std::max(scenario.cluster.node_timeout, emulated(kLeastSilence)), emulated(1s),
          emulated(3s)};
}

}  // namespace

EmuTime simulated_delay(const Scenario& scenario, real::Duration real) {
  return scenario.simulation.ideal ? EmuTime(0) : scenario.scale().to_emulated(real);
}

SimulatedCluster::SimulatedCluster(const Scenario& in, const std::optional<Variation>& vary)
    : scenario(in),
      variation(vary),
      message_delay(simulated_delay(in, in.simulation.message_delay)),
      limits(limits_of(in)),
      data(in.cluster.nodes),
      due(in.cluster.nodes.size()),
      worker_due(in.cluster.nodes.size()),
      master_due(in.cluster.nodes.size()) {
  const EmuTime launch_delay = simulated_delay(in, in.simulation.launch_delay);
  std::optional<Damping> estimate;
  if (estimated_at_worker(in.policy)) estimate = damping_of(in.policy);
  const ContainerBounds bounds(in);
  for (const NodeSpec& spec : in.cluster.nodes) {
    const NodeId id{std::ssize(nodes)};
    NodeModel node(NodeModel::spec_of(in, bounds, spec), id, data);
    nodes.emplace_back(WorkerModel(std::move(node),
                                   StartDelays(launch_delay, in.scale(), id, variation),
                                   spec.system, estimate));
  }
}

void SimulatedCluster::tell(NodeId id, Event event) {
  Node& node = this->node(id);
  const NodeLink& link = node.link;
  if (link.talks(now))
    reports.push_back({now + message_delay, id, std::move(event), link.process, link.life});
  else if (link.joined)
    node.unsent.push_back(std::move(event));
}

void SimulatedCluster::send_unsent(NodeId id) {
  for (Event& event : std::exchange(nodes[id.value].unsent, {})) tell(id, std::move(event));
}

void SimulatedCluster::send(Heartbeat sent) {
  if (heartbeats.empty() || heartbeats.back().at <= sent.at) {
    heartbeats.push_back(std::move(sent));
    return;
  }
  const auto later =
      std::upper_bound(heartbeats.begin(), heartbeats.end(), sent.at,
                       [](EmuTime at, const Heartbeat& other) { return at < other.at; });
  heartbeats.insert(later, std::move(sent));
}

void SimulatedCluster::flush(NodeId id) {
  // Commands stay in order. If a command can't wait, the earlier commands are sent with it.
  Node& node = this->node(id);
  if (node.undelivered.empty() && node.waiting.empty()) return;
  // Commands that did not arrive are sent again first.
  for (Delivery& delivery : std::exchange(node.undelivered, {}))
    deliveries.push_back({now + message_delay, id, std::move(delivery.command), delivery.life});
  for (Command& command : std::exchange(node.waiting, {}))
    deliveries.push_back({now + message_delay, id, std::move(command), node.link.known_life});
}

void SimulatedCluster::touch(NodeId id) {
  Node& node = this->node(id);
  if (!node.link.touched) return;
  worker_due.set(id, node.link.worker_due(now, limits));
  master_due.set(id, node.link.master_due(limits));
}

bool SimulatedCluster::any_settling() const {
  return std::any_of(nodes.begin(), nodes.end(), [this](const Node& node) {
    return node.link.touched && node.link.settling(now);
  });
}

}  // namespace heddle::sim
