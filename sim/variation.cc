#include "sim/variation.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "core/scenario/draw.h"

namespace heddle::sim {
namespace {

constexpr double kLatestBeat_ns = 2e6;

/// Parts of the keys of the draws.
constexpr std::uint64_t kStart = 1, kBeat = 2;

std::uint64_t number_of(NodeId node) { return static_cast<std::uint64_t>(node.value); }

}  // namespace

StartTimes StartTimes::usual() {
  const auto times = [](std::initializer_list<double> milliseconds) {
    std::vector<real::Duration> all;
    for (const double each : milliseconds)
      all.push_back(std::chrono::nanoseconds(std::llround(each * 1e6)));
    return all;
  };
  return {times({0.6, 0.8, 1, 1.3, 1.6, 2, 2.5, 3.5, 5, 9, 15}),
          times({0.2, 0.3, 0.5, 0.8, 1, 1.4, 2, 3, 5, 8})};
}

real::Duration Variation::start_time(NodeId node, std::int64_t number, bool follows) const {
  const std::vector<real::Duration>& times = follows ? starts_->following : starts_->first;
  const double place =
      draw_between(0, static_cast<double>(times.size()),
                   draw_key(key_, {kStart, number_of(node), static_cast<std::uint64_t>(number)}));
  return times[std::min(static_cast<std::size_t>(place), times.size() - 1)];
}

real::Duration Variation::beat_delay(NodeId node) const {
  return std::chrono::nanoseconds(
      std::llround(draw_between(0, kLatestBeat_ns, draw_key(key_, {kBeat, number_of(node)}))));
}

}  // namespace heddle::sim
