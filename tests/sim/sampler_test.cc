#include "sim/sampler.h"

#include <gtest/gtest.h>

namespace heddle::sim {
namespace {

TEST(Sampler, OfAFewNodesEveryHeartbeatIsTaken) {
  Sampler sampler(64, false);
  for (int beat = 0; beat < 3; ++beat) EXPECT_TRUE(sampler.takes(EmuTime(0), NodeId{63}));
}

// With 65 nodes, every second heartbeat of each node is taken. For odd nodes it is the second one.
TEST(Sampler, OfManyNodesTheBeatsTakenAreStaggered) {
  Sampler sampler(65, false);
  EXPECT_TRUE(sampler.takes(EmuTime(0), NodeId{0}));
  EXPECT_FALSE(sampler.takes(EmuTime(0), NodeId{0}));
  EXPECT_TRUE(sampler.takes(EmuTime(0), NodeId{0}));
  EXPECT_FALSE(sampler.takes(EmuTime(0), NodeId{1}));
  EXPECT_TRUE(sampler.takes(EmuTime(0), NodeId{1}));
}

// After 1000 s, a five-hundredth of the time is 2 s. After 1000.5 s, it is 2.001 s.
TEST(Sampler, ThinnedSamplesHaveGrowingDistances) {
  Sampler sampler(1, true);
  WorkerModel::Beat beat;
  beat.heartbeat.node = NodeId{0};
  (void)sampler.cores(emu_seconds(998.5), beat);
  EXPECT_FALSE(sampler.takes(emu_seconds(1000), NodeId{0}));
  EXPECT_FALSE(sampler.takes(emu_seconds(1000.5), NodeId{0}));
  EXPECT_TRUE(sampler.takes(emu_seconds(1000.51), NodeId{0}));
}

// 32 containers make a line as long as three: the next one is 3 x 2 s later.
TEST(Sampler, ThinnedSamplesOfManyContainersAreFartherApart) {
  Sampler sampler(1, true);
  WorkerModel::Beat beat;
  beat.heartbeat.node = NodeId{0};
  beat.heartbeat.containers.resize(32);
  (void)sampler.cores(emu_seconds(1000), beat);
  EXPECT_FALSE(sampler.takes(emu_seconds(1006), NodeId{0}));
  EXPECT_TRUE(sampler.takes(emu_seconds(1006.1), NodeId{0}));
}

TEST(Sampler, CoresAreTheMeanSinceTheLastSample) {
  Sampler sampler(2, false);
  WorkerModel::Beat beat;
  beat.heartbeat.node = NodeId{1};
  beat.cpu = core_seconds(3);
  EXPECT_EQ(sampler.cores(EmuTime(0), beat), 0);  // no time has passed
  beat.cpu = core_seconds(5);
  EXPECT_EQ(sampler.cores(emu_seconds(4), beat), 0.5);  // 2 core-seconds in 4 s
}

}  // namespace
}  // namespace heddle::sim
