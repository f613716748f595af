#pragma once

#include <deque>
#include <optional>

#include "common/units.h"

namespace heddle::master {

/// Times at which a message of the master and its answer were sent and received, by the two clocks;
/// nanoseconds of CLOCK_MONOTONIC.
struct ClockExchange {
  std::int64_t sent = 0;      ///< master's clock
  std::int64_t received = 0;  ///< worker's
  std::int64_t answered = 0;  ///< worker's
  std::int64_t heard = 0;     ///< master's
};

struct ClockEstimate {
  real::Duration offset;       ///< worker's clock minus the master's
  real::Duration uncertainty;  ///< the true offset is at most this far away
  friend bool operator==(const ClockEstimate&, const ClockEstimate&) = default;
};

/// Estimates how far a worker's clock is ahead of the master's. No message arrives before it was
/// sent, so each exchange says that the offset is at most received - sent and at least answered -
/// heard. These bounds widen by kMostDrift with age. The offset lies where the bounds of the last
/// kExchanges overlap, so the exchanges with the shortest delays count, as in NTP's clock filter
/// (RFC 5905, section 10), but in each direction separately. Pure.
class ClockOffset {
 public:
  /// Two clocks drift apart by at most this share of the elapsed time, because of their quartzes
  /// and because a settled NTP slews them.
  static constexpr double kMostDrift = 100e-6;
  static constexpr std::size_t kExchanges = 64;

  /// Adds an exchange. An impossible one (an answer before its question) is ignored. If exchanges
  /// contradict each other, a clock has drifted by more than kMostDrift, or has stopped, and only
  /// the newest ones count.
  void add(const ClockExchange& exchange);
  /// Returns the estimate at `now`; nullopt before the first exchange.
  std::optional<ClockEstimate> at(real::Time now) const;

 private:
  struct Bounds {
    std::int64_t least = 0, most = 0;
    std::int64_t at = 0;  ///< master's clock
  };
  Bounds common(std::int64_t now) const;

  std::deque<Bounds> exchanges_;  ///< newest last
};

}  // namespace heddle::master
