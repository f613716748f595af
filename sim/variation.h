#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "common/scale.h"
#include "common/units.h"

namespace heddle::sim {

/// Times that starts of containers took on a machine, in real time.
struct StartTimes {
  std::vector<real::Duration> first;      ///< from the decision, if no other start was before it
  std::vector<real::Duration> following;  ///< from the start before it

  bool complete() const { return !first.empty() && !following.empty(); }
  /// Returns times like those of a virtual machine with two CPUs.
  static StartTimes usual();
};

/// Varies the delays of a simulation as the delays of real runs vary from run to run. The same key
/// always gives the same delays.
///
/// In a real run, each start of a container takes another time. A worker's heartbeats are up to
/// about 2 ms late.
class Variation {
 public:
  /// Starts take times that are drawn from `starts`. REQUIRES: it is complete.
  explicit Variation(std::uint64_t key, StartTimes starts = StartTimes::usual())
      : key_(key), starts_(std::make_shared<const StartTimes>(std::move(starts))) {
    assert(starts_->complete());
  }

  /// Returns the time of a node's start number `number`. `follows`: it waits for the start before.
  real::Duration start_time(NodeId node, std::int64_t number, bool follows) const;
  /// Returns how much later than planned the node sends its heartbeats, in real time.
  real::Duration beat_delay(NodeId node) const;

 private:
  std::uint64_t key_;
  std::shared_ptr<const StartTimes> starts_;
};

/// The delays of a node's starts.
class StartDelays {
 public:
  /// `delay`: of a start without variation; 0: starts take no time in any case.
  StartDelays(EmuTime delay, Scale scale, NodeId node,
              const std::optional<Variation>& variation = {})
      : delay_(delay), scale_(scale), node_(node), variation_(variation) {}

  /// Returns how long the next start takes. Without variation, one that follows another start
  /// without a pause takes 1 / kFollowing of the time.
  EmuTime next(bool follows = false) {
    if (delay_ == EmuTime(0)) return delay_;
    if (variation_) return scale_.to_emulated(variation_->start_time(node_, number_++, follows));
    return follows ? EmuTime(delay_.count() / kFollowing) : delay_;
  }

 private:
  static constexpr std::int64_t kFollowing = 5;

  EmuTime delay_;
  Scale scale_;
  NodeId node_;
  std::optional<Variation> variation_;
  std::int64_t number_ = 0;
};

}  // namespace heddle::sim
