#include "sim/master_side.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace heddle::sim {

EmuTime MasterSide::next_time() const {
  const EmuTime silent = cluster_.master_due.next_time();
  return cluster_.reports.empty() ? silent : std::min(silent, cluster_.reports.front().at);
}

void MasterSide::hear_reports(std::vector<Event>& events) {
  for (; !cluster_.reports.empty() && cluster_.reports.front().at <= cluster_.now;
       cluster_.reports.pop_front()) {
    SimulatedCluster::Report& report = cluster_.reports.front();
    if (!report.event)
      hear_hello(report, events);
    else if (knows(report.node, report.life))
      events.push_back(*std::move(report.event));
  }
}

bool MasterSide::knows(NodeId id, int life) {
  NodeLink& link = cluster_.link(id);
  const bool known = link.alive && link.known_life == life;
  if (known)
    link.last_heard = cluster_.now;
  else
    link.told_to_rejoin = link.joined && link.life == life;
  cluster_.touch(id);
  return known;
}

void MasterSide::hear_hello(const SimulatedCluster::Report& hello, std::vector<Event>& events) {
  const NodeId id = hello.node;
  SimulatedCluster::Node& node = cluster_.node(id);
  NodeLink& link = node.link;
  if (hello.life != link.life || !link.up || link.joined) return;
  // A worker that can still be alive is not replaced by another worker.
  const bool fresh = cluster_.now - link.last_heard < cluster_.limits.hello * 2;
  if (link.alive && link.known_process != hello.process && fresh) return;
  if (link.alive) lose(id, "its worker left or began anew", events);
  link.alive = link.joined = true;
  link.known_process = hello.process;
  link.known_life = hello.life;
  link.last_heard = link.answered = cluster_.now;
  link.newest_beat = 0;
  link.hello = kNever;
  cluster_.data.set_gone(id, false);
  calendar_.faults().back(id, cluster_.now);
  events.push_back({cluster_.now, NodeRegistered{id}});
  if (const NodeConditions* conditions = calendar_.faults().conditions(id))
    node.waiting.emplace_back(*conditions);
  if (const auto& load = calendar_.load(id)) node.waiting.emplace_back(ExternalLoad{id, *load});
  cluster_.flush(id);
  cluster_.touch(id);
}

void MasterSide::lose(NodeId id, const std::string& reason, std::vector<Event>& events) {
  SimulatedCluster::Node& node = cluster_.node(id);
  for (ContainerId container : state_.node(id).containers)
    events.push_back(
        {cluster_.now,
         ContainerEnded{container, Outcome::kLost, OomCause::kNone, 0, "its node was lost",
                        node.worker.take_usage(container, cluster_.now)}});
  events.push_back({cluster_.now, NodeLost{id, reason, calendar_.faults().lost(id, cluster_.now)}});
  node.waiting.clear();
  node.undelivered.clear();
  node.link.alive = false;
  node.link.data_check = cluster_.now;  // the node's peers are notified
  cluster_.data.set_gone(id, true);
  cluster_.touch(id);
}

void MasterSide::lose_silent(std::vector<Event>& events) {
  while (cluster_.master_due.next_time() <= cluster_.now) {
    lose(cluster_.master_due.next(),
         fmt::format("no heartbeat for {:.1f} s", to_seconds(cluster_.limits.silence)), events);
  }
  calendar_.take_missing(cluster_.now, events);
}

void MasterSide::command(NodeId id, SimulatedCluster::Command command, bool now) {
  cluster_.node(id).waiting.push_back(std::move(command));
  if (now) cluster_.flush(id);
}

void MasterSide::notify(const ExternalLoad& load) {
  if (cluster_.link(load.node).alive) command(load.node, load, true);
}

void MasterSide::notify(const FaultMoment& moment) {
  // If a fault kills the master, the restart takes no emulated time. Therefore nothing happens
  // here.
  if (!moment.node || !cluster_.link(*moment.node).alive) return;
  const FaultKind kind = cluster_.scenario.faults[static_cast<std::size_t>(moment.fault)].kind;
  using Command = SimulatedCluster::Command;
  command(*moment.node, changes_conditions(kind) ? Command(moment.conditions) : Command(moment),
          true);
}

}  // namespace heddle::sim
