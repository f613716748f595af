// Suspension of reduces under every scheduler, on scenarios drawn from seeds.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/policy/registry.h"
#include "tests/core/every_scheduler.h"
#include "tests/sim/properties.h"
#include "tests/sim/random_scenario.h"

namespace heddle::sim::suspension_property_test {

using wire::Json;

/// Draws a scenario with frequent and long suspensions. Reduces start after the first map.
Scenario drawn(std::uint64_t seed, const std::string& scheduler) {
  Scenario scenario = random_scenario(seed, scheduler);
  const char* const powers[] = {"0.01", "0.5", "1", "2"};
  const std::pair<std::string, std::string> more[] = {
      {"reduce_adjustment", "suspend"}, {"control_interval", seed % 2 == 0 ? "2" : "7"},
      {"reduce_early_start", "0.01"},   {"suspend_power", powers[seed % 4]},
      {"suspend_threshold", "0"},       {"lambda_at", seed % 3 == 0 ? "interval" : "submission"}};
  for (const auto& option : more) {
    std::erase_if(scenario.policy.options,
                  [&](const auto& it) { return it.first == option.first; });
    EXPECT_TRUE(set_policy_key(scenario.policy, option.first, option.second)) << option.first;
  }
  std::sort(scenario.policy.options.begin(), scenario.policy.options.end());
  EXPECT_TRUE(check_policy(scenario.policy));
  return scenario;
}

/// Removes commands that workers refused because they came too late, which is allowed.
std::vector<Json> without_late_commands(std::vector<Json> journal) {
  std::erase_if(journal, [](const Json& line) {
    return line.at("type") == "action_refused" && line.at("by") == "worker";
  });
  return journal;
}

/// Counts suspensions. Checks that only suspended containers are resumed, and that a container that
/// ends while suspended was killed.
int count_suspensions(const std::vector<Json>& journal) {
  std::set<Json> stopped;
  int count = 0;
  for (const Json& line : journal) {
    const std::string type = line.at("type");
    if (type == "container_suspended") {
      EXPECT_TRUE(stopped.insert(line.at("container")).second) << line.dump();
      ++count;
    } else if (type == "container_resumed") {
      EXPECT_EQ(stopped.erase(line.at("container")), 1U) << line.dump();
    } else if (type == "container_ended" && stopped.erase(line.at("container")) > 0) {
      EXPECT_EQ(line.at("outcome"), "killed") << line.dump();
    }
  }
  EXPECT_TRUE(stopped.empty());
  return count;
}

class Suspensions : public testing::TestWithParam<std::string> {};

TEST_P(Suspensions, EndEveryJobAndLeaveNothingStopped) {
  int suspended = 0;
  for (std::uint64_t seed = 1; seed <= kScenarios && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scenario scenario = drawn(seed, GetParam());
    const Simulated outcome = simulate(scenario);
    const std::vector<Json> journal = outcome.records();
    EXPECT_EQ(outcome.status, RunStatus::kDone) << outcome.reason << failures(journal);
    check_allocations(scenario, without_late_commands(journal));
    check_replay(scenario, journal);
    suspended += count_suspensions(journal);
  }
  EXPECT_GT(suspended, 0);
}

INSTANTIATE_TEST_SUITE_P(Built, Suspensions, all_schedulers(), scheduler_name);

}  // namespace heddle::sim::suspension_property_test
