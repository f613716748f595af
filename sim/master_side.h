#pragma once

#include <string>
#include <vector>

#include "core/state/cluster_state.h"
#include "driver/calendar.h"
#include "sim/cluster.h"

namespace heddle::sim {

/// Implements the master's end of the links with workers in virtual time. In a real run,
/// master/node_links does this. Tracks which nodes are alive and which life of a worker the master
/// knows, and sends messages to workers. The time is the cluster's `now`.
class MasterSide {
 public:
  MasterSide(SimulatedCluster& cluster, const ClusterState& state, driver::Calendar& calendar)
      : cluster_(cluster), state_(state), calendar_(calendar) {}

  /// Returns the next time at which a report arrives or a node must be declared lost. Returns
  /// kNever if there is no such time.
  EmuTime next_time() const;
  /// Adds the events of the reports that have arrived to `events`.
  void hear_reports(std::vector<Event>& events);
  /// Returns whether a message is from the life of the worker that the master knows. If it is not,
  /// orders the worker to rejoin.
  bool knows(NodeId id, int life);
  /// Adds the loss of each node whose worker has been silent for too long or did not come back in
  /// time.
  void lose_silent(std::vector<Event>& events);

  /// Keeps a command until the reply to the node's next heartbeat. If `now`, sends the command at
  /// once, after the commands that are kept.
  void command(NodeId id, SimulatedCluster::Command command, bool now);
  /// If the node is alive, sends a change of its external load, or a fault that hits it.
  void notify(const ExternalLoad& load);
  void notify(const FaultMoment& moment);

 private:
  void hear_hello(const SimulatedCluster::Report& hello, std::vector<Event>& events);
  void lose(NodeId id, const std::string& reason, std::vector<Event>& events);

  SimulatedCluster& cluster_;
  const ClusterState& state_;
  driver::Calendar& calendar_;
};

}  // namespace heddle::sim
