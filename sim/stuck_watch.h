#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/engine.h"
#include "driver/calendar.h"
#include "sim/cluster.h"

namespace heddle::sim {

/// Detects that a simulated run is stuck. A run is stuck if many heartbeats have had no effect, and
/// no other event is pending.
class StuckWatch {
 public:
  StuckWatch(const SimulatedCluster& cluster, const ClusterState& state,
             const driver::Calendar& calendar)
      : cluster_(cluster), state_(state), calendar_(calendar) {}

  void note_heartbeat() { ++quiet_heartbeats_; }
  void note(const std::vector<Event>& events, const Step& step);
  bool stuck() const;
  /// Returns the reason with which a stuck run ends.
  std::string reason() const;

 private:
  bool anything_pending() const;

  const SimulatedCluster& cluster_;
  const ClusterState& state_;
  const driver::Calendar& calendar_;
  // Numbers since the last event or action that was no heartbeat, wake or reservation.
  std::int64_t quiet_heartbeats_ = 0;
  std::int64_t quiet_wakes_ = 0;
};

}  // namespace heddle::sim
