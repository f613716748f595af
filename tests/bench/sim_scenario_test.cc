#include <gtest/gtest.h>

#include <set>

#include "bench/scenarios.h"

namespace heddle::bench::sim_scenario_test {

TEST(SimScenario, NodesInRacksOfForty) {
  SimLoad load;
  load.nodes = 81;
  const Scenario scenario = sim_scenario(load);
  ASSERT_EQ(scenario.cluster.nodes.size(), 81u);
  for (const NodeSpec& node : scenario.cluster.nodes) {
    EXPECT_EQ(node.capacity, (Resources{Millicores(8000), EmuBytes(16 * kGib)}));
    EXPECT_EQ(node.allowance, node.capacity);
  }
  EXPECT_EQ(scenario.cluster.nodes[39].rack, "r1");
  EXPECT_EQ(scenario.cluster.nodes[40].rack, "r2");
  EXPECT_EQ(scenario.cluster.nodes[80].rack, "r3");
}

TEST(SimScenario, JobsOfNinetyMapsAndTenReducesOverHalfAMinute) {
  const Scenario scenario = sim_scenario(SimLoad{});
  ASSERT_EQ(scenario.jobs.size(), 10u);  // 100 nodes, 10 tasks per node
  const JobSpec& fifth = scenario.jobs[4];
  EXPECT_EQ(fifth.submit, emu_seconds(12));
  ASSERT_EQ(fifth.phases.size(), 2u);
  EXPECT_EQ(fifth.phases[0].tasks, 90);
  EXPECT_EQ(fifth.phases[0].kind, PhaseKind::kMap);
  EXPECT_EQ(fifth.phases[0].request, (Resources{Millicores(1000), EmuBytes(2 * kGib)}));
  EXPECT_EQ(fifth.phases[0].cpu, (Drawn{Drawn::Dist::kLognormal, 20e6, 0.5}));
  EXPECT_EQ(fifth.phases[1].tasks, 10);
  EXPECT_EQ(fifth.phases[1].kind, PhaseKind::kReduce);
  EXPECT_EQ(fifth.phases[1].after, std::vector<int>{0});
  EXPECT_TRUE(fifth.phases[0].prefer.empty());
}

TEST(SimScenario, EverySizeOfMapMeetsEverySizeOfReduce) {
  const Scenario scenario = sim_scenario(SimLoad{});
  std::set<std::pair<std::int64_t, std::int64_t>> sizes;
  for (int i = 0; i < 9; ++i)
    sizes.emplace(scenario.jobs[i].phases[0].request.memory.count() / kGib,
                  scenario.jobs[i].phases[1].request.memory.count() / kGib);
  EXPECT_EQ(sizes.size(), 9u);
}

TEST(SimScenario, TheLastJobTakesWhatIsLeft) {
  SimLoad load;
  load.nodes = 21;
  load.tasks_per_node = 5;
  const Scenario scenario = sim_scenario(load);
  ASSERT_EQ(scenario.jobs.size(), 2u);
  EXPECT_EQ(scenario.jobs[0].task_count(), 100);
  EXPECT_EQ(scenario.jobs[1].task_count(), 5);
  EXPECT_EQ(scenario.jobs[1].phases.size(), 1u);  // too few for a reduce
}

TEST(SimScenario, QueuesComeOneAfterTheOther) {
  SimLoad load;
  load.queues = 4;
  const Scenario scenario = sim_scenario(load);
  ASSERT_EQ(scenario.queues.size(), 4u);
  EXPECT_EQ(scenario.queues[3].capacity, 0.25);
  EXPECT_EQ(scenario.jobs[0].queue, "q1");
  EXPECT_EQ(scenario.jobs[2].queue, "q1");
  EXPECT_EQ(scenario.jobs[3].queue, "q2");
  EXPECT_EQ(scenario.jobs[9].queue, "q4");
}

TEST(SimScenario, MastersComeFirstInTheirJobs) {
  SimLoad load;
  load.masters = true;
  for (const JobSpec& job : sim_scenario(load).jobs) {
    EXPECT_TRUE(job.has_am());
    EXPECT_EQ(job.task_count(), 100);
    EXPECT_EQ(job.phases[2].after, std::vector<int>{1});
  }
}

TEST(SimScenario, AThirdOfThePhasesPreferNodes) {
  SimLoad load;
  load.nodes = 300;
  load.prefer = true;
  const Scenario scenario = sim_scenario(load);  // 30 jobs, 60 phases
  int with = 0;
  for (const JobSpec& job : scenario.jobs)
    for (const PhaseSpec& phase : job.phases) with += phase.prefer.empty() ? 0 : 1;
  EXPECT_EQ(with, 20);
  // Phase 3 of all is the reduce of the second job. It prefers every tenth node, from node 21 on.
  const std::vector<NodeId>& prefer = scenario.jobs[1].phases[1].prefer;
  ASSERT_EQ(prefer.size(), 30u);
  EXPECT_EQ(prefer.front(), NodeId{1});
  EXPECT_EQ(prefer.back(), NodeId{291});
}

TEST(SimScenario, FewNodesArePreferredOnce) {
  SimLoad load;
  load.nodes = 3;
  load.tasks_per_node = 100;
  load.prefer = true;
  EXPECT_EQ(sim_scenario(load).jobs[0].phases[0].prefer,
            (std::vector<NodeId>{NodeId{0}, NodeId{1}, NodeId{2}}));
}

}  // namespace heddle::bench::sim_scenario_test
