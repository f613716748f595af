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

std::int64_t HeartbeatSchedule::skip(EmuTime until) {
  if (until <= next_time()) return 0;
  const auto nodes = std::ssize(ring_);
  const std::int64_t periods = (until - base_).count() / period_.count();
  const EmuTime base = base_ + period_ * periods;
  const auto at = std::ranges::lower_bound(ring_, until - base, {}, &Place::offset) - ring_.begin();
  const std::int64_t passed = periods * nodes + at - static_cast<std::int64_t>(at_);
  base_ = at < nodes ? base : base + period_;
  at_ = static_cast<std::size_t>(at < nodes ? at : 0);
  return passed;
}

}  // namespace heddle::sim
