#pragma once

#include <string>
#include <vector>

#include "core/state/cluster_state.h"
#include "run/calendar.h"
#include "sim/cluster.h"

namespace heddle::sim {

/// Implements the master's end of the links with workers in virtual time (in a real run:
/// master/node_links): who is alive, which life of a worker the master knows, and what workers are
/// sent. The time is the cluster's `now`.
class MasterSide {
 public:
  MasterSide(SimulatedCluster& cluster, const ClusterState& state, run::Calendar& calendar)
      : cluster_(cluster), state_(state), calendar_(calendar) {}

  /// Returns when the next report arrives or a worker is given up; kNever if never.
  EmuTime next_time() const;
  /// Adds the events of the reports that have arrived.
  void hear_reports(std::vector<Event>& events);
  /// Returns whether a message is from the worker that the master knows. Tells any other worker to
  /// rejoin.
  bool knows(NodeId id, int life);
  /// Adds the loss of nodes whose workers have been silent for too long, or did not come back.
  void lose_silent(std::vector<Event>& events);

  /// Keeps a command for the reply to the node's next heartbeat or, if `now`, sends it with all
  /// that wait.
  void command(NodeId id, SimulatedCluster::Command command, bool now);
  /// Sends a change of external load or the moment of a fault, if the node is alive.
  void notify(const ExternalLoad& load);
  void notify(const FaultMoment& moment);

 private:
  void hear_hello(const SimulatedCluster::Report& hello, std::vector<Event>& events);
  void lose(NodeId id, const std::string& reason, std::vector<Event>& events);

  SimulatedCluster& cluster_;
  const ClusterState& state_;
  run::Calendar& calendar_;
};

}  // namespace heddle::sim
