#include "cli/run/silence_clock.h"

#include <gtest/gtest.h>

namespace heddle::cli::silence_clock_test {

using namespace std::chrono_literals;
using Time = SilenceClock::Time;

constexpr Time kT0 = Time(100s);

TEST(SilenceClock, LimitIsThirtySecondsOrTwentyHeartbeats) {
  EXPECT_EQ(hang_limit(100ms), 30s);
  EXPECT_EQ(hang_limit(1500ms), 30s);
  EXPECT_EQ(hang_limit(2s), 40s);
}

TEST(SilenceClock, IsOverAtTheLimit) {
  SilenceClock clock(30s, kT0);
  for (int s = 1; s < 30; ++s) EXPECT_FALSE(clock.over(kT0 + 1s * s)) << s;
  EXPECT_TRUE(clock.over(kT0 + 30s));
}

TEST(SilenceClock, WordsEndASilence) {
  SilenceClock clock(3s, kT0);
  EXPECT_FALSE(clock.over(kT0 + 1s));
  EXPECT_FALSE(clock.over(kT0 + 2s));
  clock.heard(kT0 + 2s);
  EXPECT_FALSE(clock.over(kT0 + 3s));
  EXPECT_FALSE(clock.over(kT0 + 4s));
  EXPECT_TRUE(clock.over(kT0 + 5s));
}

// Ctrl-Z for an hour: two checks are an hour apart, of which 2 s count.
TEST(SilenceClock, TimeInWhichTheWatcherWasStoppedDoesNotCount) {
  SilenceClock clock(30s, kT0);
  EXPECT_FALSE(clock.over(kT0 + 1s));
  EXPECT_FALSE(clock.over(kT0 + 1h));
  for (int s = 1; s < 27; ++s) EXPECT_FALSE(clock.over(kT0 + 1h + 1s * s)) << s;
  EXPECT_TRUE(clock.over(kT0 + 1h + 27s));
}

TEST(SilenceClock, GraceMakesTheNextSilenceLonger) {
  SilenceClock clock(2s, kT0);
  clock.heard(kT0, 3s);
  for (int s = 1; s < 5; ++s) EXPECT_FALSE(clock.over(kT0 + 1s * s)) << s;
  EXPECT_TRUE(clock.over(kT0 + 5s));
}

}  // namespace heddle::cli::silence_clock_test
