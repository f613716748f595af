#include "master/clock_offset.h"

#include <gtest/gtest.h>

namespace heddle::master::clock_offset_test {

using namespace std::chrono_literals;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;

real::Time at(std::int64_t ns) { return real::Time(real::Duration(ns)); }

/// Returns an exchange that the master begins at `sent`, with a worker's clock that is `ahead` of
/// the master's; times in ns.
ClockExchange exchange(std::int64_t sent, std::int64_t there, std::int64_t held, std::int64_t back,
                       std::int64_t ahead) {
  const std::int64_t received = sent + there;
  return {sent, received + ahead, received + held + ahead, received + held + back};
}

TEST(ClockOffset, KnowsNothingBeforeAnExchange) { EXPECT_FALSE(ClockOffset().at(at(0))); }

TEST(ClockOffset, SymmetricDelaysGiveTheVeryOffset) {
  ClockOffset clock;
  clock.add(exchange(10 * kSecond, 2 * kMs, 100 * kMs, 2 * kMs, -1000 * kSecond));
  EXPECT_EQ(clock.at(at(10 * kSecond + 104 * kMs)), (ClockEstimate{-1000s, 2ms}));
}

TEST(ClockOffset, AsymmetricDelaysAreWithinTheUncertainty) {
  ClockOffset clock;
  // With 9 ms there and 1 ms back, the estimate is 4 ms off and known to within 5 ms.
  clock.add(exchange(0, 9 * kMs, 100 * kMs, 1 * kMs, 7 * kSecond));
  EXPECT_EQ(clock.at(at(110 * kMs)), (ClockEstimate{7s + 4ms, 5ms}));
  // A moment later the delays are reversed: both together leave an almost exact estimate.
  clock.add(exchange(110 * kMs, 1 * kMs, 0, 9 * kMs, 7 * kSecond));
  const ClockEstimate both = *clock.at(at(120 * kMs));
  EXPECT_EQ(both, (ClockEstimate{7s - 500ns, 1'000'500ns}));  // 10 ms of age are 1 us
}

TEST(ClockOffset, TheShortestWayCountsWhateverComesAfter) {
  ClockOffset clock;
  clock.add(exchange(0, 1 * kMs, 0, 1 * kMs, 5 * kSecond));
  for (int i = 1; i <= 10; ++i)
    clock.add(exchange(i * 100 * kMs, 1 * kMs, 0, 80 * kMs, 5 * kSecond));
  const ClockEstimate estimate = *clock.at(at(1081 * kMs));
  EXPECT_NEAR(static_cast<double>(estimate.offset.count()), 5e9, 0.1e6);
  EXPECT_LT(estimate.uncertainty, 1.2ms);
}

TEST(ClockOffset, FollowsAClockThatDrifts) {
  ClockOffset clock;
  for (std::int64_t i = 0; i < 600; ++i) {
    const std::int64_t now = i * kSecond;
    // The clock drifts by 50 us a second, and now and then a message is late.
    clock.add(exchange(now, (i % 7 == 0 ? 20 : 1) * kMs, 0, 1 * kMs, now / 20'000));
  }
  const ClockEstimate estimate = *clock.at(at(599 * kSecond + 2 * kMs));
  const double truth = 599.0 * kSecond / 20'000;
  EXPECT_NEAR(static_cast<double>(estimate.offset.count()), truth,
              static_cast<double>(estimate.uncertainty.count()));
  EXPECT_LT(estimate.uncertainty, 2ms);
}

TEST(ClockOffset, GetsLessSureWithAge) {
  ClockOffset clock;
  clock.add(exchange(0, 1 * kMs, 0, 1 * kMs, 0));
  EXPECT_EQ(clock.at(at(2 * kMs + 100 * kSecond)), (ClockEstimate{0s, 11ms}));
}

TEST(ClockOffset, AClockThatStoodIsMeasuredAnew) {
  ClockOffset clock;
  clock.add(exchange(0, 1 * kMs, 0, 1 * kMs, 10 * kSecond));
  clock.add(exchange(kSecond, 1 * kMs, 0, 1 * kMs, 4 * kSecond));
  EXPECT_EQ(clock.at(at(kSecond + 2 * kMs)), (ClockEstimate{4s, 1ms}));
}

TEST(ClockOffset, WhatCannotBeIsIgnored) {
  ClockOffset clock;
  clock.add({100, 50, 40, 110});  // answered before it was asked
  clock.add({100, 50, 60, 90});   // heard before it was sent
  clock.add({100, 50, 75, 110});  // held for longer than it was away
  clock.add({100, INT64_MAX, 0, 110});
  EXPECT_FALSE(clock.at(at(200)));
}

TEST(ClockOffset, ForgetsWhatIsOlderThanItsWindow) {
  ClockOffset clock;
  clock.add(exchange(0, 1, 0, 1, 0));
  for (std::size_t i = 0; i < ClockOffset::kExchanges; ++i)
    clock.add(exchange(static_cast<std::int64_t>(i + 1) * kMs, 10 * kMs, 0, 10 * kMs, 0));
  EXPECT_GT(clock.at(at(84 * kMs))->uncertainty, 9ms);
}

}  // namespace heddle::master::clock_offset_test
