// Preemption, worked out by hand; see capacity_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/virtual_cluster.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

QueueSpec queue(const char* name, double capacity) {
  QueueSpec spec;
  spec.name = name;
  spec.capacity = capacity;
  return spec;
}

/// Queues a and b of half of `nodes` nodes with 2 containers each; b fills all of it at 0 s, a
/// comes at 5 s.
Scenario contended(const char* scheduler, int nodes) {
  Scenario scenario = cluster_of(nodes, 2, 2);
  scenario.policy.preset = scheduler;
  scenario.policy.options = {{"preemption", "kill"}, {"preemption_grace", "10"}};
  scenario.queues = {queue("a", 0.5), queue("b", 0.5)};
  scenario.jobs = {in_queue("b", job_of("b", 0, 2 * nodes, 1, 1, 100)),
                   in_queue("a", job_of("a", 5, 2 * nodes, 1, 1, 20))};
  return scenario;
}

std::vector<std::string> lines_with(const VirtualCluster& cluster, const std::string& word) {
  std::vector<std::string> lines;
  for (const std::string& line : cluster.log())
    if (line.find(word) != std::string::npos) lines.push_back(line);
  return lines;
}

// a has waited below its guarantee since 5 s. At 15 s the two youngest containers of b die (3 and
// 2, both of n2), a gets their room at once, and b keeps what it is guaranteed.
TEST(Preemption, TakesTheYoungestAboveTheGuaranteeAfterTheGrace) {
  VirtualCluster cluster(contended("capacity", 2));
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(lines_with(cluster, "kill"), ElementsAre("15.0 kill 3", "15.0 kill 2"));
  EXPECT_THAT(lines_with(cluster, "15.0 launch"),
              ElementsAre("15.0 launch a.map.0 on n2", "15.0 launch a.map.1 on n2"));
  EXPECT_EQ(cluster.state().job(JobId{0}).state(), JobState::kCompleted);
}

TEST(Preemption, NoneUnlessAskedFor) {
  Scenario scenario = contended("capacity", 2);
  scenario.policy.options.clear();
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(lines_with(cluster, "kill"), ElementsAre());
  EXPECT_EQ(cluster.wait_s("a"), 95);
}

TEST(Preemption, NoneWhileTheGuaranteeIsComingAnyway) {
  Scenario scenario = contended("capacity", 2);
  scenario.jobs[0].phases[0].sleep.mean = 12e6;  // b's end at 12 s, within a's grace
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(lines_with(cluster, "kill"), ElementsAre());
}

// a's containers fill a node, and it is guaranteed one of them: both tasks of n2, the youngest, die
// for it. (At 35 s a's second one follows there, and n2 is then reserved for b.)
TEST(Preemption, OneLargeContainerTakesOneNode) {
  Scenario scenario = contended("capacity", 2);
  scenario.jobs[1].phases[0].request = {Millicores(2000), EmuBytes(2LL << 30)};
  scenario.jobs[1].phases[0].tasks = 3;
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(lines_with(cluster, "15.0 kill"), ElementsAre("15.0 kill 3", "15.0 kill 2"));
  EXPECT_THAT(lines_with(cluster, "15.0 launch"), ElementsAre("15.0 launch a.map.0 on n2"));
}

// The guarantee of a fair queue is its part by weight among those that want or hold anything: with
// 1 : 3 of 8 containers b may keep 6 of them.
TEST(Preemption, FairGuaranteesFollowWeights) {
  Scenario scenario = contended("fair", 4);
  scenario.queues[1].weight = 3;
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(lines_with(cluster, "kill"), ElementsAre("15.0 kill 7", "15.0 kill 6"));
}

TEST(Preemption, SparesApplicationMasters) {
  Scenario scenario = contended("capacity", 1);
  PhaseSpec am = scenario.jobs[0].phases[0];
  am.name = "am";
  am.kind = PhaseKind::kAm;
  am.tasks = 1;
  am.sleep.mean = 1e9;
  // b: its master, container 0, and one task, 1: the task goes.
  scenario.jobs[0].phases.insert(scenario.jobs[0].phases.begin(), am);
  scenario.jobs[0].phases[1].tasks = 1;
  scenario.jobs[1].phases[0].tasks = 1;
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(lines_with(cluster, "15.0 kill"), ElementsAre("15.0 kill 1"));
}

}  // namespace
}  // namespace heddle
