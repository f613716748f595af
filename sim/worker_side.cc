#include "sim/worker_side.h"

#include <algorithm>
#include <utility>

#include "common/overloads.h"

namespace heddle::sim {
namespace {

std::vector<EmuTime> offsets(const Scenario& scenario, const std::optional<Variation>& variation) {
  const ClusterSpec& cluster = scenario.cluster;
  std::vector<EmuTime> offsets(cluster.nodes.size());
  if (scenario.simulation.ideal) return offsets;
  // Workers get their heartbeat schedule at the beginning, and count periods from that time.
  const EmuTime told = simulated_delay(scenario, scenario.simulation.message_delay);
  for (std::int64_t i = 0; i < std::ssize(offsets); ++i) {
    const NodeId node{i};
    EmuTime offset = cluster.beat_offset(node) + told;
    if (variation) offset += scenario.scale().to_emulated(variation->beat_delay(node));
    offsets[i] = EmuTime(offset.count() % cluster.heartbeat.count());
  }
  return offsets;
}

}  // namespace

WorkerSide::WorkerSide(SimulatedCluster& cluster, bool lazy_beats)
    : WorkerSide(cluster, lazy_beats, offsets(cluster.scenario, cluster.variation)) {}

WorkerSide::WorkerSide(SimulatedCluster& cluster, bool lazy_beats,
                       const std::vector<EmuTime>& offsets)
    : cluster_(cluster),
      faults_(cluster),
      schedule_(offsets, cluster.scenario.cluster.heartbeat),
      lazy_beats_(lazy_beats) {
  if (!lazy_beats_) return;
  for (std::size_t i = 0; i < offsets.size(); ++i)
    cluster_.nodes[i].worker.beat_regularly(offsets[i], cluster.scenario.cluster.heartbeat);
}

EmuTime WorkerSide::next_time() const {
  const EmuTime next = std::min(
      {cluster_.data.next_time(), cluster_.due.next_time(), cluster_.worker_due.next_time()});
  return cluster_.deliveries.empty() ? next : std::min(next, cluster_.deliveries.front().at);
}

void WorkerSide::run() {
  cluster_.data.advance(cluster_.now);
  active_.clear();
  faults_.react_all(active_);
  const std::vector<DataModel::Moved> moved = cluster_.data.take_moved();
  for (const DataModel::Moved& it : moved) active_.push_back(it.node);
  for (; cluster_.due.next_time() <= cluster_.now; cluster_.due.set(active_.back(), kNever))
    active_.push_back(cluster_.due.next());
  for (auto it = cluster_.deliveries.begin();
       it != cluster_.deliveries.end() && it->at <= cluster_.now; ++it)
    active_.push_back(it->node);
  std::sort(active_.begin(), active_.end());
  active_.erase(std::unique(active_.begin(), active_.end()), active_.end());
  for (NodeId id : active_) cluster_.node(id).worker.advance(cluster_.now);
  for (const DataModel::Moved& it : moved)
    cluster_.node(it.node).worker.moved(it.container, it.ticket, it.outcome);
  for (; !cluster_.deliveries.empty() && cluster_.deliveries.front().at <= cluster_.now;
       cluster_.deliveries.pop_front())
    if (takes(cluster_.deliveries.front())) carry_out(cluster_.deliveries.front());
  for (NodeId id : active_) settle(id);
  cluster_.data.settle();
}

bool WorkerSide::takes(const SimulatedCluster::Delivery& delivery) {
  SimulatedCluster::Node& node = cluster_.node(delivery.node);
  const NodeLink& link = node.link;
  if (!link.up || !link.joined || delivery.life != link.life) return false;
  if (link.talks(cluster_.now)) return true;
  node.undelivered.push_back(delivery);
  return false;
}

void WorkerSide::carry_out(SimulatedCluster::Delivery& delivery) {
  const NodeId id = delivery.node;
  std::visit(
      Overloads{[&](FaultMoment& fault) { faults_.strike(id, fault); },
                [&](NodeConditions& conditions) { faults_.set_conditions(id, conditions); },
                // If WorkerModel does not know a command, this does not compile.
                [&](auto& command) { cluster_.node(id).worker.command(std::move(command)); }},
      delivery.command);
}

void WorkerSide::settle(NodeId id) {
  SimulatedCluster::Node& node = cluster_.node(id);
  for (Event& event : node.worker.settle()) cluster_.tell(id, std::move(event));
  cluster_.due.set(id, node.worker.next_time());
}

std::int64_t WorkerSide::skip_heartbeats(EmuTime until) {
  std::int64_t skipped = std::ssize(cluster_.heartbeats);
  for (const SimulatedCluster::Heartbeat& heartbeat : cluster_.heartbeats)
    cluster_.node(heartbeat.node).worker.drop_beat();
  cluster_.heartbeats.clear();
  skipped += schedule_.skip(until);
  return skipped;
}

void WorkerSide::send_heartbeat() {
  NodeId id = schedule_.pop();
  NodeLink& link = cluster_.link(id);
  if (!link.up || !link.joined || link.frozen(cluster_.now)) return;
  const BeatFate fate = fate_of(link.rules, ++link.beats);
  ++link.sequence;
  if (fate.lost || link.cut(cluster_.now)) return;
  cluster_.send_unsent(id);
  WorkerModel& worker = cluster_.node(id).worker;
  worker.beat(cluster_.now);
  SimulatedCluster::Heartbeat sent{cluster_.now + cluster_.message_delay + fate.delay,
                                   id,
                                   link.life,
                                   link.sequence,
                                   cluster_.now,
                                   {}};
  if (!lazy_beats_) sent.beat = worker.take_beat();
  cluster_.send(std::move(sent));
}

}  // namespace heddle::sim
