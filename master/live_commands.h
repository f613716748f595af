#pragma once

#include <set>
#include <vector>

#include "master/live_parts.h"

namespace heddle::master {

/// Sends workers the commands that follow from the engine's decisions and from faults. A queued
/// command goes to the worker with the reply to its next heartbeat. If the node is in `urgent`,
/// send() sends the node's commands at once.
class LiveCommands {
 public:
  explicit LiveCommands(LiveParts& parts);

  /// Queues the commands that follow from a step. The commands depend only on the journal lines of
  /// this step and of earlier steps. Therefore a later master that recovers the run gives the
  /// commands the same numbers.
  void queue(const std::vector<Event>& events, const Step& step, real::Time now,
             std::set<NodeId>& urgent);
  /// Sends the workers the faults whose time has come. For the fault that kills the master, sets
  /// Effects::kill_master.
  void bring_about_faults(real::Time now);
  /// Queues a fault for its node. REQUIRES: the fault has a node.
  void tell(const FaultMoment& moment, std::set<NodeId>& urgent);
  void send(const std::set<NodeId>& urgent);

 private:
  void carry_out(const Action& action, real::Time now, std::set<NodeId>& urgent);
  /// Queues a command for the node if the node has a live worker.
  void tell(NodeId node, decltype(wire::Command::what) what, std::set<NodeId>& urgent);
  /// Announces the copies of a task's output to the nodes that will store them. A node stores only
  /// copies that the master has announced.
  void announce(const std::vector<DataWrite>& writes, NodeId from, std::set<NodeId>& urgent);
  /// Tells the workers to remove the data that the tasks of a finished job have stored for other
  /// tasks.
  void forget(const JobSpec& job);

  LiveParts& parts_;
  const Scenario& scenario_;
  NodeLinks& links_;
  std::set<NodeId> known_;  ///< nodes that ever registered
};

}  // namespace heddle::master
