#pragma once

#include <cstddef>
#include <vector>

#include "common/ids.h"
#include "common/units.h"

namespace heddle::sim {

/// Which node sends its heartbeat when. Each beats once a period, at an offset of its own.
class HeartbeatSchedule {
 public:
  /// `offsets` by node, each in [0, period).
  HeartbeatSchedule(const std::vector<EmuTime>& offsets, EmuTime period);

  EmuTime next_time() const { return base_ + ring_[at_].offset; }
  /// The node whose beat is next, ties by id; goes on to the one after. REQUIRES: some node.
  NodeId pop();

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
