// Executor placement and shrinking, alone and together, on scenarios drawn from seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "core/policy/registry.h"
#include "tests/core/every_scheduler.h"
#include "tests/sim/properties.h"
#include "tests/sim/random_scenario.h"

namespace heddle::sim::placement_property_test {

using Options = std::vector<std::pair<std::string, std::string>>;

struct Composition {
  std::string name;
  Options options;
};

/// Makes executors that seldom fit: each needs more than half a node.
void enlarge_executors(Scenario& scenario) {
  Resources least = scenario.cluster.nodes.front().allowance;
  for (const NodeSpec& node : scenario.cluster.nodes) least = min(least, node.allowance);
  const Resources size{Millicores(least.cores.count() * 6 / 10),
                       EmuBytes(least.memory.count() * 6 / 10)};
  for (JobSpec& job : scenario.jobs)
    for (PhaseSpec& phase : job.phases)
      if (phase.kind == PhaseKind::kExecutor && !phase.gang)
        phase.request = max(size, phase.request);
}

Scenario drawn(std::uint64_t seed, const std::string& scheduler, const Composition& composition) {
  Scenario scenario = random_scenario(seed, scheduler);
  enlarge_executors(scenario);
  auto& options = scenario.policy.options;
  for (const auto& [name, value] : composition.options)
    EXPECT_TRUE(set_policy_key(scenario.policy, name, value)) << name;
  std::sort(options.begin(), options.end());
  EXPECT_TRUE(check_policy(scenario.policy));
  return scenario;
}

int count(const std::vector<wire::Json>& journal, const std::string& type,
          const std::string& reason) {
  return static_cast<int>(std::count_if(journal.begin(), journal.end(), [&](const auto& line) {
    return line.at("type") == type &&
           line.value("reason", std::string()).find(reason) != std::string::npos;
  }));
}

class Placements : public testing::TestWithParam<std::tuple<std::string, Composition>> {
 protected:
  const std::string& scheduler() const { return std::get<0>(GetParam()); }
  const Composition& composition() const { return std::get<1>(GetParam()); }
  bool has(const std::string& part, const std::string& choice) const {
    return chosen_part({scheduler(), composition().options}, part) == choice;
  }
};

TEST_P(Placements, EndEveryJobAndOverAllocateNothing) {
  int reserved = 0, shrunk = 0;
  for (std::uint64_t seed = 1; seed <= kScenarios / 2 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scenario scenario = drawn(seed, scheduler(), composition());
    const Simulated outcome = simulate(scenario);
    check_run(scenario, outcome);
    const std::vector<wire::Json> journal = outcome.records();
    reserved += count(journal, "reserve",
                      has("executor_placement", "reservation-aware") ? "step" : "fits nowhere");
    shrunk += count(journal, "launch", "shrunk to");
  }
  if (!has("locality", "shrink")) {
    EXPECT_EQ(shrunk, 0);
  }
  if (kSanitized) return;  // too few runs to be sure
  // Shrinking and reserving do happen.
  EXPECT_EQ(shrunk > 0, has("locality", "shrink"));
  if (!has("executor_placement", "first-fit")) {
    EXPECT_GT(reserved, 0);
  }
}

std::vector<Composition> compositions() {
  const std::pair<std::string, std::string> shrink{"locality", "shrink"};
  const std::pair<std::string, std::string> often{"control_interval", "5"};
  std::vector<Composition> all = {{"Shrink", {shrink}}};
  for (const auto& [name, choice] : Options{{"SpreadOut", "spread-out"},
                                            {"NonSpreadOut", "non-spread-out"},
                                            {"ReservationAware", "reservation-aware"}}) {
    const std::pair<std::string, std::string> placement{"executor_placement", choice};
    all.push_back({name, {placement, often}});
    all.push_back({name + "Shrink", {placement, often, shrink}});
  }
  all.push_back({"AllThree",
                 {{"executor_placement", "reservation-aware"},
                  {"reduce_adjustment", "suspend"},
                  shrink,
                  often}});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Composed, Placements,
                         testing::Combine(testing::Values("fifo", "capacity", "drf", "ffd-dp"),
                                          testing::ValuesIn(compositions())),
                         [](const auto& test) {
                           std::string name =
                               std::get<0>(test.param) + std::get<1>(test.param).name;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace heddle::sim::placement_property_test
