#pragma once

#include <deque>
#include <optional>

#include "common/units.h"

namespace heddle::master {

/// Times at which a message of the master and the answer to it were sent and received, in
/// nanoseconds of CLOCK_MONOTONIC. Each time is read from the clock of the master or of the worker.
struct ClockExchange {
  std::int64_t sent = 0;      ///< the master sent its message; master's clock
  std::int64_t received = 0;  ///< the worker received it; worker's clock
  std::int64_t answered = 0;  ///< the worker sent the answer; worker's clock
  std::int64_t heard = 0;     ///< the master received it; master's clock
};

struct ClockEstimate {
  real::Duration offset;       ///< worker's clock minus the master's
  real::Duration uncertainty;  ///< largest possible error of `offset`
  friend bool operator==(const ClockEstimate&, const ClockEstimate&) = default;
};

/// Estimates how far a worker's clock is ahead of the master's. No message arrives before it was
/// sent. Therefore each exchange shows that the offset is at most received - sent and at least
/// answered - heard. As an exchange gets older, its bounds widen by kMostDrift of the elapsed time.
/// The offset lies where the bounds of the last kExchanges exchanges overlap. The exchanges with
/// the shortest delays therefore determine the estimate, as in NTP's clock filter (RFC 5905,
/// section 10), but each direction has its own shortest delay. Pure.
class ClockOffset {
 public:
  /// Two clocks drift apart by at most this share of the elapsed time. Reasons for the drift are
  /// the inaccuracy of the quartzes and the corrections that NTP makes.
  static constexpr double kMostDrift = 100e-6;
  static constexpr std::size_t kExchanges = 64;

  /// Adds an exchange. Ignores an impossible exchange (an answer before its question). If exchanges
  /// contradict each other, a clock has drifted by more than kMostDrift or has stopped. Only the
  /// newest exchanges count then.
  void add(const ClockExchange& exchange);
  /// Returns the estimate at `now`, or nullopt before the first exchange.
  std::optional<ClockEstimate> at(real::Time now) const;

 private:
  struct Bounds {
    std::int64_t least = 0, most = 0;
    std::int64_t at = 0;  ///< time of the exchange; master's clock
  };
  Bounds common(std::int64_t now) const;

  std::deque<Bounds> exchanges_;  ///< the newest is the last
};

}  // namespace heddle::master
