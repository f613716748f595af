#include "sim/heartbeat_schedule.h"

#include <algorithm>

namespace heddle::sim {

HeartbeatSchedule::HeartbeatSchedule(const std::vector<EmuTime>& offsets, EmuTime period)
    : period_(period) {
  for (std::size_t i = 0; i < offsets.size(); ++i)
    ring_.push_back({offsets[i], NodeId{static_cast<std::int64_t>(i)}});
  std::sort(ring_.begin(), ring_.end());
}

NodeId HeartbeatSchedule::pop() {
  NodeId node = ring_[at_].node;
  if (++at_ == ring_.size()) {
    at_ = 0;
    base_ += period_;
  }
  return node;
}

}  // namespace heddle::sim
