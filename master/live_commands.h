#pragma once

#include <set>
#include <vector>

#include "master/live_parts.h"

namespace heddle::master {

/// What workers are told of the engine's decisions, and of faults. Commands are queued for the
/// replies to heartbeats; those of the nodes in `urgent` don't wait: send() sends them.
class LiveCommands {
 public:
  explicit LiveCommands(LiveParts& parts);

  /// Queues the commands that come of a step, as a function of what the journal has of it and of
  /// the steps before: so a life to come numbers them likewise.
  void queue(const std::vector<Event>& events, const Step& step, real::Time now,
             std::set<NodeId>& urgent);
  /// Tells the workers of the faults that are due, or notes that this process is to be killed.
  void bring_about_faults(real::Time now);
  /// Queues a fault for its node. REQUIRES: it has one.
  void tell(const FaultMoment& moment, std::set<NodeId>& urgent);
  void send(const std::set<NodeId>& urgent);

 private:
  void carry_out(const Action& action, real::Time now, std::set<NodeId>& urgent);
  /// Queues a command for the node, if it has a worker.
  void tell(NodeId node, decltype(wire::Command::what) what, std::set<NodeId>& urgent);
  /// Tells the nodes that are to have copies of what a task will write there: they take no others.
  void announce(const std::vector<DataWrite>& writes, NodeId from, std::set<NodeId>& urgent);
  /// Has the workers remove what the tasks of a job that is over have handed over.
  void forget(const JobSpec& job);

  LiveParts& parts_;
  const Scenario& scenario_;
  NodeLinks& links_;
  std::set<NodeId> known_;  ///< nodes that ever registered
};

}  // namespace heddle::master
