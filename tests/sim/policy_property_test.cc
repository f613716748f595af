// Properties that hold for every scheduler in every composition, on scenarios drawn from seeds.
#include <gtest/gtest.h>

#include "tests/core/every_scheduler.h"
#include "tests/sim/properties.h"
#include "tests/sim/random_scenario.h"

namespace heddle::sim::policy_property_test {

class EveryScheduler : public testing::TestWithParam<std::string> {};

TEST_P(EveryScheduler, EndsEveryJobAndOverAllocatesNothing) {
  for (std::uint64_t seed = 1; seed <= kScenarios && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scenario scenario = random_scenario(seed, GetParam());
    check_run(scenario, simulate(scenario));
  }
}

TEST_P(EveryScheduler, SameSeedSameBytes) {
  for (std::uint64_t seed = 1; seed <= kScenarios / 5; ++seed) {
    Scenario scenario = random_scenario(seed, GetParam());
    EXPECT_EQ(simulate(scenario).journal, simulate(scenario).journal) << "seed " << seed;
  }
}

TEST_P(EveryScheduler, ShortcutsLeaveOutNothingThatMatters) {
  for (std::uint64_t seed = 1; seed <= kScenarios / 5 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    check_shortcuts(random_scenario(seed, GetParam()));
  }
}

TEST(Dress, DecidesTheSameWhateverTheUnitContainerIs) {
  for (std::uint64_t seed = 1; seed <= kScenarios / 5; ++seed) {
    Scenario scenario = random_scenario(seed, "dress");
    const std::string journal = simulate(scenario).journal;
    for (std::int64_t cores : {1, 4})
      for (std::int64_t gib : {1, 6, 64}) {
        scenario.cluster.unit = {Millicores(1000 * cores), EmuBytes(gib << 30)};
        EXPECT_EQ(simulate(scenario).journal, journal)
            << "seed " << seed << ", " << cores << " cores, " << gib << " GiB";
      }
  }
}

// A queue exceeds its limits while one of its requests holds a node. The last step before was a
// heartbeat whose only effect was to look at that node.
TEST(Reservations, ALookAtOneThatIsKeptIsReplayedToo) {
  Scenario scenario = random_scenario(210, "capacity");
  check_replay(scenario, simulate(scenario).records());
}

/// Returns whether a container on the node is being killed. Freed capacity may be held for a queue
/// until all that it needs there is free.
bool being_cleared(const Node& node, const ClusterState& state) {
  return std::any_of(node.containers.begin(), node.containers.end(),
                     [&](ContainerId id) { return state.container(id)->killed; });
}

/// Expects that no request fits a node without a reservation. Gangs, early reduces and application
/// masters are skipped, because they have additional conditions.
void expect_nothing_fits(const ClusterState& state) {
  for (const auto& [id, request] : state.requests()) {
    if (request.gang || request.early || request.kind == PhaseKind::kAm) continue;
    const Where& where = state.job(id.job).spec().phases[id.phase].where;
    for (const Node& node : state.nodes())
      ASSERT_TRUE(node.reservation || being_cleared(node, state) ||
                  !meets(where, node.spec->labels) ||
                  state.reserved_for_others(id.job, node.id, state.now()) ||
                  !request.resources.fits_in(state.free(node.id)))
          << state.job(id.job).spec().name << " fits " << node.spec->name;
  }
}

/// Schedulers that leave nothing idle. Dress is not among them: it leaves capacity idle until the
/// next update of its ratio. Capacity is not among them: a request that the cluster has no room for
/// stops its leaf.
class Conserving : public testing::TestWithParam<std::string> {};

std::vector<std::string> conserving() {
  std::vector<std::string> names = scheduler_names();
  std::erase_if(names, [](const auto& name) { return name == "dress" || name == "capacity"; });
  return names;
}

// Strict orders, queues with limits, limits on the jobs of users and arrays, and delay scheduling
// are excluded, because they may leave capacity idle.
TEST_P(Conserving, LeaveNothingIdleWhenTheyDecideAtOnce) {
  for (std::uint64_t seed = 1; seed <= kScenarios && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scenario scenario = random_scenario(seed, GetParam());
    scenario.cluster.dispatch = Dispatch::kImmediate;
    for (QueueSpec& queue : scenario.queues) queue.max_capacity = queue.user_limit = 1;
    scenario.qos.clear();
    for (JobSpec& job : scenario.jobs) job.array_limit.reset();
    std::erase_if(scenario.policy.options, [](const auto& option) {
      return option.first == "delay" || option.first == "strict_order";
    });
    Simulated outcome = simulate(scenario, expect_nothing_fits);
    EXPECT_EQ(outcome.status, RunStatus::kDone) << outcome.reason << failures(outcome.records());
  }
}

INSTANTIATE_TEST_SUITE_P(Built, EveryScheduler, all_schedulers(), scheduler_name);
INSTANTIATE_TEST_SUITE_P(Built, Conserving, testing::ValuesIn(conserving()), scheduler_name);

}  // namespace heddle::sim::policy_property_test
