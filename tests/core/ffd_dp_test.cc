#include "tests/core/virtual_cluster.h"
#include "tests/support/matchers.h"

namespace heddle::ffd_dp_test {

// The cluster is one node of 4 cores and 8 GiB, so R and C are shares of it.
// Empty, C = (1, 1):      small <1, 1>: 1/4 + 1/8 = .375   wide <3, 1>: 3/4 + 1/8 = .875
//                         deep <1, 5>: 1/4 + 5/8 = .875    big <2, 5>: 2/4 + 5/8 = 1.125
// After big, C = (.5, .375): small has .25 * .5 + .125 * .375 = .172; wide and deep don't fit.
// Small starts twice, then nothing fits. At 10 s the same happens without big. Wide and deep are
// equal and wide came first. It leaves C = (.25, .875), in which deep (.0625 + .547) comes before
// small.
TEST(FfdDp, LargestDotProductOfRequestAndResidualFirst) {
  Scenario scenario = cluster_of(1, 4, 8, "ffd-dp");
  scenario.jobs = {job_of("small", 0, 3, 1, 1, 10), job_of("wide", 0, 1, 3, 1, 10),
                   job_of("deep", 0, 1, 1, 5, 10), job_of("big", 0, 1, 2, 5, 10)};
  EXPECT_THAT(by_time(log_of(scenario)),
              ElementsAre("0.0 big.map.0 on n1, small.map.0 on n1, small.map.1 on n1",
                          "10.0 wide.map.0 on n1, deep.map.0 on n1", "20.0 small.map.2 on n1"));
}

// The free capacity decides. Node n1 has mainly cores (C is 6/8 of the cluster's cores and 2/10 of
// its memory), n2 mainly memory (2/8, 8/10). Job cpu <2, 1> scores .25 * .75 + .1 * .2 = .2075 on
// n1 and .0625 + .08 = .1425 on n2. Job ram <1, 2> scores .125 * .75 + .2 * .2 = .134 on n1 and
// .03125 + .16 = .191 on n2.
TEST(FfdDp, ShapesMeetNodesThatHaveRoomOfThatShape) {
  Scenario scenario = cluster_of(2, 6, 2, "ffd-dp");
  scenario.cluster.nodes[1].allowance = size_of(2, 8);
  scenario.jobs = {job_of("ram", 0, 2, 1, 2, 10), job_of("cpu", 0, 2, 2, 1, 10)};
  EXPECT_THAT(
      by_time(log_of(scenario)),
      ElementsAre("0.0 cpu.map.0 on n1, cpu.map.1 on n1, ram.map.0 on n2, ram.map.1 on n2"));
}

// With the weights of the first test, big would be first. With weight 0 for memory, wide scores
// 3/4, big 2/4 and the others 1/4. Then C = (.25, .875). Only cores count, so deep (5 GiB) and
// small (1 GiB) are equal, and small came first.
TEST(FfdDp, WeightsOfTheDimensions) {
  Scenario scenario = cluster_of(1, 4, 8, "ffd-dp+memory_weight=0");
  scenario.jobs = {job_of("small", 0, 1, 1, 1, 10), job_of("wide", 0, 1, 3, 1, 10),
                   job_of("deep", 0, 1, 1, 5, 10), job_of("big", 0, 1, 2, 5, 10)};
  EXPECT_THAT(by_time(log_of(scenario)),
              ElementsAre("0.0 wide.map.0 on n1, small.map.0 on n1", "10.0 big.map.0 on n1",
                          "20.0 deep.map.0 on n1"));
}

// <2, 1> and <1, 2> score the same on a square node, and so do equal sizes. Then priority decides,
// then submission, job and phase, across both sizes.
TEST(FfdDp, EqualScoresGoByPriorityThenSubmission) {
  Scenario scenario = cluster_of(1, 3, 3, "ffd-dp");
  scenario.jobs = {job_of("block", 0, 1, 3, 3, 5), job_of("late", 3, 1, 2, 1, 5),
                   job_of("early", 2, 1, 1, 2, 5), job_of("urgent", 4, 1, 2, 1, 5),
                   job_of("twin", 2, 1, 2, 1, 5)};
  scenario.jobs[3].priority = 1;
  JobSpec& twin = scenario.jobs[4];
  twin.phases.push_back(twin.phases[0]);
  twin.phases[1].name = "other";
  EXPECT_THAT(log_of(scenario),
              ElementsAre("0.0 launch block.map.0 on n1",
                          // At 5 s, urgent <2, 1> leaves <1, 2>, which early fits exactly.
                          "5.0 launch urgent.map.0 on n1", "5.0 launch early.map.0 on n1",
                          "10.0 launch twin.map.0 on n1", "15.0 launch twin.other.0 on n1",
                          "20.0 launch late.map.0 on n1"));
}

TEST(FfdDp, OnAHeartbeatTheNodeThatReportsIsFilled) {
  Scenario scenario = cluster_of(2, 4, 8, "ffd-dp");
  scenario.cluster.dispatch = Dispatch::kHeartbeat;
  scenario.jobs = {job_of("small", 0, 4, 1, 1, 3), job_of("big", 0, 2, 3, 6, 3)};
  EXPECT_THAT(
      by_time(log_of(scenario)),
      ElementsAre("0.0 big.map.0 on n1, small.map.0 on n1, big.map.1 on n2, small.map.1 on n2",
                  "3.0 small.map.2 on n1, small.map.3 on n1"));
}

// A gang uses several nodes: 2 x <2, 2> need both. It is tried on n1, but after the requests that
// fit there alone have been placed.
TEST(FfdDp, GangsAreTriedThoughTheyDoNotFitTheNode) {
  Scenario scenario = cluster_of(2, 2, 2, "ffd-dp", {job_of("gang", 0, 2, 2, 2, 5)});
  scenario.jobs[0].phases[0].gang = true;
  EXPECT_THAT(by_time(log_of(scenario)), ElementsAre("0.0 gang.map.0 on n1, gang.map.1 on n2"));
}

// 1-core tasks of 3 s come every second, so n1 is not empty before 24 s. With reservations, big
// starts when the tasks that run at its arrival have ended. At 1 s it fits nowhere, and there is
// room for small tasks only.
TEST(FfdDp, ReservesIfAsked) {
  Scenario scenario = cluster_of(1, 4, 8, "ffd-dp");
  scenario.jobs = {job_of("first", 0, 4, 1, 1, 3), job_of("big", 1, 1, 4, 1, 5)};
  for (int i = 0; i < 20; ++i)
    scenario.jobs.push_back(job_of("small" + std::to_string(i), 2 + i, 1, 1, 1, 3));
  EXPECT_EQ(FinishedRun(scenario).wait_s("big"), 2);  // all of first end at 3; big scores higher
  scenario.jobs[0].phases[0].tasks = 3;
  EXPECT_EQ(FinishedRun(scenario).wait_s("big"), 23);  // there is always a small one running
  set_policy(scenario, "reserve", "true");
  const FinishedRun reserving(scenario);
  EXPECT_EQ(reserving.wait_s("big"), 2);
  EXPECT_EQ(reserving.log()[3], "1.0 reserve n1 for big.map");
}

// No node has room when big comes. No node is offered to any job, but n1 is reserved anyway.
TEST(FfdDp, ReservesWhenNothingFitsAnywhere) {
  Scenario scenario = cluster_of(1, 4, 8, "ffd-dp");
  scenario.jobs = {job_of("first", 0, 2, 2, 1, 3), job_of("big", 1, 1, 4, 1, 5)};
  scenario.jobs[0].phases.push_back(scenario.jobs[0].phases[0]);
  scenario.jobs[0].phases[0].tasks = scenario.jobs[0].phases[1].tasks = 1;
  scenario.jobs[0].phases[1].name = "longer";
  scenario.jobs[0].phases[1].sleep.mean = 4e6;
  scenario.jobs.push_back(job_of("small", 2, 4, 1, 1, 4));
  set_policy(scenario, "reserve", "true");
  const FinishedRun cluster(scenario);
  EXPECT_EQ(cluster.wait_s("big"), 3);  // at 4 s; small could have had 2 cores from 3 to 7 s
  EXPECT_EQ(cluster.wait_s("small"), 7);
}

}  // namespace heddle::ffd_dp_test
