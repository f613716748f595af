#include "master/silence.h"

#include "tests/support/clock.h"
#include "tests/support/matchers.h"

namespace heddle::master::silence_test {

using namespace std::chrono_literals;

TEST(Silence, MayBeThreeTimesTheLargestDelayAndNeverLessThanConfigured) {
  EXPECT_EQ(silence_limit(2s, 0s), 2s);
  EXPECT_EQ(silence_limit(2s, 600ms), 2s);
  EXPECT_EQ(silence_limit(2s, 1s), 3s);
  EXPECT_EQ(silence_limit(10s, 3s), 10s);
}

TEST(Silence, OfAMasterThatDidNotRunIsWhatItsLoopTookBeyondItsWait) {
  EXPECT_EQ(stall(200ms, 200ms), 0ms);
  EXPECT_EQ(stall(50ms, 200ms), 0ms);   // a message ended the wait
  EXPECT_EQ(stall(299ms, 200ms), 0ms);  // usual
  EXPECT_EQ(stall(300ms, 200ms), 100ms);
  EXPECT_EQ(stall(5s, 200ms), 4800ms);
  EXPECT_EQ(stall(3s, 0s), 3s);
}

TEST(LateHeartbeats, TheLargestOfTheLastMinuteCounts) {
  LateHeartbeats late;
  EXPECT_EQ(late.largest(at(0s)), 0s);
  late.note(1s, at(10s));
  late.note(3s, at(20s));
  late.note(2s, at(30s));
  late.note(0s, at(40s));
  EXPECT_EQ(late.largest(at(40s)), 3s);
  EXPECT_EQ(late.largest(at(80s)), 3s);
  EXPECT_EQ(late.largest(at(81s)), 2s);
  EXPECT_EQ(late.largest(at(91s)), 0s);
  late.note(500ms, at(95s));
  EXPECT_EQ(late.largest(at(95s)), 500ms);
}

TEST(LateHeartbeats, ADelayOfMoreThanAMinuteCountsAsAMinute) {
  LateHeartbeats late;
  late.note(1h, at(1s));
  EXPECT_EQ(late.largest(at(1s)), 60s);
}

}  // namespace heddle::master::silence_test
