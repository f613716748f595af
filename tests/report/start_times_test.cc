#include "report/agreement/start_times.h"

#include "tests/support/matchers.h"

namespace heddle::report {

using namespace std::chrono_literals;

AttemptRow started(std::int64_t node, double allocated_s, std::optional<double> launch_ms) {
  AttemptRow row;
  row.node = NodeId{node};
  row.allocated = emu_seconds(allocated_s);
  row.launch_ms = launch_ms;
  return row;
}

// Node 0 starts three containers at 5 s, after 2, 3.5 and 9 ms, and one at 6 s; node 1 starts one
// at 5 s. A container that never started does not count.
TEST(StartTimes, AreTheFirstOfEachDecisionAndThoseThatFollow) {
  sim::StartTimes times;
  add_start_times({started(0, 5, 3.5), started(1, 5, 4.0), started(0, 5, 9.0), started(0, 6, 1.0),
                   started(0, 5, 2.0), started(1, 7, std::nullopt)},
                  times);
  EXPECT_THAT(times.first, ElementsAre(2ms, 1ms, 4ms));
  EXPECT_THAT(times.following, ElementsAre(1500us, 5500us));
  EXPECT_TRUE(times.complete());
  EXPECT_FALSE(sim::StartTimes{}.complete());
}

}  // namespace heddle::report
