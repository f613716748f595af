#pragma once

#include <vector>

#include "sim/cluster.h"

namespace heddle::sim {

/// Applies faults to workers in virtual time. Also lets workers react to faults: they restart,
/// continue, or consider the master lost. The time is the cluster's `now`.
class WorkerFaults {
 public:
  explicit WorkerFaults(SimulatedCluster& cluster) : cluster_(cluster) {}

  /// Applies a fault at the time when its message arrives at the node.
  void strike(NodeId id, const FaultMoment& moment);
  void set_conditions(NodeId id, const NodeConditions& conditions);
  /// Lets each worker that is due react, and adds its node to `active`.
  void react_all(std::vector<NodeId>& active);

 private:
  void react(NodeId id);
  /// Removes all containers, commands and reports of this life of the worker.
  void clear(NodeId id);
  void say_hello(NodeId id);

  SimulatedCluster& cluster_;
};

}  // namespace heddle::sim
