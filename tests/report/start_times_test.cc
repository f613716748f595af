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

// Emulated time is real time here. Node 0 decides at 5 s to start three containers, which start
// after 2, 3.5 and 9 ms, and at 5.008 s another, which starts 3 ms later, at 5.011 s: it has waited
// for the third. The one of 6 s waits for none. Node 1 starts one at 5 s. A container that never
// started does not count, and a clock that goes back gives no negative times.
TEST(StartTimes, AreThoseThatWaitForNoOtherAndThoseThatFollow) {
  sim::StartTimes times;
  add_start_times({started(0, 5, 3.5), started(1, 5, 4.0), started(0, 5, 9.0), started(0, 6, 1.0),
                   started(0, 5, 2.0), started(1, 7, std::nullopt), started(0, 5.008, 3.0),
                   started(2, 1, -1.0)},
                  {}, times);
  EXPECT_THAT(times.first, ElementsAre(2ms, 1ms, 4ms, 0ms));
  EXPECT_THAT(times.following, ElementsAre(1500us, 5500us, 2ms));
  EXPECT_TRUE(times.complete());
  EXPECT_FALSE(sim::StartTimes{}.complete());
}

}  // namespace heddle::report
