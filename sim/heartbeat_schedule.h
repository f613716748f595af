#pragma once

#include <cstddef>
#include <vector>

#include "common/ids.h"
#include "common/units.h"

namespace heddle::sim {

/// Schedules the heartbeats of nodes. Each node sends one heartbeat per period. Each node has its
/// own offset in the period.
class HeartbeatSchedule {
 public:
  /// `offsets` has the offset of each node, in [0, period).
  HeartbeatSchedule(const std::vector<EmuTime>& offsets, EmuTime period);

  EmuTime next_time() const { return base_ + ring_[at_].offset; }
  /// Returns the node whose heartbeat is next, and moves on to the heartbeat after it. If two
  /// heartbeats have the same time, the lower id comes first. REQUIRES: there is a node.
  NodeId pop();
  /// Moves on to the first heartbeat at `until` or later. Returns how many it has passed. REQUIRES:
  /// there is a node.
  std::int64_t skip(EmuTime until);

 private:
  struct Place {
    EmuTime offset;
    NodeId node;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  std::vector<Place> ring_;  ///< ascending
  EmuTime period_;
  EmuTime base_;  ///< beginning of the present period
  std::size_t at_ = 0;
};

}  // namespace heddle::sim
