#pragma once

#include <deque>
#include <optional>

#include "common/units.h"

namespace heddle::master {

/// A message of the master's and the answer to it, as their two clocks showed them; nanoseconds of
/// CLOCK_MONOTONIC.
struct ClockExchange {
  std::int64_t sent = 0;      ///< master's clock
  std::int64_t received = 0;  ///< worker's
  std::int64_t answered = 0;  ///< worker's
  std::int64_t heard = 0;     ///< master's
};

struct ClockEstimate {
  real::Duration offset;       ///< worker's clock less the master's
  real::Duration uncertainty;  ///< it is at most this far from the true one
  friend bool operator==(const ClockEstimate&, const ClockEstimate&) = default;
};

/// How far a worker's clock is ahead of the master's. No message arrives before it was sent, so
/// each exchange says that the offset is at most received - sent and at least answered - heard; the
/// bounds grow by kMostDrift with age. What the last kExchanges leave together is where the offset
/// is: as in NTP's clock filter (RFC 5905, section 10) those that took the shortest way count,
/// here for either direction by itself. Pure.
class ClockOffset {
 public:
  /// Two clocks part by at most so much of the time that goes by: quartz, and the slewing that NTP
  /// does while it is settled.
  static constexpr double kMostDrift = 100e-6;
  static constexpr std::size_t kExchanges = 64;

  /// What can't be (an answer before its question) is ignored. Where exchanges contradict each
  /// other, the clock has run faster than kMostDrift, or stood, and the newest alone count.
  void add(const ClockExchange& exchange);
  /// Nothing before the first exchange.
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
