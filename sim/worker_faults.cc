#include "sim/worker_faults.h"

namespace heddle::sim {

void WorkerFaults::strike(NodeId id, const FaultMoment& moment) {
  NodeLink& link = cluster_.link(id);
  const FaultSpec& fault = cluster_.scenario.faults[static_cast<std::size_t>(moment.fault)];
  link.touched = true;
  switch (fault.kind) {
    case FaultKind::kKillWorker:
      clear(id);
      link.up = false;
      link.hello = kNever;
      link.restart = fault.restart_after ? cluster_.now + *fault.restart_after : kNever;
      cluster_.data.set_passing(id, false, false);
      break;
    case FaultKind::kFreezeWorker:
      link.frozen_until = cluster_.now + *fault.lasts;
      cluster_.data.set_passing(id, false, false);
      break;
    case FaultKind::kPartition:
      link.cut_until = cluster_.now + *fault.lasts;
      cluster_.data.set_passing(id, true, false);
      break;
    default:
      break;  // other kinds change conditions or affect tasks
  }
  link.data_check = cluster_.now + cluster_.limits.data_silence;
  cluster_.touch(id);
}

void WorkerFaults::set_conditions(NodeId id, const NodeConditions& conditions) {
  SimulatedCluster::Node& node = cluster_.node(id);
  node.link.touched = true;
  node.link.rules = conditions.beats;
  node.link.beats = 0;
  node.worker.set_speed(conditions.speed);
  cluster_.data.set_full(id, conditions.disk_full);
  cluster_.touch(id);
}

void WorkerFaults::react_all(std::vector<NodeId>& active) {
  while (cluster_.worker_due.next_time() <= cluster_.now) {
    const NodeId id = cluster_.worker_due.next();
    active.push_back(id);
    cluster_.node(id).worker.advance(cluster_.now);
    react(id);
    cluster_.touch(id);
  }
}

void WorkerFaults::react(NodeId id) {
  SimulatedCluster::Node& node = cluster_.node(id);
  NodeLink& link = node.link;
  if (!link.up && link.restart <= cluster_.now) {
    link.up = true;
    link.restart = kNever;
    ++link.process;
    link.hello = cluster_.now;
    cluster_.data.set_passing(id, true, true);
  }
  if (link.frozen_until > EmuTime(0) && !link.frozen(cluster_.now)) {
    link.frozen_until = EmuTime(0);
    cluster_.data.set_passing(id, true, !link.cut(cluster_.now));
    for (; !node.undelivered.empty(); node.undelivered.pop_back()) {
      cluster_.deliveries.push_front(std::move(node.undelivered.back()));
      cluster_.deliveries.front().at = cluster_.now;
    }
    if (!link.cut(cluster_.now)) cluster_.send_unsent(id);
  }
  if (link.cut_until > EmuTime(0) && !link.cut(cluster_.now)) {
    link.cut_until = EmuTime(0);
    if (!link.frozen(cluster_.now)) cluster_.data.set_passing(id, link.up, link.up);
    cluster_.data.fail_with(id, cluster_.now);  // requests made during the cut are forgotten
  }
  const bool unreachable = !link.up || link.frozen(cluster_.now) || link.cut(cluster_.now);
  if (link.data_check <= cluster_.now) {
    cluster_.data.fail_with(
        id, link.alive ? cluster_.now - cluster_.limits.data_silence : cluster_.now);
    link.data_check = link.alive && unreachable ? cluster_.now + cluster_.limits.hello : kNever;
  }
  if (!link.up || link.frozen(cluster_.now)) return;
  if (link.cut(cluster_.now)) link.told_to_rejoin = false;
  const bool silence = cluster_.now - link.answered >= cluster_.limits.silence;
  if (link.joined && (silence || link.told_to_rejoin)) clear(id);
  if (!link.joined && link.hello <= cluster_.now) say_hello(id);
}

void WorkerFaults::clear(NodeId id) {
  SimulatedCluster::Node& node = cluster_.node(id);
  NodeLink& link = node.link;
  node.worker.clear();
  node.worker.set_speed(1);
  node.unsent.clear();
  node.undelivered.clear();
  cluster_.data.set_full(id, false);
  cluster_.data.fail_with(id, link.up ? cluster_.now : cluster_.now - cluster_.limits.data_silence);
  ++link.life;
  link.joined = link.told_to_rejoin = false;
  link.rules.clear();
  link.beats = link.sequence = 0;
  link.hello = cluster_.now;
}

void WorkerFaults::say_hello(NodeId id) {
  NodeLink& link = cluster_.link(id);
  link.hello = cluster_.now + cluster_.limits.hello;
  if (!link.cut(cluster_.now))
    cluster_.reports.push_back(
        {cluster_.now + cluster_.message_delay, id, std::nullopt, link.process, link.life});
}

}  // namespace heddle::sim
