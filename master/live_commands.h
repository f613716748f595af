#pragma once

#include <set>
#include <vector>

#include "core/engine.h"
#include "driver/calendar.h"
#include "master/node_links.h"
#include "master/outbox.h"

namespace heddle::master {

/// Sends workers the commands that follow from the engine's decisions and from faults. A queued
/// command goes to the worker with the reply to its next heartbeat. If the node is in `urgent`,
/// send() sends the node's commands at once.
class LiveCommands {
 public:
  /// All arguments must outlive the object. `cluster`: the state of the engine.
  LiveCommands(const Scenario& scenario, const ClusterState& cluster, driver::Calendar& calendar,
               NodeLinks& links, Outbox& outbox)
      : scenario_(scenario),
        cluster_(cluster),
        calendar_(calendar),
        links_(links),
        outbox_(outbox) {}

  /// Queues the commands that follow from a step, and notes its wakes. The commands depend only on
  /// the journal lines of this step and of earlier steps. Therefore a later master that recovers
  /// the run gives the commands the same numbers. `offers`: nodes whose heartbeats led to a request
  /// of an external policy, if the step is of its reply. Launches on them are urgent.
  void queue(const std::vector<Event>& events, const Step& step, const std::set<NodeId>& offers,
             std::set<NodeId>& urgent);
  /// Queues a fault for its node. REQUIRES: the fault has a node.
  void tell(const FaultMoment& moment, std::set<NodeId>& urgent);
  void send(const std::set<NodeId>& urgent);

 private:
  void carry_out(const Action& action, const std::set<NodeId>& offers, std::set<NodeId>& urgent);
  /// Queues a command for the node if the node has a live worker.
  void tell(NodeId node, decltype(wire::Command::what) what, std::set<NodeId>& urgent);
  /// Announces the copies of a task's output to the nodes that will store them. A node stores only
  /// copies that the master has announced.
  void announce(const std::vector<DataWrite>& writes, NodeId from, std::set<NodeId>& urgent);
  /// Tells the workers to remove the data that the tasks of a finished job have stored for other
  /// tasks.
  void forget(const JobSpec& job);

  const Scenario& scenario_;
  const ClusterState& cluster_;
  driver::Calendar& calendar_;
  NodeLinks& links_;
  Outbox& outbox_;
  std::set<NodeId> known_;  ///< nodes that ever registered
};

}  // namespace heddle::master
