#include "master/clock_offset.h"

#include <algorithm>
#include <limits>

namespace heddle::master {

ClockOffset::Bounds ClockOffset::common(std::int64_t now) const {
  Bounds all{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
             now};
  for (const Bounds& one : exchanges_) {
    const auto drift = static_cast<std::int64_t>(
        static_cast<double>(std::max<std::int64_t>(now - one.at, 0)) * kMostDrift);
    all.least = std::max(all.least, one.least - drift);
    all.most = std::min(all.most, one.most + drift);
  }
  return all;
}

void ClockOffset::add(const ClockExchange& exchange) {
  const Bounds bounds{exchange.answered - exchange.heard, exchange.received - exchange.sent,
                      exchange.heard};
  if (bounds.least > bounds.most || exchange.heard < exchange.sent ||
      exchange.answered < exchange.received)
    return;
  exchanges_.push_back(bounds);
  if (exchanges_.size() > kExchanges) exchanges_.pop_front();
  for (Bounds all = common(bounds.at); all.least > all.most; all = common(bounds.at))
    exchanges_.pop_front();
}

std::optional<ClockEstimate> ClockOffset::at(real::Time now) const {
  if (exchanges_.empty()) return std::nullopt;
  const Bounds all = common(now.time_since_epoch().count());
  const std::int64_t half = (all.most - all.least) / 2;
  return ClockEstimate{real::Duration(all.least + half), real::Duration(half)};
}

}  // namespace heddle::master
