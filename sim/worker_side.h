#pragma once

#include <vector>

#include "sim/cluster.h"
#include "sim/heartbeat_schedule.h"
#include "sim/worker_faults.h"

namespace heddle::sim {

/// What happens on nodes in virtual time: containers run, transfers end, commands arrive,
/// heartbeats leave. The cluster is at the time of its `now`.
class WorkerSide {
 public:
  /// `lazy_beats`: what a heartbeat says is worked out once it is heard. REQUIRES then: each is
  /// heard before its node sends the next.
  WorkerSide(SimulatedCluster& cluster, bool lazy_beats);

  /// Returns when run() has something to do; kNever if never.
  EmuTime next_time() const;
  /// Has all nodes go on to now: workers after faults, containers, transfers and then commands.
  void run();
  EmuTime next_heartbeat() const { return schedule_.next_time(); }
  /// Sends the next heartbeat of all nodes, unless its node can't.
  void send_heartbeat();

 private:
  /// Returns whether the command may be carried out: its worker can take it now.
  bool takes(const SimulatedCluster::Delivery& delivery);
  void carry_out(SimulatedCluster::Delivery& delivery);
  void settle(NodeId id);

  SimulatedCluster& cluster_;
  WorkerFaults faults_;
  HeartbeatSchedule schedule_;
  bool lazy_beats_;
};

}  // namespace heddle::sim
