#include "core/policy/scheduler/haste/haste.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/virtual_cluster.h"
#include "tests/sim/random_scenario.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

/// Without an initial assignment.
Scenario haste_cluster(int nodes, int cores, int gib, const char* preset = "haste") {
  Scenario scenario = cluster_of(nodes, cores, gib);
  scenario.policy.preset = preset;
  set_policy(scenario, "initial_assignment", "none");
  return scenario;
}

std::vector<std::string> log_of(const Scenario& scenario) {
  VirtualCluster cluster(scenario);
  EXPECT_TRUE(cluster.run());
  EXPECT_EQ(cluster.refused(), 0);
  return cluster.log();
}

std::vector<std::string> reasons_of(const Scenario& scenario) {
  VirtualCluster cluster(scenario);
  EXPECT_TRUE(cluster.run());
  std::vector<std::string> reasons;
  for (const Action& launch : cluster.launches()) reasons.push_back(launch.reason);
  return reasons;
}

// One node, which is the cluster. Empty, C = (1, 1): a is worth 1/4 + 1/4, b 2/4 + 2/4, both are as
// urgent: b. Then C = (1/2, 1/2) and half of b's maps have a container, none of a's: b again.
TEST(Haste, FitnessAndUrgencyByHand) {
  Scenario scenario = haste_cluster(1, 4, 4);
  scenario.jobs = {job_of("a", 0, 4, 1, 1, 5), job_of("b", 0, 2, 2, 2, 5)};
  EXPECT_THAT(log_of(scenario),
              ElementsAre("0.0 launch b.map.0 on n1", "0.0 launch b.map.1 on n1",
                          "5.0 launch a.map.0 on n1", "5.0 launch a.map.1 on n1",
                          "5.0 launch a.map.2 on n1", "5.0 launch a.map.3 on n1"));
  EXPECT_THAT(reasons_of(scenario), ElementsAre("fits: fitness 1, urgency 1, alignment 0",
                                                "fits: fitness 0.5, urgency 1.5, alignment 0",
                                                "fits: fitness 0.5, urgency 1, alignment 0",
                                                "fits: fitness 0.375, urgency 1.25, alignment 0",
                                                "fits: fitness 0.25, urgency 1.5, alignment 0",
                                                "fits: fitness 0.125, urgency 1.75, alignment 0"));
}

// At 5 s <2, 2> are free. The reduce whose map is done has the largest urgency and the smallest
// fitness, wide's map the other way round: both are worth 1, and the more urgent has it. By fitness
// alone wide does.
TEST(Haste, ReducesWhoseMapsAreDoneAgainstLargerMaps) {
  Scenario scenario = haste_cluster(1, 4, 4);
  scenario.jobs = {job_of("deep", 0, 1, 1, 1, 5), job_of("wide", 1, 2, 2, 2, 10)};
  scenario.jobs[1].priority = 1;
  add_reduces(scenario.jobs[0], 1, 1, 1, 5);
  EXPECT_THAT(log_of(scenario),
              ElementsAre("0.0 launch deep.map.0 on n1", "1.0 launch wide.map.0 on n1",
                          "5.0 launch deep.reduce.0 on n1", "10.0 launch wide.map.1 on n1"));
  set_policy(scenario, "urgency", "none");
  EXPECT_EQ(log_of(scenario)[2], "5.0 launch wide.map.1 on n1");
}

// At 10 s half of the maps are complete; one more starts, so 3 of 4 have been handed out. Then the
// next map (1 + 3/4) stands against the early reduce, which nobody holds: 9/16, or, balanced, the
// map's and 3/4.
TEST(Haste, EarlyReducesDeferredOrBalanced) {
  Scenario scenario = haste_cluster(1, 2, 2);
  scenario.jobs = {job_of("j", 0, 4, 1, 1, 10)};
  add_reduces(scenario.jobs[0], 1, 1, 1, 10);
  EXPECT_THAT(log_of(scenario),
              ElementsAre("0.0 launch j.map.0 on n1", "0.0 launch j.map.1 on n1",
                          "10.0 launch j.map.2 on n1", "10.0 launch j.map.3 on n1",
                          "20.0 launch j.reduce.0 on n1"));
  set_policy(scenario, "urgency", "balanced");
  EXPECT_THAT(log_of(scenario),
              ElementsAre("0.0 launch j.map.0 on n1", "0.0 launch j.map.1 on n1",
                          "10.0 launch j.map.2 on n1", "10.0 launch j.reduce.0 on n1",
                          "20.0 launch j.map.3 on n1", "30.0 inputs ready for 3"));
  EXPECT_EQ(reasons_of(scenario)[3], "fits: fitness 0.5, urgency 2.5, alignment 0");
}

// Reduces larger than maps have the larger fitness and the smaller urgency, 1 against 1: they wait.
TEST(Haste, LargerEarlyReducesDoNotPassMaps) {
  Scenario scenario = haste_cluster(1, 2, 8);
  scenario.jobs = {job_of("j", 0, 4, 1, 1, 10)};
  add_reduces(scenario.jobs[0], 1, 1, 2, 10);
  EXPECT_THAT(log_of(scenario),
              ElementsAre("0.0 launch j.map.0 on n1", "0.0 launch j.map.1 on n1",
                          "10.0 launch j.map.2 on n1", "10.0 launch j.map.3 on n1",
                          "20.0 launch j.reduce.0 on n1"));
}

TEST(Haste, ApplicationMastersAreMostUrgent) {
  Scenario scenario = haste_cluster(1, 4, 4);
  scenario.jobs = {job_of("a", 0, 8, 1, 1, 10), job_of("b", 0, 1, 1, 1, 10)};
  add_master(scenario.jobs[1], 1, 1);
  EXPECT_EQ(log_of(scenario)[0], "0.0 launch b.am.0 on n1");
  EXPECT_EQ(reasons_of(scenario)[0], "fits: fitness 0.5, urgency 3, alignment 0");
}

TEST(Haste, WithoutUrgencyAndInitialAssignmentItIsFfdDp) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Scenario scenario = random_scenario(seed, "ffd-dp");
    const std::vector<std::string> expected = log_of(scenario);
    scenario.policy.preset = "haste";
    set_policy(scenario, "initial_assignment", "none");
    set_policy(scenario, "urgency", "none");
    EXPECT_EQ(log_of(scenario), expected);
  }
}

// The one with the largest product is <3, 3>, beside which nothing fits; two <2, 2> fill the node.
// At 10 s nothing runs again, and big is all there is.
TEST(HasteInitial, ANodeIsFilledAsAKnapsack) {
  Scenario scenario = haste_cluster(1, 4, 4);
  scenario.jobs = {job_of("big", 0, 1, 3, 3, 10), job_of("half", 0, 2, 2, 2, 10)};
  EXPECT_EQ(log_of(scenario)[0], "0.0 launch big.map.0 on n1");
  set_policy(scenario, "initial_assignment", "knapsack");
  EXPECT_THAT(log_of(scenario),
              ElementsAre("0.0 launch half.map.0 on n1", "0.0 launch half.map.1 on n1",
                          "10.0 launch big.map.0 on n1"));
  EXPECT_THAT(reasons_of(scenario),
              testing::Each(testing::StartsWith("initial assignment: fitness ")));
}

// The second half job comes when the first runs: by preference, large first.
TEST(HasteInitial, OnlyOnAnIdleCluster) {
  Scenario scenario = haste_cluster(1, 8, 8);
  set_policy(scenario, "initial_assignment", "knapsack");
  scenario.jobs = {job_of("first", 0, 1, 4, 4, 10), job_of("big", 1, 1, 3, 3, 10),
                   job_of("half", 1, 2, 2, 2, 10)};
  EXPECT_THAT(log_of(scenario),
              ElementsAre("0.0 launch first.map.0 on n1", "1.0 launch big.map.0 on n1",
                          "10.0 launch half.map.0 on n1", "10.0 launch half.map.1 on n1"));
}

// A cluster on which only application masters run is idle; a step that plans is remembered.
TEST(HasteInitial, ApplicationMastersAreNoTasks) {
  Scenario scenario = haste_cluster(1, 5, 5);
  set_policy(scenario, "initial_assignment", "knapsack");
  scenario.jobs = {job_of("big", 0, 1, 3, 3, 10), job_of("half", 0, 2, 2, 2, 10)};
  add_master(scenario.jobs[0], 1, 1);
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(), ElementsAre("0.0 launch half.map.0 on n1",
                                         "0.0 launch half.map.1 on n1", "0.0 launch big.am.0 on n1",
                                         "10.0 launch big.map.0 on n1", "20.0 kill 2"));
  EXPECT_THAT(cluster.remembered_s(), ElementsAre(0, 10));
}

// HaSTE-A. "loop" has two passes of a map and a reduce each.
JobSpec loop(const char* name, double submit_s) {
  JobSpec job = job_of(name, submit_s, 2, 1, 1, 10);
  job.iterative = true;
  add_reduces(job, 1, 1, 1, 10);
  job.phases.push_back(job.phases[0]);
  job.phases[2].name = "again";
  job.phases[2].after = {1};
  return job;
}

// Alike but for alignment, 1/2, later 2/2, against 0: g is 1/2, one of two jobs being iterative.
TEST(HasteA, IterativeJobsArePulledForward) {
  Scenario scenario = haste_cluster(1, 2, 2, "haste-a");
  scenario.jobs = {job_of("once", 0, 2, 1, 1, 10), loop("loop", 0)};
  EXPECT_THAT(log_of(scenario),
              ElementsAre("0.0 launch loop.map.0 on n1", "0.0 launch loop.map.1 on n1",
                          "10.0 launch loop.reduce.0 on n1", "10.0 launch once.map.0 on n1",
                          "20.0 launch once.map.1 on n1", "20.0 launch loop.again.0 on n1",
                          "30.0 launch loop.again.1 on n1"));
  EXPECT_THAT(reasons_of(scenario)[5], "fits: fitness 0.5, urgency 1, alignment 1");
  scenario.policy.preset = "haste";
  EXPECT_EQ(log_of(scenario)[0], "0.0 launch once.map.0 on n1");
}

// The same, with nothing given for alignment.
TEST(HasteA, WithoutAggressivenessItIsHaste) {
  Scenario scenario = haste_cluster(1, 2, 2, "haste-a");
  scenario.jobs = {job_of("once", 0, 2, 1, 1, 10), loop("loop", 0)};
  set_policy(scenario, "aggressiveness", "0");
  const std::vector<std::string> none = log_of(scenario);
  EXPECT_EQ(none[0], "0.0 launch once.map.0 on n1");
  scenario.policy.preset = "haste";
  std::erase_if(scenario.policy.options,
                [](const auto& option) { return option.first == "aggressiveness"; });
  EXPECT_EQ(none, log_of(scenario));
}

// Of iterative jobs only, the share that are not is 0.
TEST(HasteA, WithIterativeJobsOnlyItIsHaste) {
  Scenario scenario = haste_cluster(2, 2, 3, "haste-a");
  scenario.jobs = {loop("a", 0), loop("b", 3), loop("c", 12)};
  const std::vector<std::string> with = log_of(scenario);
  scenario.policy.preset = "haste";
  EXPECT_EQ(with, log_of(scenario));
}

TEST(MapStagesTest, AMapBeginsAStageAndItsReducesBelongToIt) {
  const MapStages stages(loop("loop", 0));
  EXPECT_EQ(stages.count(), 2);
  EXPECT_EQ(MapStages(job_of("maps", 0, 2, 1, 1, 1)).count(), 1);
  JobSpec chain = loop("chain", 0);  // a reduce after a reduce is a stage too
  chain.phases[2].kind = PhaseKind::kReduce;
  EXPECT_EQ(MapStages(chain).count(), 2);
  JobSpec join = job_of("join", 0, 2, 1, 1, 1);
  join.phases.push_back(join.phases[0]);
  add_reduces(join, 2, 1, 1, 1);
  join.phases[2].after = {0, 1};
  EXPECT_EQ(MapStages(join).count(), 1);
  std::swap(join.phases[0], join.phases[2]);  // in whatever order they are written
  join.phases[0].after = {1, 2};
  add_master(join, 1, 1);
  EXPECT_EQ(MapStages(join).count(), 1);
}

}  // namespace
}  // namespace heddle
