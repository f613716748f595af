// Simulations with the delays of real runs (sim/variation.h), as ranges of predictions need them.
#include "core/resolve.h"
#include "report/simulated.h"
#include "tests/support/matchers.h"
#include "tests/support/scenario_texts.h"

namespace heddle::sim {

// A node and a task of 10 s. Decisions are made at once, so in the ideal simulation the job ends
// after 10 s. With starts of 20 ms in real time, which are 40 ms here, it ends after at least 10.04
// s. Heartbeats and messages add less than 10 ms.
TEST(OtherDelays, AreThereEvenIfThoseOfTheScenarioAreIdeal) {
  const Scenario scenario = resolve_simulated(scenario_of(R"(
heddle: 1
name: s
simulation: {ideal: true}
emulation: {time_scale: 0.5}
cluster: {dispatch: immediate, nodes: [{name: n, cores: 1, memory: 8GiB}]}
jobs:
  - {name: a, phases: [{name: map, tasks: 1, request: {cores: 1, memory: 1GiB}, sleep: 10s}]}
)"));
  const auto makespan_s = [&](report::SimulatedParts parts) {
    return report::simulated_summary(scenario, std::move(parts))
        .value()
        .at("makespan_s")
        .get<double>();
  };
  EXPECT_EQ(makespan_s({}), 10);
  const StartTimes slow{{std::chrono::milliseconds(20)}, {std::chrono::milliseconds(20)}};
  const double delayed_s = makespan_s({.variation = Variation(1, slow)});
  EXPECT_GE(delayed_s, 10.04);
  EXPECT_LT(delayed_s, 10.05);
}

}  // namespace heddle::sim
