#pragma once

#include <cstdint>
#include <optional>

#include "common/ids.h"
#include "common/units.h"

namespace heddle::sim {

/// Varies the delays of a simulation as the delays of real runs vary from run to run. The same key
/// always gives the same delays.
///
/// In a real run, starts of containers take more or less time than in another run, and each start
/// differs from the others (8 to 15 ms for single starts on a quiet machine, several times as long
/// on a busy one). A worker's heartbeats are up to about 2 ms late.
class Variation {
 public:
  explicit Variation(std::uint64_t key) : key_(key) {}

  /// Returns the time of a node's start number `number`. `delay`: the time without variation.
  EmuTime start_delay(EmuTime delay, NodeId node, std::int64_t number) const;
  /// Returns how much later than planned the node sends its heartbeats, in real time.
  real::Duration beat_delay(NodeId node) const;

 private:
  std::uint64_t key_;
};

/// The delays of a node's starts.
class StartDelays {
 public:
  StartDelays(EmuTime delay, NodeId node, const std::optional<Variation>& variation = {})
      : delay_(delay), node_(node), variation_(variation) {}

  /// Returns how long the next start takes. `share`: the part of a whole start that it needs is 1 /
  /// `share`.
  EmuTime next(std::int64_t share = 1) {
    const EmuTime plain(delay_.count() / share);
    return variation_ ? variation_->start_delay(plain, node_, number_++) : plain;
  }

 private:
  EmuTime delay_;
  NodeId node_;
  std::optional<Variation> variation_;
  std::int64_t number_ = 0;
};

}  // namespace heddle::sim
