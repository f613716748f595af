#include "workloads/task/pace.h"

#include <gtest/gtest.h>

namespace heddle::task::pace_test {

constexpr std::int64_t kMs = 1'000'000;

double as_double(std::int64_t ns) { return static_cast<double>(ns); }

/// A line that rises by a tenth of a CPU from time 1 s on.
constexpr Line kTenth{0, 1000 * kMs, 0.1};

TEST(Line, RisesFromItsStart) {
  EXPECT_DOUBLE_EQ(kTenth.at(1000 * kMs), 0);
  EXPECT_DOUBLE_EQ(kTenth.at(1050 * kMs), 5 * kMs);
  EXPECT_DOUBLE_EQ((Line{3 * kMs, 1000 * kMs, 0.5}.at(1010 * kMs)), 8 * kMs);
}

TEST(Line, ReachesNotAMomentBefore) {
  std::int64_t when = kTenth.reaches(5 * kMs);
  EXPECT_GE(when, 1050 * kMs);
  EXPECT_LE(when, 1050 * kMs + 2);
  EXPECT_GE(kTenth.at(when), 5 * kMs);
  EXPECT_EQ(kTenth.reaches(0), 1000 * kMs);
}

TEST(Line, StandingReachesOnlyWhereItIs) {
  Line standing{3 * kMs, 1000 * kMs, 0};
  EXPECT_EQ(standing.reaches(3 * kMs), 1000 * kMs);
  EXPECT_EQ(standing.reaches(3 * kMs + 1), kNever);
  EXPECT_EQ((Line{0, 0, 1e-12}.reaches(1e9)), kNever);  // reached in 31 million years
}

TEST(Pace, WorkThatBeginsLaterIsCountedFromWhereTheLineStood) {
  Pace pace(100 * kMs, 0, 30.0 * kMs);
  EXPECT_NEAR(as_double(pace.burst_due_ns(kTenth)), 1304.5 * kMs, 2);
  EXPECT_NEAR(as_double(pace.done_due_ns(kTenth)), 2300 * kMs, 2);
  pace.observe(kTenth, 1310 * kMs, 0);
  EXPECT_EQ(pace.forfeited_wall_ns(), 0);
}

TEST(Pace, BurstsEndOnTheLine) {
  Pace pace(100 * kMs, 0);
  EXPECT_EQ(pace.burst_goal_ns(), Pace::kBurstNs);
  // The line allows 0.5 ms of CPU 5 ms after the start. The burst itself takes 0.5 ms of that time.
  EXPECT_NEAR(as_double(pace.burst_due_ns(kTenth)), 1004.5 * kMs, 2);
  pace.observe(kTenth, 1005 * kMs, Pace::kBurstNs);
  EXPECT_NEAR(as_double(pace.burst_due_ns(kTenth)), 1009.5 * kMs, 2);
  EXPECT_FALSE(pace.burnt());
  EXPECT_DOUBLE_EQ(pace.progress(), 0.005);
}

TEST(Pace, StartUpCountsAsWork) {
  Pace pace(10 * kMs, 2 * kMs);
  EXPECT_DOUBLE_EQ(pace.progress(), 0.2);
  EXPECT_NEAR(as_double(pace.burst_due_ns(kTenth)), 1024.5 * kMs, 2);
  EXPECT_NEAR(as_double(pace.done_due_ns(kTenth)), 1100 * kMs, 2);
}

TEST(Pace, LastBurstIsWhatIsLeft) {
  Pace pace(10 * kMs, 10 * kMs - 200'000);
  EXPECT_EQ(pace.burst_goal_ns(), 10 * kMs);
  EXPECT_NEAR(as_double(pace.burst_due_ns(kTenth)), 1100 * kMs - 200'000, 2);
}

TEST(Pace, BurntBeforeTheLineIsNotDone) {
  Pace pace(10 * kMs, 0);
  pace.observe(kTenth, 1050 * kMs, 10 * kMs);
  EXPECT_TRUE(pace.burnt());
  EXPECT_DOUBLE_EQ(pace.progress(), 1);
  EXPECT_NEAR(as_double(pace.done_due_ns(kTenth)), 1100 * kMs, 2);
}

TEST(Pace, FullRateNeedsNoWaiting) {
  Pace pace(100 * kMs, 0);
  Line full{0, 1000 * kMs, 1.0};
  EXPECT_EQ(pace.burst_due_ns(full), 1000 * kMs);
  pace.observe(full, 1000 * kMs + Pace::kBurstNs, Pace::kBurstNs);
  EXPECT_NEAR(as_double(pace.burst_due_ns(full)), 1000 * kMs + Pace::kBurstNs, 2);
}

TEST(Pace, LagWithinTheDepthIsMadeUp) {
  Pace pace(100 * kMs, 0);
  // The time is 50 ms behind the end of the first burst.
  pace.observe(kTenth, 1055 * kMs, 0);
  EXPECT_EQ(pace.forfeited_wall_ns(), 0);
  EXPECT_LT(pace.burst_due_ns(kTenth), 1055 * kMs);
  EXPECT_NEAR(as_double(pace.done_due_ns(kTenth)), 2000 * kMs, 2);
}

TEST(Pace, LagBeyondTheDepthIsForfeited) {
  Pace pace(100 * kMs, 0);
  // The line allowed 0.5 ms at 1005 ms, and the depth of 50 ms ends at 1055 ms: 30 ms are
  // forfeited.
  pace.observe(kTenth, 1085 * kMs, 0);
  EXPECT_NEAR(as_double(pace.forfeited_wall_ns()), 30 * kMs, 2);
  EXPECT_NEAR(as_double(pace.done_due_ns(kTenth)), 2030 * kMs, 20);
  // Nothing more is forfeited while no more time passes.
  pace.observe(kTenth, 1085 * kMs, 0);
  EXPECT_NEAR(as_double(pace.forfeited_wall_ns()), 30 * kMs, 2);
}

TEST(Pace, StandingLineTakesNothing) {
  Pace pace(100 * kMs, 0);
  Line standing{4 * kMs, 1040 * kMs, 0};
  pace.observe(standing, 9000 * kMs, 0);
  EXPECT_EQ(pace.forfeited_wall_ns(), 0);
  EXPECT_EQ(pace.done_due_ns(standing), kNever);
}

}  // namespace heddle::task::pace_test
