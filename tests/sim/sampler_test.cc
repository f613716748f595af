#include "sim/sampler.h"

#include "tests/support/matchers.h"

namespace heddle::sim {
namespace {

const EmuTime kPeriod = emu_seconds(1);

WorkerModel::Beat beat_of(int node, int containers = 0) {
  WorkerModel::Beat beat;
  beat.heartbeat.node = NodeId{node};
  beat.heartbeat.containers.resize(static_cast<std::size_t>(containers));
  return beat;
}

/// Returns the seconds, of the first `count`, whose heartbeats are sampled.
std::vector<int> sampled(Sampler& sampler, int node, int count, int containers = 0) {
  std::vector<int> seconds;
  for (int i = 0; i < count; ++i) {
    if (!sampler.takes(NodeId{node}, emu_seconds(i))) continue;
    seconds.push_back(i);
    (void)sampler.take(emu_seconds(i), emu_seconds(i), beat_of(node, containers));
  }
  return seconds;
}

TEST(Sampler, OfAFewNodesEveryHeartbeatIsTaken) {
  Sampler sampler(64, false, kPeriod);
  EXPECT_THAT(sampled(sampler, 63, 3), ElementsAre(0, 1, 2));
}

// With 65 nodes, every second heartbeat of each node is taken. For odd nodes it is the second one.
TEST(Sampler, OfManyNodesTheBeatsTakenAreStaggered) {
  Sampler sampler(65, false, kPeriod);
  EXPECT_THAT(sampled(sampler, 0, 4), ElementsAre(0, 2));
  EXPECT_THAT(sampled(sampler, 1, 4), ElementsAre(1, 3));
}

// A heartbeat can be lost.
TEST(Sampler, AfterADueHeartbeatTheNextOneIsTaken) {
  Sampler sampler(65, false, kPeriod);
  EXPECT_TRUE(sampler.takes(NodeId{0}, emu_seconds(0)));
  (void)sampler.take(emu_seconds(0), emu_seconds(0), beat_of(0));
  EXPECT_TRUE(sampler.takes(NodeId{0}, emu_seconds(3)));
}

// n seconds after second s, the share n / (s + n) must be 1 / 500. That is 1 for s <= 499, 2 for
// s <= 998 and 3 for s <= 1497. From 0, these are the seconds 0 to 500, and then 502, 504, …
TEST(Sampler, ThinnedSamplesHaveGrowingDistances) {
  Sampler sampler(1, true, kPeriod);
  const std::vector<int> seconds = sampled(sampler, 0, 1010);
  ASSERT_THAT(seconds, SizeIs(501 + 250 + 3));
  EXPECT_EQ(seconds[500], 500);
  EXPECT_EQ(seconds[501], 502);
  EXPECT_THAT(std::vector(seconds.end() - 4, seconds.end()), ElementsAre(1000, 1003, 1006, 1009));
}

// 32 containers make a line as long as three: 3 / 500 of 1000 s are 6.04 s, because they are a
// share of the time after them.
TEST(Sampler, ThinnedSamplesOfManyContainersAreFartherApart) {
  Sampler sampler(1, true, kPeriod);
  (void)sampler.takes(NodeId{0}, emu_seconds(0));
  (void)sampler.take(emu_seconds(1000), emu_seconds(1000), beat_of(0, 32));
  EXPECT_EQ(sampler.next_time(), emu_seconds(1007));
}

// With 2000 nodes, a node has half of the samples: 2 / 500 of 10 000 s are 40.2 s. At most every
// 32nd heartbeat is taken.
TEST(Sampler, ThinnedSamplesOfManyNodesAreFartherApart) {
  Sampler sampler(2000, true, kPeriod);
  for (int i = 0; i < 2000; ++i) {
    (void)sampler.takes(NodeId{i}, emu_seconds(0));
    (void)sampler.take(emu_seconds(10'000), emu_seconds(10'000), beat_of(i));
  }
  EXPECT_EQ(sampler.next_time(), emu_seconds(10'064));
}

TEST(Sampler, NextTimeIsTheFirstOfAllNodes) {
  Sampler sampler(2, false, kPeriod);
  EXPECT_EQ(sampler.next_time(), EmuTime(0));
  (void)sampled(sampler, 0, 5);
  EXPECT_EQ(sampler.next_time(), EmuTime(0));
  (void)sampled(sampler, 1, 3);
  EXPECT_EQ(sampler.next_time(), emu_seconds(3));
}

TEST(Sampler, CoresAreTheMeanSinceTheLastSample) {
  Sampler sampler(2, false, kPeriod);
  WorkerModel::Beat beat = beat_of(1);
  beat.cpu = core_seconds(3);
  EXPECT_EQ(sampler.take(EmuTime(0), EmuTime(0), beat), 0);  // no time has passed
  beat.cpu = core_seconds(5);
  EXPECT_EQ(sampler.take(emu_seconds(4), emu_seconds(4), beat), 0.5);  // 2 core-seconds in 4 s
}

}  // namespace
}  // namespace heddle::sim
