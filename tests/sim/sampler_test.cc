#include "sim/sampler.h"

#include <gtest/gtest.h>

namespace heddle::sim {
namespace {

TEST(Sampler, OfAFewNodesEveryHeartbeatIsTaken) {
  Sampler sampler(64);
  for (int beat = 0; beat < 3; ++beat) EXPECT_TRUE(sampler.takes(NodeId{63}));
}

// With 65 nodes, every second heartbeat of each node is taken. For odd nodes it is the second one.
TEST(Sampler, OfManyNodesTheBeatsTakenAreStaggered) {
  Sampler sampler(65);
  EXPECT_TRUE(sampler.takes(NodeId{0}));
  EXPECT_FALSE(sampler.takes(NodeId{0}));
  EXPECT_TRUE(sampler.takes(NodeId{0}));
  EXPECT_FALSE(sampler.takes(NodeId{1}));
  EXPECT_TRUE(sampler.takes(NodeId{1}));
}

TEST(Sampler, CoresAreTheMeanSinceTheLastSample) {
  Sampler sampler(2);
  WorkerModel::Beat beat;
  beat.heartbeat.node = NodeId{1};
  beat.cpu = core_seconds(3);
  EXPECT_EQ(sampler.cores(EmuTime(0), beat), 0);  // no time has passed
  beat.cpu = core_seconds(5);
  EXPECT_EQ(sampler.cores(emu_seconds(4), beat), 0.5);  // 2 core-seconds in 4 s
}

}  // namespace
}  // namespace heddle::sim
