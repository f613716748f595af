// Jobs with data, computed by hand: tasks go to the nodes of their blocks, reduces get orders to
// fetch, and tasks run again if their outputs are lost. Reading takes no time here.
#include "core/jobs/places.h"
#include "core/jobs/shuffle.h"
#include "tests/core/virtual_cluster.h"
#include "tests/support/matchers.h"

namespace heddle::data_test {

Drawn bytes(double mean) { return {Drawn::Dist::kConstant, mean, 0}; }

// Places ---------------------------------------------------------------------------------------

/// Returns a cluster with nodes 0 and 1 in rack a, 2 and 3 in rack b.
ClusterSpec two_racks() {
  ClusterSpec cluster = cluster_of(4, 1, 1).cluster;
  for (int i = 0; i < 4; ++i) cluster.nodes[i].rack = i < 2 ? "a" : "b";
  return cluster;
}

// Task 0 has its data on nodes 0 and 2, task 1 on 2 and 3, task 2 on 1.
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

// Each of 2 reduces reads one half of a map's 1000 bytes.
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

// In a second pass, maps follow the reduces, and reduces follow those maps. Reduces also read the
// output of earlier reduces. Maps do not, and neither does a phase that does not come after.
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

// Every block is on one node only (1 replica). Each of 8 maps runs on its block's node, although
// any node has room for all of them.
TEST(Data, MapsGoWhereTheirBlocksAre) {
  for (Dispatch dispatch : {Dispatch::kImmediate, Dispatch::kHeartbeat}) {
    Scenario scenario = cluster_of(4, 8, 8);
    scenario.cluster.dispatch = dispatch;
    scenario.storage.replicas = 1;
    scenario.jobs = {job_of("j", 0, 8, 1, 1, 10)};
    scenario.jobs[0].phases[0].input = bytes(100);
    if (dispatch == Dispatch::kHeartbeat) set_policy(scenario, "delay", "mapreduce");
    const FinishedRun cluster(scenario);
    int local = 0;
    for (const Action& action : cluster.launches())
      local += std::get<Launch>(action.what).locality == Locality::kLocal;
    EXPECT_EQ(local, 8);
  }
}

// There are 2 containers and maps of 10 s: m0 and m1 run at 0 s, m2 and m3 at 10 s. The reduce
// starts at 20 s, when all are complete, and reads their 4 outputs at once.
TEST(Data, LateReduceFindsAllOutputs) {
  const FinishedRun cluster(cluster_of(1, 2, 2, "reduce_early_start=1", {shuffling(4, 1, 10)}));
  EXPECT_EQ(cluster.finish_s("j"), 30);
  for (const std::string& line : cluster.log()) EXPECT_EQ(line.find("fetch"), line.npos) << line;
}

// There are 3 containers and maps of 10 s: m0 to m2 run at 0 s, m3 and the early reduce at 10 s. At
// 20 s, the reduce gets an order to fetch the output of m3. It ends 10 s later.
TEST(Data, EarlyReduceIsToldOfOutputsAsTheyCome) {
  const FinishedRun cluster(cluster_of(1, 3, 3, {shuffling(4, 1, 10)}));
  EXPECT_THAT(cluster.log(), IsSupersetOf({"10.0 launch j.reduce.0 on n1", "20.0 fetch 1 for 4"}));
  EXPECT_EQ(cluster.finish_s("j"), 30);
}

// There are 4 containers. The reduce follows 2 maps of 10 s with output and 3 maps of 15 s without.
// Its fetches say nothing about the latter, so it starts only when they are complete, at 25 s. By
// then, 4 of its 5 maps have been complete for 10 s.
TEST(Data, ReduceWaitsForMapsThatHandNothingOver) {
  Scenario scenario = cluster_of(1, 4, 4, {shuffling(2, 1, 10)});
  JobSpec& job = scenario.jobs[0];
  job.phases.push_back(job_of("", 0, 3, 1, 1, 15).phases[0]);
  job.phases[1].after = {0, 2};
  const FinishedRun cluster(scenario);
  EXPECT_THAT(cluster.log(), Contains("25.0 launch j.reduce.0 on n1"));
  EXPECT_EQ(cluster.finish_s("j"), 35);
}

// There are 2 nodes of 2 containers and maps of 10 s: m0 and m1 run on n1, m2 and m3 on n2, and m4
// on n1 at 10 s. Node n2 is lost at 15 s, so the complete m2 and m3 must run again on n1, one
// beside m4 at 15 s and one at 20 s. Both are done at 30 s.
TEST(Data, MapsWhoseOutputIsLostRunAgain) {
  Scenario scenario = cluster_of(2, 2, 2, "reduce_early_start=1", {shuffling(5, 1, 10)});
  VirtualCluster cluster(scenario);
  cluster.lose_node(NodeId{1}, 15);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(),
              IsSupersetOf({"15.0 launch j.map.2 on n1", "20.0 launch j.map.3 on n1"}));
  EXPECT_EQ(cluster.finish_s("j"), 40);
  EXPECT_EQ(cluster.state().job(JobId{0}).completed_tasks(), 6);
}

// A reduce reads a map's output, and another reduce reads the first one's. They run one after the
// other on n1, for 10 s each. Node n1 is lost at 25 s while the last reduce works. The last needs
// the first reduce again, which needs the map again, though no other task needs the map's output.
TEST(Data, WhatIsMadeAgainMayNeedWhatIsLostToo) {
  Scenario scenario = cluster_of(2, 1, 1, {shuffling(1, 1, 10)});
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

// The same runs on two nodes of one container, and each read takes 4 s. On n2 the map runs until 10
// s and the reduce until 24 s. Then the last reduce starts on n1. Node n2 is lost at 26 s while the
// last still reads. The last makes room for the map, although it waits for the first reduce, which
// can't be requested yet.
TEST(Data, WaitingReducesMakeRoomForMapsFarBeforeThem) {
  Scenario scenario = cluster_of(2, 1, 1, {job_of("filler", 0, 1, 1, 1, 15), shuffling(1, 1, 10)});
  JobSpec& job = scenario.jobs[1];
  job.phases[1].shuffle = bytes(500);
  add_reduces(job, 1, 1, 1, 10);
  job.phases[2].name = "last";
  VirtualCluster cluster(scenario);
  cluster.set_read_time(4);
  cluster.lose_node(NodeId{1}, 26);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(), IsSupersetOf({"24.0 launch j.last.0 on n1", "26.0 kill 3",
                                           "26.0 launch j.map.0 on n1"}));
  EXPECT_EQ(cluster.finish_s("j"), 64);
}

// There are 3 containers, 8 maps of 10 s, and a gang of 3 that has no room until they are done at
// 30 s. By then, a reduce that waits for both phases holds one container. It makes room, because
// otherwise it would wait forever.
TEST(Data, WaitingReducesMakeRoomForGangsOfMaps) {
  Scenario scenario = cluster_of(1, 3, 3, {job_of("j", 0, 8, 1, 1, 10)});
  JobSpec& job = scenario.jobs[0];
  job.phases.push_back(job_of("", 0, 3, 1, 1, 10).phases[0]);
  job.phases[1].name = "gang";
  job.phases[1].gang = true;
  add_reduces(job, 1, 1, 1, 10);
  job.phases[2].after = {0, 1};
  const FinishedRun cluster(scenario);
  EXPECT_THAT(cluster.log(), IsSupersetOf({"20.0 launch j.reduce.0 on n1", "30.0 kill 7",
                                           "30.0 launch j.gang.0 on n1"}));
  EXPECT_EQ(cluster.finish_s("j"), 50);
}

// The order is strict and there are 3 containers. The last map of a runs beside its waiting reduce
// when b comes at 5 s, which goes first and wants all 3. The map fails at 10 s. It has room but not
// its turn, and b does not fit while the reduce waits for that map.
TEST(Data, WaitingReducesMakeRoomForThoseBeforeTheirMaps) {
  Scenario scenario = cluster_of(
      1, 3, 3, "strict_order=true+reserve=false+reduce_ramp_limit=1+reduce_early_start=0");
  scenario.jobs = {shuffling(2, 1, 10), job_of("b", 5, 1, 3, 3, 10)};
  scenario.jobs[1].priority = 1;
  VirtualCluster cluster(scenario);
  cluster.make_fail({{JobId{0}, 0}, 1}, 1, Outcome::kFailed);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(), IsSupersetOf({"0.0 launch j.reduce.0 on n1", "10.0 kill 1"}));
  EXPECT_EQ(cluster.finish_s("b"), 20);
  EXPECT_EQ(cluster.finish_s("j"), 40);
}

// Outputs on a node that is lost after the reduces are done are not needed. Map-only jobs lose
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

// 10 tasks are spread over 9 s: the first starts at once, then one per second, although there is
// room for all.
TEST(Data, StartSpreadGrantsTasksOverTime) {
  Scenario scenario = cluster_of(1, 10, 10, {job_of("j", 0, 10, 1, 1, 100)});
  scenario.jobs[0].phases[0].start_spread = emu_seconds(10);
  const FinishedRun cluster(scenario);
  EXPECT_THAT(cluster.log(), IsSupersetOf({"0.0 launch j.map.0 on n1", "1.0 launch j.map.1 on n1",
                                           "9.0 launch j.map.9 on n1"}));
}

// Spark ----------------------------------------------------------------------------------------

/// Returns a job with `executors` executors of 2 cores, which run 2 stages of `tasks` tasks of 10 s
/// each.
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

// There are 2 executors of 2 threads and stages of 6 tasks. 4 tasks run at 0 s and 2 at 10 s, while
// the other executor waits at the barrier. The same repeats from 20 s on.
TEST(Spark, StagesRunInExecutorsWithABarrierBetween) {
  const FinishedRun cluster(cluster_of(1, 4, 4, {spark("s", 0, 2, 6)}));
  EXPECT_THAT(by_time(cluster.log()),
              ElementsAre("0.0 s.executor.0 on n1, s.executor.1 on n1, run part 1 of stage 0 in 0, "
                          "run part 1 of stage 0 in 1",
                          "10.0 run part 2 of stage 0 in 0",
                          "20.0 run part 3 of stage 1 in 0, run part 2 of stage 1 in 1",
                          "30.0 run part 4 of stage 1 in 0", "40.0 finish 0, finish 1"));
  EXPECT_EQ(cluster.finish_s("s"), 40);
}

// There is room for one executor, which does everything. When its node is lost in the middle of its
// second part, another executor comes and runs that part again.
TEST(Spark, AnExecutorsUnfinishedTasksRunElsewhere) {
  Scenario scenario = cluster_of(2, 2, 2, {job_of("blocker", 0, 1, 2, 2, 12), spark("s", 0, 1, 4)});
  VirtualCluster cluster(scenario);
  cluster.lose_node(NodeId{1}, 15);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(),
              IsSupersetOf({"10.0 run part 2 of stage 0 in 1", "15.0 launch s.executor.0 on n1",
                            "15.0 run part 1 of stage 0 in 2"}));
  EXPECT_EQ(cluster.finish_s("s"), 45);
}

// With yarn-client, b waits until a, which came before it, is done. The MapReduce job does not
// wait.
TEST(Spark, OneClientJobAtATime) {
  Scenario scenario = cluster_of(1, 8, 8);
  scenario.jobs = {spark("a", 0, 1, 2), spark("b", 0, 1, 2), job_of("m", 0, 1, 1, 1, 5)};
  for (int i : {0, 1}) scenario.jobs[i].deploy = Deploy::kYarnClient;
  const FinishedRun cluster(scenario);
  EXPECT_EQ(cluster.finish_s("a"), 20);
  EXPECT_EQ(cluster.wait_s("b"), 20);
  EXPECT_EQ(cluster.finish_s("b"), 40);
  EXPECT_EQ(cluster.wait_s("m"), 0);
}

// With dynamic, there is one executor at first, another after the backlog's first second, and 2
// more after the next.
TEST(Spark, DynamicAsksByBacklog) {
  Scenario scenario = cluster_of(1, 8, 8, {spark("s", 0, 4, 40)});
  scenario.jobs[0].deploy = Deploy::kDynamic;
  EXPECT_THAT(log_of(scenario),
              IsSupersetOf({"0.0 launch s.executor.0 on n1", "1.0 launch s.executor.1 on n1",
                            "2.0 launch s.executor.2 on n1", "2.0 launch s.executor.3 on n1"}));
}

// The driver must run before the job gets executors. It ends with the job.
TEST(Spark, ClusterModeHasItsDriverInAnApplicationMaster) {
  Scenario scenario = cluster_of(1, 8, 8, {spark("s", 0, 2, 4)});
  add_master(scenario.jobs[0], 1, 1);
  const FinishedRun cluster(scenario);
  EXPECT_EQ(cluster.log().front(), "0.0 launch s.am.0 on n1");
  EXPECT_EQ(cluster.log().back(), "20.0 kill 0");
}

// With dynamic, the first stage has 3 parts of 10 s, and there is room for one executor. At 1 s a
// second executor is requested and a node is reserved for it, at 2 s a third. At 10 s the first
// takes the second part, so only one more executor is useful and one node is released.
// VirtualCluster checks this at each step.
TEST(Spark, WhatIsNoLongerAskedForHoldsNoNode) {
  Scenario scenario = cluster_of(3, 2, 2);
  scenario.jobs = {job_of("blocker", 0, 2, 2, 2, 200), spark("s", 0, 4, 6)};
  scenario.jobs[1].deploy = Deploy::kDynamic;
  const FinishedRun cluster(scenario);
  EXPECT_THAT(cluster.log(), Contains(StartsWith("1.0 reserve ")));
  EXPECT_THAT(cluster.log(), Contains(StartsWith("2.0 reserve ")));
  EXPECT_THAT(cluster.log(), Contains("10.0 run part 2 of stage 0 in 2"));
  EXPECT_EQ(cluster.finish_s("s"), 60);
}

}  // namespace heddle::data_test
