#include "core/policy/scheduler/haste/initial_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/virtual_cluster.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

// A state to plan in: nodes of 4 cores and 4 GiB, all jobs submitted.
struct Planning {
  explicit Planning(std::vector<JobSpec> jobs, int nodes = 2) : scenario(cluster_of(nodes, 4, 4)) {
    scenario.jobs = std::move(jobs);
    state.emplace(scenario, *capacity, 0.05);
    for (int i = 0; i < nodes; ++i) state->fold({EmuTime(0), NodeRegistered{NodeId{i}}});
    for (int i = 0; i < std::ssize(scenario.jobs); ++i)
      state->fold({EmuTime(0), JobSubmitted{JobId{i}}});
  }
  void make(InitialPlan& plan, bool* remembers = nullptr) {
    const std::set<JobId> jobs = state->take_changed_jobs();
    const std::set<NodeId> changed = state->take_changed_nodes();
    const View view{EmuTime(0), *state, {}, true, jobs, changed, {}};
    Rooms rooms(scenario.cluster.nodes.size());
    rooms.refresh(view);
    Draft draft(view, rooms);
    for (JobId job : jobs) order.put(draft, job, 0);
    plan.make(draft, order);
    if (remembers) *remembers = draft.take().remembers;
  }
  Scenario scenario;
  std::unique_ptr<CapacityModel> capacity = make_capacity_model(scenario);
  std::optional<ClusterState> state;
  RequestOrder order;
};

constexpr Resources kUnit{Millicores(1000), EmuBytes(1LL << 30)};
using Share = InitialPlan::Share;

// What n1 takes n2 can't have; of one size the first job goes first; n3 gets nothing.
TEST(InitialPlanTest, NodesInTurn) {
  Planning planning({job_of("a", 1, 3, 2, 2, 1), job_of("b", 0, 1, 2, 2, 1)}, 3);
  InitialPlan plan(kUnit);
  bool remembers = false;
  planning.make(plan, &remembers);
  ASSERT_TRUE(plan.of(NodeId{0}) && plan.of(NodeId{1}));
  EXPECT_THAT(*plan.of(NodeId{0}), ElementsAre(Share{{JobId{1}, 0}, 1}, Share{{JobId{0}, 0}, 1}));
  EXPECT_THAT(*plan.of(NodeId{1}), ElementsAre(Share{{JobId{0}, 0}, 2}));
  EXPECT_EQ(plan.of(NodeId{2}), nullptr);
  EXPECT_TRUE(remembers);
  planning.make(plan, &remembers);
  EXPECT_FALSE(remembers) << "it is the same plan";
}

TEST(InitialPlanTest, EndsWhenUsedUpOrSomethingElseIsLaunched) {
  Planning planning({job_of("a", 0, 4, 2, 2, 1)});
  InitialPlan plan(kUnit);
  planning.make(plan);
  plan.took(NodeId{0}, {JobId{0}, 0});
  ASSERT_TRUE(plan.of(NodeId{0}));
  EXPECT_THAT(*plan.of(NodeId{0}), ElementsAre(Share{{JobId{0}, 0}, 1}));
  plan.took(NodeId{0}, {JobId{0}, 0});
  EXPECT_EQ(plan.of(NodeId{0}), nullptr);
  plan.drop(NodeId{1});
  EXPECT_EQ(plan.of(NodeId{1}), nullptr);
}

TEST(InitialPlanTest, NoGangsNorApplicationMastersNorDeadNodes) {
  JobSpec gang = job_of("gang", 0, 2, 1, 1, 1), master = job_of("master", 0, 2, 1, 1, 1);
  gang.phases[0].gang = true;
  add_master(master, 1, 1);
  Planning planning({gang, master, job_of("a", 0, 1, 1, 1, 1)});
  planning.state->fold({EmuTime(0), NodeLost{NodeId{0}, "lost"}});
  InitialPlan plan(kUnit);
  planning.make(plan);
  EXPECT_EQ(plan.of(NodeId{0}), nullptr);
  ASSERT_TRUE(plan.of(NodeId{1}));
  EXPECT_THAT(*plan.of(NodeId{1}), ElementsAre(Share{{JobId{2}, 0}, 1}));
}

}  // namespace
}  // namespace heddle
