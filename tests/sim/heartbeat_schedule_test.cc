#include "sim/heartbeat_schedule.h"

#include "tests/support/matchers.h"

namespace heddle::sim::heartbeat_schedule_test {

TEST(HeartbeatSchedule, GoRoundInTheOrderOfTheirOffsetsThenIds) {
  HeartbeatSchedule beats({emu_seconds(0.5), emu_seconds(0.2), emu_seconds(0.5)}, emu_seconds(1));
  std::vector<std::pair<double, std::int64_t>> seen;
  for (int i = 0; i < 7; ++i) {
    double at = to_seconds(beats.next_time());
    seen.emplace_back(at, beats.pop().value);
  }
  using P = std::pair<double, std::int64_t>;
  EXPECT_THAT(seen, ElementsAre(P(0.2, 1), P(0.5, 0), P(0.5, 2), P(1.2, 1), P(1.5, 0), P(1.5, 2),
                                P(2.2, 1)));
}

}  // namespace heddle::sim::heartbeat_schedule_test
