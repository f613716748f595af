#include "sim/beats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::ElementsAre;

TEST(Beats, GoRoundInTheOrderOfTheirOffsetsThenIds) {
  Beats beats({emu_seconds(0.5), emu_seconds(0.2), emu_seconds(0.5)}, emu_seconds(1));
  std::vector<std::pair<double, std::int64_t>> seen;
  for (int i = 0; i < 7; ++i) {
    double at = to_seconds(beats.next_time());
    seen.emplace_back(at, beats.pop().value);
  }
  using P = std::pair<double, std::int64_t>;
  EXPECT_THAT(seen, ElementsAre(P(0.2, 1), P(0.5, 0), P(0.5, 2), P(1.2, 1), P(1.5, 0), P(1.5, 2),
                                P(2.2, 1)));
}

// Real: the last worker beats 2 ms after 0, those before it 3 ms earlier each.
TEST(Beats, RealOffsets) {
  EXPECT_THAT(real_offsets(3, emu_seconds(1), 1.0),
              ElementsAre(emu_seconds(0.996), emu_seconds(0.999), emu_seconds(0.002)));
  EXPECT_THAT(real_offsets(3, emu_seconds(1), 0.2),
              ElementsAre(emu_seconds(0.98), emu_seconds(0.995), emu_seconds(0.01)));
  // 2 - 3 * 999 ms, five times as long: 14 periods and 975 ms before 0.
  EXPECT_EQ(real_offsets(1000, emu_seconds(1), 0.2)[0], emu_seconds(0.025));
}

}  // namespace
}  // namespace heddle
