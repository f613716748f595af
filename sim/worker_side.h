#pragma once

#include <vector>

#include "sim/cluster.h"
#include "sim/heartbeat_schedule.h"
#include "sim/worker_faults.h"

namespace heddle::sim {

/// Runs the nodes in virtual time. Advances containers and transfers, delivers commands and sends
/// heartbeats. The time is the cluster's `now`.
class WorkerSide {
 public:
  /// `lazy_beats`: the contents of a heartbeat are computed when the master receives it. REQUIRES
  /// with `lazy_beats`: the master receives each heartbeat before its node sends the next one.
  WorkerSide(SimulatedCluster& cluster, bool lazy_beats);

  /// Returns the next time at which run() has something to do. Returns kNever if there is none.
  EmuTime next_time() const;
  /// Advances all nodes to now. Handles workers after faults first, then containers, transfers and
  /// commands.
  void run();
  EmuTime next_heartbeat() const { return schedule_.next_time(); }
  /// Sends the next heartbeat of the schedule, if its node can send it.
  void send_heartbeat();
  /// Drops the heartbeats that are on their way, and leaves out those before `until`. Returns how
  /// many heartbeats these are. REQUIRES: can_skip().
  std::int64_t skip_heartbeats(EmuTime until);
  bool can_skip() const { return lazy_beats_; }

 private:
  /// `offsets`: of the nodes' heartbeats, within a period.
  WorkerSide(SimulatedCluster& cluster, bool lazy_beats, const std::vector<EmuTime>& offsets);
  /// Returns whether the worker can carry out the command now. Keeps the command if the node is
  /// frozen or cut off.
  bool takes(const SimulatedCluster::Delivery& delivery);
  void carry_out(SimulatedCluster::Delivery& delivery);
  void settle(NodeId id);

  SimulatedCluster& cluster_;
  WorkerFaults faults_;
  HeartbeatSchedule schedule_;
  bool lazy_beats_;
  std::vector<NodeId> active_;  ///< nodes that run() handles
};

}  // namespace heddle::sim
