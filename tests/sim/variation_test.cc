#include "sim/variation.h"

#include <set>

#include "tests/support/matchers.h"

namespace heddle::sim {

using namespace std::chrono_literals;

constexpr Scale kScale{.time = 0.5};  // 1 ms is 2 ms emulated

// In 1000 starts each of the three times is drawn, and each of the two of starts that follow.
TEST(Variation, DelaysAreThoseThatWereMeasured) {
  const StartTimes measured{{2ms, 3ms, 10ms}, {1ms, 4ms}};
  std::set<double> first, following;
  for (std::uint64_t key = 1; key <= 50; ++key) {
    const Variation variation(key, measured);
    StartDelays starts(emu_seconds(8), kScale, NodeId{0}, variation);
    for (int i = 0; i < 20; ++i) {
      first.insert(to_seconds(starts.next()));
      following.insert(to_seconds(starts.next(true)));
    }
    EXPECT_GE(variation.beat_delay(NodeId{1}), 0ms);
    EXPECT_LE(variation.beat_delay(NodeId{1}), 2ms);
  }
  EXPECT_THAT(first, ElementsAre(0.004, 0.006, 0.02));
  EXPECT_THAT(following, ElementsAre(0.002, 0.008));
}

TEST(Variation, TheSameKeyGivesTheSameDelays) {
  const auto delays = [](std::uint64_t key) {
    StartDelays starts(emu_seconds(1), kScale, NodeId{3}, Variation(key));
    std::vector<EmuTime> all;
    for (int i = 0; i < 20; ++i) all.push_back(starts.next(i % 2 == 1));
    return all;
  };
  EXPECT_EQ(delays(1), delays(1));
  EXPECT_NE(delays(1), delays(2));
}

TEST(Variation, WithoutItAStartThatFollowsTakesItsShare) {
  StartDelays starts(emu_seconds(10), kScale, NodeId{0});
  EXPECT_EQ(starts.next(), emu_seconds(10));
  EXPECT_EQ(starts.next(true), emu_seconds(2));
}

TEST(Variation, IdealStartsTakeNoTime) {
  StartDelays starts(EmuTime(0), kScale, NodeId{0}, Variation(1));
  EXPECT_EQ(starts.next(), EmuTime(0));
}

}  // namespace heddle::sim
