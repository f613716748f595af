// The estimation capacity model under every scheduler, on scenarios drawn from seeds.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/core/every_scheduler.h"
#include "tests/sim/properties.h"
#include "tests/sim/random_scenario.h"
#include "wire/record.h"

namespace heddle::sim::estimation_test {

using wire::Json;

Scenario over_estimates(std::uint64_t seed, const std::string& scheduler,
                        const std::vector<std::pair<std::string, std::string>>& options) {
  Scenario scenario = random_scenario(seed, scheduler);
  scenario.policy.options.emplace_back("capacity_model", "estimation");
  for (const auto& option : options) scenario.policy.options.push_back(option);
  return scenario;
}

/// Returns the actions of a run, one per line.
std::vector<std::string> actions(const Simulated& outcome) {
  std::vector<std::string> actions;
  for (Json line : outcome.records()) {
    auto parsed = wire::from_json(line);
    if (!parsed || !std::holds_alternative<Action>(*parsed)) continue;
    line.erase("step");
    line.erase("now");
    actions.push_back(line.dump());
  }
  return actions;
}

/// Returns the first lines that differ, or "" if none do.
std::string difference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (in_a == a.end() && in_b == b.end()) return "";
  return (in_a == a.end() ? "nothing" : *in_a) + "\n" + (in_b == b.end() ? "nothing" : *in_b);
}

class OverEstimates : public testing::TestWithParam<std::string> {};

TEST_P(OverEstimates, RunsEndAndReplay) {
  for (std::uint64_t seed = 1; seed <= kScenarios / 4 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scenario scenario = over_estimates(seed, GetParam(), {});
    const Simulated outcome = simulate(scenario);
    EXPECT_TRUE(outcome.status == RunStatus::kDone || outcome.status == RunStatus::kFailed)
        << outcome.reason;
    EXPECT_TRUE(outcome.lines("action_refused").empty());
    check_replay(scenario, outcome.records());
  }
}

// Damping 0 is defined to act as reservation (docs on policies, section on the capacity model).
TEST_P(OverEstimates, DampingZeroActsAsReservation) {
  for (std::uint64_t seed = 1; seed <= kScenarios / 4 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EXPECT_EQ(difference(actions(simulate(over_estimates(seed, GetParam(), {{"damping", "0"}}))),
                         actions(simulate(random_scenario(seed, GetParam())))),
              "");
  }
}

// With the same reports, worker and master make the same estimates. Dispatch is by heartbeat,
// because otherwise a worker's estimate comes one heartbeat late.
TEST_P(OverEstimates, AtTheWorkerAsAtTheMaster) {
  for (std::uint64_t seed = 1; seed <= kScenarios / 4 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto at = [&](const char* where) {
      Scenario scenario = over_estimates(seed, GetParam(), {{"estimate_at", where}});
      scenario.cluster.dispatch = Dispatch::kHeartbeat;
      return actions(simulate(scenario));
    };
    EXPECT_EQ(difference(at("worker"), at("master")), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Built, OverEstimates, all_schedulers(), scheduler_name);

}  // namespace heddle::sim::estimation_test
