#pragma once

#include <vector>

#include "sim/cluster.h"

namespace heddle::sim {

/// Applies faults to workers in virtual time, and has workers do what they do by themselves
/// afterwards: restart, continue, and give the master up. The time is the cluster's `now`.
class WorkerFaults {
 public:
  explicit WorkerFaults(SimulatedCluster& cluster) : cluster_(cluster) {}

  /// Applies a fault whose moment has reached the node.
  void strike(NodeId id, const FaultMoment& moment);
  void set_conditions(NodeId id, const NodeConditions& conditions);
  /// Lets each worker that is due continue, and adds its node to `active`.
  void go_on(std::vector<NodeId>& active);

 private:
  void go_on(NodeId id);
  /// Drops everything that this life of the worker had.
  void clear(NodeId id);
  void say_hello(NodeId id);

  SimulatedCluster& cluster_;
};

}  // namespace heddle::sim
