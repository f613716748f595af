// Jobs with data, worked out by hand: which task goes where its block is, what reduces are told to
// fetch, and what runs again when outputs are lost. Reading takes no time here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/jobs/places.h"
#include "core/jobs/shuffle.h"
#include "tests/core/virtual_cluster.h"

namespace heddle::data_test {

using ::testing::Contains;
using ::testing::ElementsAre;

Drawn bytes(double mean) { return {Drawn::Dist::kConstant, mean, 0}; }

// Places ---------------------------------------------------------------------------------------

/// Nodes 0 and 1 in rack a, 2 and 3 in rack b.
ClusterSpec two_racks() {
  ClusterSpec cluster = cluster_of(4, 1, 1).cluster;
  for (int i = 0; i < 4; ++i) cluster.nodes[i].rack = i < 2 ? "a" : "b";
  return cluster;
}

// Task 0 has its data on 0 and 2, task 1 on 2 and 3, task 2 on 1.
class PlacesTest : public ::testing::Test {
 protected:
  PlacesTest() : cluster_(two_racks()), places_(cluster_, {{{0}, {2}}, {{2}, {3}}, {{1}}}) {
    for (int task = 0; task < 3; ++task) places_.ask(task);
  }
  std::pair<int, Locality> next(std::int64_t node, const std::set<int>& without = {}) {
    const NextTask next = places_.nearest(NodeId{node}, without);
    return {next.task, next.locality};
  }
  ClusterSpec cluster_;
  Places places_;
};

TEST_F(PlacesTest, NodeThenRackThenAnywhere) {
  EXPECT_EQ(next(0), (std::pair{0, Locality::kLocal}));
  EXPECT_EQ(next(1), (std::pair{2, Locality::kLocal}));
  EXPECT_EQ(next(2), (std::pair{0, Locality::kLocal}));
  EXPECT_EQ(next(3), (std::pair{1, Locality::kLocal}));
  EXPECT_EQ(next(3, {1}), (std::pair{0, Locality::kRack}));
  EXPECT_EQ(next(3, {0, 1}), (std::pair{2, Locality::kRemote}));
}

TEST_F(PlacesTest, WhatIsTakenCanBeAskedForAgain) {
  places_.take(0);
  EXPECT_EQ(next(0), (std::pair{2, Locality::kRack}));
  places_.take(2);
  EXPECT_EQ(next(0), (std::pair{1, Locality::kRemote}));
  EXPECT_EQ(places_.first({}), 1);
  places_.ask(0);
  EXPECT_EQ(next(0), (std::pair{0, Locality::kLocal}));
  EXPECT_EQ(places_.first({}), 0);
}

// Shuffle --------------------------------------------------------------------------------------

JobSpec shuffling(int maps, int reduces, double seconds) {
  JobSpec job = job_of("j", 0, maps, 1, 1, seconds);
  job.phases[0].shuffle = bytes(1000);
  add_reduces(job, reduces, 1, 1, 10);
  return job;
}

// Of 1000 bytes each of 2 reduces reads one half.
TEST(Shuffle, EachReduceReadsItsPartOfEachMap) {
  const JobSpec job = shuffling(3, 2, 1);
  Shuffle shuffle(job);
  EXPECT_EQ(shuffle.sources(0), 0);
  EXPECT_EQ(shuffle.sources(1), 3);
  EXPECT_THAT(shuffle.reads(1, 0), ElementsAre());
  shuffle.wrote(0, 2, ContainerId{7}, NodeId{1}, EmuBytes(1000));
  shuffle.wrote(0, 0, ContainerId{8}, NodeId{0}, EmuBytes(1000));
  const DataRead of_0{
      output_object(ContainerId{8}, 0), EmuBytes(500), EmuBytes(500), {NodeId{0}}, 0};
  const DataRead of_2{
      output_object(ContainerId{7}, 0), EmuBytes(500), EmuBytes(500), {NodeId{1}}, 2};
  EXPECT_THAT(shuffle.reads(1, 1), ElementsAre(of_0, of_2));
  EXPECT_EQ(shuffle.read(1, 1, 0, 2), of_2);
  EXPECT_EQ(shuffle.read(1, 1, 0, 1), std::nullopt);
}

// A second pass: maps after the reduces, reduces after them. Between reduces what is handed over is
// read too, by maps it is not, nor by anybody who does not come after.
TEST(Shuffle, OnlyReducesThatComeAfterRead) {
  JobSpec job = shuffling(3, 2, 1);
  job.phases[1].shuffle = bytes(500);
  job.phases.push_back(job_of("", 0, 4, 1, 1, 1).phases[0]);
  job.phases[2].after = {0, 1};
  add_reduces(job, 5, 1, 1, 1);
  job.phases[3].after = {1, 2};
  Shuffle shuffle(job);
  shuffle.wrote(0, 0, ContainerId{7}, NodeId{0}, EmuBytes(1000));
  shuffle.wrote(1, 1, ContainerId{8}, NodeId{0}, EmuBytes(500));
  EXPECT_EQ(shuffle.sources(2), 0);
  EXPECT_THAT(shuffle.reads(2, 0), ElementsAre());
  EXPECT_EQ(shuffle.read(2, 0, 0, 0), std::nullopt);
  EXPECT_EQ(shuffle.sources(3), 2);
  const DataRead of_1{
      output_object(ContainerId{8}, 0), EmuBytes(100), EmuBytes(100), {NodeId{0}}, 1};
  EXPECT_THAT(shuffle.reads(3, 1), ElementsAre(of_1));
  EXPECT_EQ(shuffle.read(3, 1, 1, 1), of_1);
  EXPECT_EQ(shuffle.read(3, 1, 0, 0), std::nullopt);
}

TEST(Shuffle, WhatIsLostIsForgotten) {
  const JobSpec job = shuffling(3, 2, 1);
  Shuffle shuffle(job);
  for (int map = 0; map < 3; ++map)
    shuffle.wrote(0, map, ContainerId{map}, NodeId{map % 2}, EmuBytes(1000));
  EXPECT_THAT(shuffle.lose(NodeId{0}), ElementsAre(std::pair(0, 0), std::pair(0, 2)));
  EXPECT_EQ(shuffle.reads(1, 0).size(), 1);
  EXPECT_EQ(shuffle.lose(output_object(ContainerId{1}, 0)), std::pair(0, 1));
  EXPECT_EQ(shuffle.lose(output_object(ContainerId{1}, 0)), std::nullopt);
}

// In a run -------------------------------------------------------------------------------------

// Every block is on one node only (1 replica): each of 8 maps runs where its own is, though
// there is room for all of them on any node.
TEST(Data, MapsGoWhereTheirBlocksAre) {
  for (Dispatch dispatch : {Dispatch::kImmediate, Dispatch::kHeartbeat}) {
    Scenario scenario = cluster_of(4, 8, 8);
    scenario.cluster.dispatch = dispatch;
    scenario.storage.replicas = 1;
    scenario.jobs = {job_of("j", 0, 8, 1, 1, 10)};
    scenario.jobs[0].phases[0].input = bytes(100);
    if (dispatch == Dispatch::kHeartbeat) set_policy(scenario, "delay", "mapreduce");
    VirtualCluster cluster(scenario);
    ASSERT_TRUE(cluster.run());
    int local = 0;
    for (const Action& action : cluster.launches())
      local += std::get<Launch>(action.what).locality == Locality::kLocal;
    EXPECT_EQ(local, 8);
  }
}

// 2 containers. Maps of 10 s: m0, m1 at 0 s, m2, m3 at 10 s. The reduce starts at 20 s, when all
// are complete, and has 4 outputs to read at once.
TEST(Data, LateReduceFindsAllOutputs) {
  Scenario scenario = cluster_of(1, 2, 2);
  scenario.jobs = {shuffling(4, 1, 10)};
  set_policy(scenario, "reduce_early_start", "1");
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.finish_s("j"), 30);
  for (const std::string& line : cluster.log()) EXPECT_EQ(line.find("fetch"), line.npos) << line;
}

// 3 containers, maps of 10 s: m0 … m2 at 0 s, m3 and the early reduce at 10 s, which is told of
// m3's output at 20 s and ends 10 s after that.
TEST(Data, EarlyReduceIsToldOfOutputsAsTheyCome) {
  Scenario scenario = cluster_of(1, 3, 3);
  scenario.jobs = {shuffling(4, 1, 10)};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(), Contains("10.0 launch j.reduce.0 on n1"));
  EXPECT_THAT(cluster.log(), Contains("20.0 fetch 1 for 4"));
  EXPECT_EQ(cluster.finish_s("j"), 30);
}

// 4 containers. The reduce comes after 2 maps of 10 s that hand something over and 3 of 15 s that
// don't; what it fetches doesn't tell it of those: it starts when they are complete, at 25 s,
// though by then 4 of its 5 maps have been so for 10 s.
TEST(Data, ReduceWaitsForMapsThatHandNothingOver) {
  Scenario scenario = cluster_of(1, 4, 4);
  scenario.jobs = {shuffling(2, 1, 10)};
  JobSpec& job = scenario.jobs[0];
  job.phases.push_back(job_of("", 0, 3, 1, 1, 15).phases[0]);
  job.phases[1].after = {0, 2};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(), Contains("25.0 launch j.reduce.0 on n1"));
  EXPECT_EQ(cluster.finish_s("j"), 35);
}

// 2 nodes of 2. Maps of 10 s: m0, m1 on n1 and m2, m3 on n2; m4 on n1 at 10 s. n2 is lost at 15 s:
// m2 and m3, complete, have to run again, on n1: one beside m4 at 15 s, one at 20 s; both done at
// 30 s.
TEST(Data, MapsWhoseOutputIsLostRunAgain) {
  Scenario scenario = cluster_of(2, 2, 2);
  scenario.jobs = {shuffling(5, 1, 10)};
  set_policy(scenario, "reduce_early_start", "1");
  VirtualCluster cluster(scenario);
  cluster.lose_node(NodeId{1}, 15);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(), Contains("15.0 launch j.map.2 on n1"));
  EXPECT_THAT(cluster.log(), Contains("20.0 launch j.map.3 on n1"));
  EXPECT_EQ(cluster.finish_s("j"), 40);
  EXPECT_EQ(cluster.state().job(JobId{0}).completed_tasks(), 6);
}

// A map hands over to a reduce, and that to another; one after the other on n1, 10 s each. n1 is
// lost at 25 s, while the last works: it needs the first reduce again, and that the map, whose
// output nobody else would have asked for any more.
TEST(Data, WhatIsMadeAgainMayNeedWhatIsLostToo) {
  Scenario scenario = cluster_of(2, 1, 1);
  scenario.jobs = {shuffling(1, 1, 10)};
  JobSpec& job = scenario.jobs[0];
  job.phases[1].shuffle = bytes(500);
  add_reduces(job, 1, 1, 1, 10);
  job.phases[2].name = "last";
  VirtualCluster cluster(scenario);
  cluster.lose_node(NodeId{0}, 25);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(),
              ElementsAre("0.0 launch j.map.0 on n1", "10.0 launch j.reduce.0 on n1",
                          "20.0 launch j.last.0 on n1", "25.0 launch j.map.0 on n2",
                          "35.0 launch j.reduce.0 on n2", "45.0 launch j.last.0 on n2"));
  EXPECT_EQ(cluster.state().job(JobId{0}).completed_tasks(), 3);
}

// The same on two nodes of one container, each read taking 4 s: map 0 to 10 s and reduce 10 to 24 s
// on n2, then the last on n1. n2 is lost at 26 s while the last still reads: it makes room for the
// map, though not that but the reduce, which can't even be asked for yet, is what it waits for.
TEST(Data, WaitingReducesMakeRoomForMapsFarBeforeThem) {
  Scenario scenario = cluster_of(2, 1, 1);
  scenario.jobs = {job_of("filler", 0, 1, 1, 1, 15), shuffling(1, 1, 10)};
  JobSpec& job = scenario.jobs[1];
  job.phases[1].shuffle = bytes(500);
  add_reduces(job, 1, 1, 1, 10);
  job.phases[2].name = "last";
  VirtualCluster cluster(scenario);
  cluster.set_read_time(4);
  cluster.lose_node(NodeId{1}, 26);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(), Contains("24.0 launch j.last.0 on n1"));
  EXPECT_THAT(cluster.log(), Contains("26.0 kill 3"));
  EXPECT_THAT(cluster.log(), Contains("26.0 launch j.map.0 on n1"));
  EXPECT_EQ(cluster.finish_s("j"), 64);
}

// 3 containers. 8 maps of 10 s, and a gang of 3 that finds no room until they are done, at 30 s; by
// then a reduce waits for both in one of the containers. It makes room, for it could wait for ever.
TEST(Data, WaitingReducesMakeRoomForGangsOfMaps) {
  Scenario scenario = cluster_of(1, 3, 3);
  scenario.jobs = {job_of("j", 0, 8, 1, 1, 10)};
  JobSpec& job = scenario.jobs[0];
  job.phases.push_back(job_of("", 0, 3, 1, 1, 10).phases[0]);
  job.phases[1].name = "gang";
  job.phases[1].gang = true;
  add_reduces(job, 1, 1, 1, 10);
  job.phases[2].after = {0, 1};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(), Contains("20.0 launch j.reduce.0 on n1"));
  EXPECT_THAT(cluster.log(), Contains("30.0 kill 7"));
  EXPECT_THAT(cluster.log(), Contains("30.0 launch j.gang.0 on n1"));
  EXPECT_EQ(cluster.finish_s("j"), 50);
}

// Strict order, 3 containers: a's last map runs beside its waiting reduce when b, which goes first
// and wants all 3, comes at 5 s. The map fails at 10 s: it has room, but not its turn, and b does
// not fit as long as the reduce waits for that map.
TEST(Data, WaitingReducesMakeRoomForThoseBeforeTheirMaps) {
  Scenario scenario = cluster_of(1, 3, 3);
  set_policy(scenario, "strict_order", "true");
  set_policy(scenario, "reserve", "false");
  set_policy(scenario, "reduce_ramp_limit", "1");
  scenario.jobs = {shuffling(2, 1, 10), job_of("b", 5, 1, 3, 3, 10)};
  set_policy(scenario, "reduce_early_start", "0");
  scenario.jobs[1].priority = 1;
  VirtualCluster cluster(scenario);
  cluster.make_fail({{JobId{0}, 0}, 1}, 1, Outcome::kFailed);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(), Contains("0.0 launch j.reduce.0 on n1"));
  EXPECT_THAT(cluster.log(), Contains("10.0 kill 1"));
  EXPECT_EQ(cluster.finish_s("b"), 20);
  EXPECT_EQ(cluster.finish_s("j"), 40);
}

// What lies on a node that is lost after the reduces are done is nobody's loss; map-only jobs lose
// nothing either.
TEST(Data, OutputsThatNobodyNeedsAreNotMadeAgain) {
  Scenario scenario = cluster_of(2, 2, 2);
  scenario.jobs = {shuffling(2, 1, 10), job_of("maps", 0, 2, 1, 1, 10),
                   job_of("long", 0, 1, 1, 1, 90)};
  scenario.jobs[1].phases[0].shuffle = bytes(1000);
  VirtualCluster cluster(scenario);
  cluster.lose_node(NodeId{1}, 45);
  ASSERT_TRUE(cluster.run());
  int launches = 0;
  for (const Action& action : cluster.launches()) {
    const auto& launch = std::get<Launch>(action.what);
    launches += launch.phase.job != JobId{2};
  }
  EXPECT_EQ(launches, 5);
}

// 10 tasks spread over 9 s: the first at once, then one a second, though there is room for all.
TEST(Data, StartSpreadGrantsTasksOverTime) {
  Scenario scenario = cluster_of(1, 10, 10);
  scenario.jobs = {job_of("j", 0, 10, 1, 1, 100)};
  scenario.jobs[0].phases[0].start_spread = emu_seconds(10);
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(), Contains("0.0 launch j.map.0 on n1"));
  EXPECT_THAT(cluster.log(), Contains("1.0 launch j.map.1 on n1"));
  EXPECT_THAT(cluster.log(), Contains("9.0 launch j.map.9 on n1"));
}

// Spark ----------------------------------------------------------------------------------------

/// `executors` of 2 cores, which run 2 stages of `tasks` tasks of 10 s each.
JobSpec spark(const char* name, double submit, int executors, int tasks) {
  JobSpec job = job_of(name, submit, executors, 2, 2, 0);
  job.framework = Framework::kSpark;
  job.phases[0].name = "executor";
  job.phases[0].kind = PhaseKind::kExecutor;
  StageSpec stage;
  stage.tasks = tasks;
  stage.cpu = bytes(10e6);
  job.stages = {stage, stage};
  return job;
}

// 2 executors of 2 threads, stages of 6 tasks: 4 at 0 s, 2 at 10 s while the other waits at the
// barrier; then the same again from 20 s on.
TEST(Spark, StagesRunInExecutorsWithABarrierBetween) {
  Scenario scenario = cluster_of(1, 4, 4);
  scenario.jobs = {spark("s", 0, 2, 6)};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(),
              ElementsAre("0.0 launch s.executor.0 on n1", "0.0 launch s.executor.1 on n1",
                          "0.0 run part 1 of stage 0 in 0", "0.0 run part 1 of stage 0 in 1",
                          "10.0 run part 2 of stage 0 in 0", "20.0 run part 3 of stage 1 in 0",
                          "20.0 run part 2 of stage 1 in 1", "30.0 run part 4 of stage 1 in 0",
                          "40.0 finish 0", "40.0 finish 1"));
  EXPECT_EQ(cluster.finish_s("s"), 40);
}

// With room for one executor only, it does all; the other comes when that one's node is lost in the
// middle of its second part, which runs again.
TEST(Spark, AnExecutorsUnfinishedTasksRunElsewhere) {
  Scenario scenario = cluster_of(2, 2, 2);
  scenario.jobs = {job_of("blocker", 0, 1, 2, 2, 12), spark("s", 0, 1, 4)};
  VirtualCluster cluster(scenario);
  cluster.lose_node(NodeId{1}, 15);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(), Contains("10.0 run part 2 of stage 0 in 1"));
  EXPECT_THAT(cluster.log(), Contains("15.0 launch s.executor.0 on n1"));
  EXPECT_THAT(cluster.log(), Contains("15.0 run part 1 of stage 0 in 2"));
  EXPECT_EQ(cluster.finish_s("s"), 45);
}

// yarn-client: b waits until a, which came before it, is done; the MapReduce job does not.
TEST(Spark, OneClientJobAtATime) {
  Scenario scenario = cluster_of(1, 8, 8);
  scenario.jobs = {spark("a", 0, 1, 2), spark("b", 0, 1, 2), job_of("m", 0, 1, 1, 1, 5)};
  for (int i : {0, 1}) scenario.jobs[i].deploy = Deploy::kYarnClient;
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.finish_s("a"), 20);
  EXPECT_EQ(cluster.wait_s("b"), 20);
  EXPECT_EQ(cluster.finish_s("b"), 40);
  EXPECT_EQ(cluster.wait_s("m"), 0);
}

// dynamic: one executor at first, another with the backlog's first second, 2 more with the next.
TEST(Spark, DynamicAsksByBacklog) {
  Scenario scenario = cluster_of(1, 8, 8);
  scenario.jobs = {spark("s", 0, 4, 40)};
  scenario.jobs[0].deploy = Deploy::kDynamic;
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(), Contains("0.0 launch s.executor.0 on n1"));
  EXPECT_THAT(cluster.log(), Contains("1.0 launch s.executor.1 on n1"));
  EXPECT_THAT(cluster.log(), Contains("2.0 launch s.executor.2 on n1"));
  EXPECT_THAT(cluster.log(), Contains("2.0 launch s.executor.3 on n1"));
}

// Its driver must run before it gets executors; it ends with the job.
TEST(Spark, ClusterModeHasItsDriverInAnApplicationMaster) {
  Scenario scenario = cluster_of(1, 8, 8);
  scenario.jobs = {spark("s", 0, 2, 4)};
  add_master(scenario.jobs[0], 1, 1);
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.log().front(), "0.0 launch s.am.0 on n1");
  EXPECT_EQ(cluster.log().back(), "20.0 kill 0");
}

// dynamic, 3 parts of 10 s in the first stage, and room for one executor. At 1 s a second one is
// asked for and a node held for it, at 2 s a third. At 10 s the first takes the second part, so
// that only one more executor is of use: one node is let go (VirtualCluster checks that at each
// step).
TEST(Spark, WhatIsNoLongerAskedForHoldsNoNode) {
  Scenario scenario = cluster_of(3, 2, 2);
  scenario.jobs = {job_of("blocker", 0, 2, 2, 2, 200), spark("s", 0, 4, 6)};
  scenario.jobs[1].deploy = Deploy::kDynamic;
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(), Contains(testing::StartsWith("1.0 reserve ")));
  EXPECT_THAT(cluster.log(), Contains(testing::StartsWith("2.0 reserve ")));
  EXPECT_THAT(cluster.log(), Contains("10.0 run part 2 of stage 0 in 2"));
  EXPECT_EQ(cluster.finish_s("s"), 60);
}

}  // namespace heddle::data_test
