#include "sim/beats.h"

#include <algorithm>
#include <cmath>

namespace heddle {

Beats::Beats(const std::vector<EmuTime>& offsets, EmuTime period) : period_(period) {
  for (std::size_t i = 0; i < offsets.size(); ++i)
    ring_.push_back({offsets[i], NodeId{static_cast<std::int64_t>(i)}});
  std::sort(ring_.begin(), ring_.end());
}

NodeId Beats::pop() {
  NodeId node = ring_[at_].node;
  if (++at_ == ring_.size()) {
    at_ = 0;
    base_ += period_;
  }
  return node;
}

std::vector<EmuTime> real_offsets(std::size_t nodes, EmuTime period, double time_scale) {
  constexpr double kFirstBeatUs = 2000;  // real microseconds
  constexpr double kApartUs = 3000;
  std::vector<EmuTime> offsets(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    double real_us = kFirstBeatUs - kApartUs * static_cast<double>(nodes - 1 - i);
    std::int64_t offset = std::llround(real_us / time_scale) % period.count();
    offsets[i] = EmuTime(offset < 0 ? offset + period.count() : offset);
  }
  return offsets;
}

}  // namespace heddle
