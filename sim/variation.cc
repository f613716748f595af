#include "sim/variation.h"

#include <cmath>

#include "core/scenario/draw.h"

namespace heddle::sim {
namespace {

/// Starts of a run take this share of the usual time.
constexpr double kLeastOfRun = 0.25, kMostOfRun = 2;
/// Each start takes this share of the time of the run's starts.
constexpr double kLeastOfStart = 0.5, kMostOfStart = 1.5;
constexpr double kLatestBeat_ns = 2e6;

/// Parts of the keys of the draws.
constexpr std::uint64_t kStartsOfRun = 1, kStart = 2, kBeat = 3;

std::uint64_t number_of(NodeId node) { return static_cast<std::uint64_t>(node.value); }

}  // namespace

EmuTime Variation::start_delay(EmuTime delay, NodeId node, std::int64_t number) const {
  const double factor =
      draw_between(kLeastOfRun, kMostOfRun, draw_key(key_, {kStartsOfRun})) *
      draw_between(kLeastOfStart, kMostOfStart,
                   draw_key(key_, {kStart, number_of(node), static_cast<std::uint64_t>(number)}));
  return EmuTime(std::llround(factor * static_cast<double>(delay.count())));
}

real::Duration Variation::beat_delay(NodeId node) const {
  return std::chrono::nanoseconds(
      std::llround(draw_between(0, kLatestBeat_ns, draw_key(key_, {kBeat, number_of(node)}))));
}

}  // namespace heddle::sim
