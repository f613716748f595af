// Tests timeline.json as simulations write it. suspend_test.cc tests those of real runs.

#include "tests/system/timeline.h"

namespace heddle::timeline_test {

using Json = nlohmann::json;

class SimulatedTimeline : public ::testing::TestWithParam<const char*> {};

TEST_P(SimulatedTimeline, IsWholeAndAgreesWithTheSummary) {
  Scratch scratch;
  const Json file = timeline_of(simulated(scenario(GetParam()), scratch, {"--derived=now"}));
  EXPECT_GT(events(file, [](const Json& event) { return event["ph"] == "f"; }), 0);
  EXPECT_GT(events(file, [](const Json& event) { return event["ph"] == "C"; }), 0);
}

INSTANTIATE_TEST_SUITE_P(Of, SimulatedTimeline,
                         ::testing::Values("quickstart", "two-queues", "faults/memory-storm",
                                           "faults/container-overrun", "faults/worker-freeze",
                                           "faults/worker-crash"));

}  // namespace heddle::timeline_test
