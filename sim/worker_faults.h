#pragma once

#include <vector>

#include "sim/cluster.h"

namespace heddle::sim {

/// What faults do to workers in virtual time, and what workers do by themselves afterwards: they
/// restart, go on, and give the master up. The cluster is at the time of its `now`.
class WorkerFaults {
 public:
  explicit WorkerFaults(SimulatedCluster& cluster) : cluster_(cluster) {}

  /// The moment of a fault has reached the node.
  void strike(NodeId id, const FaultMoment& moment);
  void set_conditions(NodeId id, const NodeConditions& conditions);
  /// Has each worker that is due go on, and adds its node to `active`.
  void go_on(std::vector<NodeId>& active);

 private:
  void go_on(NodeId id);
  /// Drops everything that this life of the worker had.
  void clear(NodeId id);
  void say_hello(NodeId id);

  SimulatedCluster& cluster_;
};

}  // namespace heddle::sim
