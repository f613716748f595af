#include "sim/variation.h"

#include <gtest/gtest.h>

#include "tests/sim/simulated.h"

namespace heddle::sim {
namespace {

using namespace std::chrono_literals;

// A start takes 0.25 to 2 times as long for the run and 0.5 to 1.5 times for the start, so 0.125 to
// 3 times. A thousand draws come close to both ends.
TEST(Variation, DelaysAreBetweenTheirBounds) {
  EmuTime least = emu_seconds(1000), most;
  for (std::uint64_t key = 1; key <= 50; ++key) {
    const Variation variation(key);
    StartDelays starts(emu_seconds(8), NodeId{0}, variation);
    EXPECT_EQ(variation.start_delay(emu_seconds(8), NodeId{0}, 0), starts.next());
    for (int i = 0; i < 20; ++i) {
      const EmuTime delay = starts.next();
      least = std::min(least, delay), most = std::max(most, delay);
    }
    EXPECT_GE(variation.beat_delay(NodeId{1}), 0ms);
    EXPECT_LE(variation.beat_delay(NodeId{1}), 2ms);
  }
  EXPECT_GE(least, emu_seconds(1));
  EXPECT_LT(least, emu_seconds(2));
  EXPECT_LE(most, emu_seconds(24));
  EXPECT_GT(most, emu_seconds(20));
}

TEST(Variation, WithoutItAStartThatFollowsTakesItsShare) {
  StartDelays starts(emu_seconds(10), NodeId{0});
  EXPECT_EQ(starts.next(), emu_seconds(10));
  EXPECT_EQ(starts.next(5), emu_seconds(2));
}

}  // namespace
}  // namespace heddle::sim
