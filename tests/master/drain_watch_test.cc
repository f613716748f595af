#include "master/drain_watch.h"

#include "tests/support/clock.h"
#include "tests/support/matchers.h"

namespace heddle::master::drain_watch_test {

using namespace std::chrono_literals;

constexpr NodeId kA{0}, kB{1};

/// Returns a watch that drained node A at 0 s.
DrainWatch drained() {
  DrainWatch watch;
  EXPECT_FALSE(watch.failed(kA, "first", at(0s)));
  EXPECT_FALSE(watch.failed(kA, "second", at(0s)));
  EXPECT_TRUE(watch.failed(kA, "third", at(0s)));
  return watch;
}

TEST(DrainWatch, ThreeFailuresInARowDrainANode) {
  DrainWatch watch = drained();
  EXPECT_THAT(watch.drained(), ElementsAre(Pair(kA, "third")));
  // Tasks that were starting when the node was drained fail too.
  EXPECT_FALSE(watch.failed(kA, "fourth", at(0s)));
  EXPECT_EQ(watch.next_time(), at(1s));
}

TEST(DrainWatch, AStartBetweenThemEndsTheRow) {
  DrainWatch watch;
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(watch.failed(kA, "", at(0s)));
    EXPECT_FALSE(watch.failed(kA, "", at(0s)));
    watch.ran(kA);
  }
  EXPECT_EQ(watch.next_time(), std::nullopt);
}

TEST(DrainWatch, NodesAreCountedOneByOne) {
  DrainWatch watch;
  for (int i = 0; i < 2; ++i)
    for (NodeId node : {kA, kB}) EXPECT_FALSE(watch.failed(node, "", at(0s)));
  EXPECT_TRUE(watch.failed(kB, "b", at(0s)));
  EXPECT_THAT(watch.drained(), ElementsAre(Pair(kB, "b")));
}

TEST(DrainWatch, PausesBetweenProbesDouble) {
  DrainWatch watch = drained();
  real::Time now = at(0s);
  for (auto pause : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    EXPECT_THAT(watch.take_due(now + pause - 1ms), IsEmpty());
    now += pause;
    EXPECT_THAT(watch.take_due(now), ElementsAre(kA));
    EXPECT_FALSE(watch.probed(kA, "still", now));
    EXPECT_EQ(watch.drained().at(kA), "still");
  }
}

TEST(DrainWatch, AProbeWithoutAnAnswerIsSentAgain) {
  DrainWatch watch = drained();
  EXPECT_THAT(watch.take_due(at(1s)), ElementsAre(kA));
  EXPECT_THAT(watch.take_due(at(10999ms)), IsEmpty());
  EXPECT_THAT(watch.take_due(at(11s)), ElementsAre(kA));
}

TEST(DrainWatch, AProbeThatWorksBringsTheNodeBack) {
  DrainWatch watch = drained();
  EXPECT_TRUE(watch.probed(kA, "", at(1s)));
  EXPECT_FALSE(watch.probed(kA, "", at(1s))) << "an answer that came twice";
  EXPECT_THAT(watch.drained(), IsEmpty());
  EXPECT_EQ(watch.next_time(), std::nullopt);
  watch.ran(kA);
  EXPECT_FALSE(watch.failed(kA, "", at(2s))) << "it counts from the beginning";
}

TEST(DrainWatch, ANodeThatFailsAgainAfterAProbeIsDrainedAtOnceAndForLonger) {
  DrainWatch watch = drained();
  EXPECT_TRUE(watch.probed(kA, "", at(1s)));
  EXPECT_TRUE(watch.failed(kA, "again", at(1s)));
  EXPECT_EQ(watch.next_time(), at(3s));
  EXPECT_TRUE(watch.probed(kA, "", at(3s)));
  EXPECT_TRUE(watch.failed(kA, "again", at(3s)));
  EXPECT_EQ(watch.next_time(), at(7s));
}

TEST(DrainWatch, NothingIsExpectedAfterThreeFailures) {
  EXPECT_TRUE(DrainWatch().hopeless());
  DrainWatch watch = drained();
  EXPECT_FALSE(watch.hopeless());
  EXPECT_FALSE(watch.probed(kA, "x", at(1s)));
  EXPECT_FALSE(watch.probed(kA, "x", at(3s)));
  EXPECT_FALSE(watch.hopeless());
  EXPECT_FALSE(watch.probed(kA, "x", at(7s)));
  EXPECT_TRUE(watch.hopeless());
  for (int i = 0; i < 3; ++i) watch.failed(kB, "", at(7s));
  EXPECT_FALSE(watch.hopeless()) << "there is another one";
  watch.forget(kB);
  EXPECT_TRUE(watch.hopeless());
}

TEST(DrainWatch, OneFromTheJournalIsProbedAtOnce) {
  DrainWatch watch;
  watch.recover(kB, "before");
  EXPECT_THAT(watch.drained(), ElementsAre(Pair(kB, "before")));
  EXPECT_THAT(watch.take_due(at(5s)), ElementsAre(kB));
  EXPECT_FALSE(watch.hopeless());
}

}  // namespace heddle::master::drain_watch_test
