#pragma once

#include <set>
#include <vector>

#include "master/live_parts.h"

namespace heddle::master {

/// Sends workers the commands that follow from the engine's decisions and from faults. Commands are
/// queued for the replies to heartbeats; send() sends those of the nodes in `urgent` at once.
class LiveCommands {
 public:
  explicit LiveCommands(LiveParts& parts);

  /// Queues the commands that follow from a step. They depend only on what the journal holds of
  /// this step and the steps before, so a later master that recovers the run gives them the same
  /// numbers.
  void queue(const std::vector<Event>& events, const Step& step, real::Time now,
             std::set<NodeId>& urgent);
  /// Sends the faults that are due to the workers, or notes that this process is to be killed.
  void bring_about_faults(real::Time now);
  /// Queues a fault for its node. REQUIRES: the fault has a node.
  void tell(const FaultMoment& moment, std::set<NodeId>& urgent);
  void send(const std::set<NodeId>& urgent);

 private:
  void carry_out(const Action& action, real::Time now, std::set<NodeId>& urgent);
  /// Queues a command for the node, if it has a worker.
  void tell(NodeId node, decltype(wire::Command::what) what, std::set<NodeId>& urgent);
  /// Announces the copies of a task's output to the nodes that will hold them, because nodes accept
  /// no other copies.
  void announce(const std::vector<DataWrite>& writes, NodeId from, std::set<NodeId>& urgent);
  /// Has the workers remove the data that the tasks of a finished job have handed over.
  void forget(const JobSpec& job);

  LiveParts& parts_;
  const Scenario& scenario_;
  NodeLinks& links_;
  std::set<NodeId> known_;  ///< nodes that ever registered
};

}  // namespace heddle::master
