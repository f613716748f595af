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

TEST(HeartbeatSchedule, SkipsToTheFirstOneAtATime) {
  const std::vector<EmuTime> offsets = {emu_seconds(0.5), emu_seconds(0.2), emu_seconds(0.5)};
  struct Case {
    double until;
    std::int64_t skipped;
    double next;
  };
  for (const auto& [until, skipped, next] :
       {Case{0.1, 0, 0.5}, Case{0.5, 0, 0.5}, Case{0.51, 2, 1.2}, Case{1.2, 2, 1.2},
        Case{1.3, 3, 1.5}, Case{1.5, 3, 1.5}, Case{2, 5, 2.2}, Case{7.5, 21, 7.5}}) {
    HeartbeatSchedule beats(offsets, emu_seconds(1));
    (void)beats.pop();
    EXPECT_EQ(beats.skip(emu_seconds(until)), skipped) << until;
    EXPECT_EQ(to_seconds(beats.next_time()), next) << until;
  }
}

}  // namespace heddle::sim::heartbeat_schedule_test
