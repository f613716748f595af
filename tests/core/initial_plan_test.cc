#include "core/policy/scheduler/haste/initial_plan.h"

#include "core/policy/registry.h"
#include "tests/core/virtual_cluster.h"
#include "tests/support/matchers.h"

namespace heddle::initial_plan_test {

/// A state to plan in: nodes of 4 cores and 4 GiB. All jobs are submitted and in the batch.
struct Planning {
  explicit Planning(std::vector<JobSpec> jobs, int nodes = 2) : scenario(cluster_of(nodes, 4, 4)) {
    scenario.jobs = std::move(jobs);
    state.emplace(scenario, *capacity, Job::Rules{.early_start = 0.05});
    for (int i = 0; i < nodes; ++i) state->fold({EmuTime(0), NodeRegistered{NodeId{i}}});
    for (int i = 0; i < std::ssize(scenario.jobs); ++i)
      state->fold({EmuTime(0), JobSubmitted{JobId{i}}});
  }
  /// Plans in a step in which these nodes report; if none are given, any node may get work. Returns
  /// true if the step must be remembered.
  bool make(const std::vector<NodeId>& offers = {}) {
    const ChangedJobs jobs = state->take_changed_jobs();
    const ChangedNodes changed = state->take_changed_nodes();
    const View view{EmuTime(0), *state, offers, offers.empty(), jobs, changed, {}};
    free_nodes.refresh(view);
    Draft draft(view, free_nodes);
    for (JobId job : jobs) plan.put(draft, job);
    plan.make(draft);
    return draft.take().remembers;
  }
  /// Returns the plan of a node; empty if nothing is planned.
  InitialPlan::Shares of(int node) const {
    const InitialPlan::Shares* shares = plan.of(NodeId{node});
    return shares ? *shares : InitialPlan::Shares{};
  }
  Scenario scenario;
  std::unique_ptr<CapacityModel> capacity = make_capacity_model(scenario);
  std::optional<ClusterState> state;
  FreeNodeIndex free_nodes{scenario.cluster.nodes.size()};
  InitialPlan plan{size_of(1, 1)};
};

using Share = InitialPlan::Share;

// Tasks planned for n1 are not planned for n2. Of equal sizes, the first job goes first, and
// nothing is left for n3. Nothing was launched, so the next step still has all tasks to plan, and
// n3 is the only node that has not been planned.
TEST(InitialPlanTest, NodesInTurnAndEachOnce) {
  Planning planning({job_of("a", 1, 3, 2, 2, 1), job_of("b", 0, 1, 2, 2, 1)}, 3);
  EXPECT_TRUE(planning.make());
  EXPECT_THAT(planning.of(0), ElementsAre(Share{{JobId{1}, 0}, 1}, Share{{JobId{0}, 0}, 1}));
  EXPECT_THAT(planning.of(1), ElementsAre(Share{{JobId{0}, 0}, 2}));
  EXPECT_THAT(planning.of(2), IsEmpty());
  EXPECT_TRUE(planning.make());
  EXPECT_THAT(planning.of(0), IsEmpty());
  EXPECT_THAT(planning.of(1), IsEmpty());
  EXPECT_THAT(planning.of(2), ElementsAre(Share{{JobId{1}, 0}, 1}, Share{{JobId{0}, 0}, 1}));
  EXPECT_FALSE(planning.make());
  EXPECT_THAT(planning.of(2), IsEmpty());
}

TEST(InitialPlanTest, OnlyNodesOnOffer) {
  Planning planning({job_of("a", 0, 4, 2, 2, 1)});
  EXPECT_TRUE(planning.make({NodeId{1}}));
  EXPECT_THAT(planning.of(0), IsEmpty());
  EXPECT_THAT(planning.of(1), ElementsAre(Share{{JobId{0}, 0}, 2}));
  EXPECT_FALSE(planning.make({NodeId{1}}));
  EXPECT_TRUE(planning.make({NodeId{0}}));
  EXPECT_THAT(planning.of(0), ElementsAre(Share{{JobId{0}, 0}, 2}));
}

TEST(InitialPlanTest, ANewBatchIsPlannedAnew) {
  Planning planning({job_of("a", 0, 2, 2, 2, 1)});
  EXPECT_TRUE(planning.make());
  planning.plan.begin_batch();
  EXPECT_FALSE(planning.make()) << "the batch has no jobs";
  planning.state->fold({EmuTime(0), NodeLost{NodeId{1}, "lost"}});  // which affects the job
  EXPECT_TRUE(planning.make());
  EXPECT_THAT(planning.of(0), ElementsAre(Share{{JobId{0}, 0}, 2}));
}

TEST(InitialPlanTest, ANodeWhereNothingFitsHasItsTurnLater) {
  Planning planning({job_of("a", 0, 1, 5, 4, 1), job_of("b", 0, 1, 4, 4, 1)});
  planning.state->reserve({{JobId{0}, 0}, NodeId{0}}, EmuTime(0));
  EXPECT_FALSE(planning.make({NodeId{0}})) << "n1 is reserved";
  planning.state->unreserve({{JobId{0}, 0}, NodeId{0}});
  EXPECT_TRUE(planning.make({NodeId{0}}));
  EXPECT_THAT(planning.of(0), ElementsAre(Share{{JobId{1}, 0}, 1}));
}

TEST(InitialPlanTest, EndsWhenUsedUp) {
  Planning planning({job_of("a", 0, 4, 2, 2, 1)});
  planning.make();
  planning.plan.took(NodeId{0}, {JobId{0}, 0});
  EXPECT_THAT(planning.of(0), ElementsAre(Share{{JobId{0}, 0}, 1}));
  planning.plan.took(NodeId{0}, {JobId{0}, 0});
  EXPECT_EQ(planning.plan.of(NodeId{0}), nullptr);
}

TEST(InitialPlanTest, NoGangsNorApplicationMastersNorDeadNodes) {
  JobSpec gang = job_of("gang", 0, 2, 1, 1, 1), master = job_of("master", 0, 2, 1, 1, 1);
  gang.phases[0].gang = true;
  add_master(master, 1, 1);
  Planning planning({gang, master, job_of("a", 0, 1, 1, 1, 1)});
  planning.state->fold({EmuTime(0), NodeLost{NodeId{0}, "lost"}});
  planning.make();
  EXPECT_THAT(planning.of(0), IsEmpty());
  EXPECT_THAT(planning.of(1), ElementsAre(Share{{JobId{2}, 0}, 1}));
}

}  // namespace heddle::initial_plan_test
