#pragma once

#include <vector>

#include "sim/cluster.h"
#include "sim/heartbeat_schedule.h"
#include "sim/worker_faults.h"

namespace heddle::sim {

/// Runs the nodes in virtual time: containers run, transfers end, commands arrive, heartbeats
/// leave. The time is the cluster's `now`.
class WorkerSide {
 public:
  /// `lazy_beats`: the contents of a heartbeat are computed once it is heard. REQUIRES then: each
  /// is heard before its node sends the next.
  WorkerSide(SimulatedCluster& cluster, bool lazy_beats);

  /// Returns when run() has something to do; kNever if never.
  EmuTime next_time() const;
  /// Advances all nodes to now: workers after faults, containers, transfers and then commands.
  void run();
  EmuTime next_heartbeat() const { return schedule_.next_time(); }
  /// Sends the next heartbeat of the schedule, unless its node can't.
  void send_heartbeat();

 private:
  /// Returns whether the worker can carry out the command now. Keeps the command if the node is
  /// frozen or cut off.
  bool takes(const SimulatedCluster::Delivery& delivery);
  void carry_out(SimulatedCluster::Delivery& delivery);
  void settle(NodeId id);

  SimulatedCluster& cluster_;
  WorkerFaults faults_;
  HeartbeatSchedule schedule_;
  bool lazy_beats_;
};

}  // namespace heddle::sim
