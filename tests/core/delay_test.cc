#include "core/policy/locality/delay.h"

#include "core/scenario/draw.h"
#include "tests/core/virtual_cluster.h"
#include "tests/support/matchers.h"

namespace heddle::delay_test {

/// Returns a scenario with n1 and n2 in rack r1 and n3 in r2. They have 2 cores each and report
/// once per second, one after the other. Job "j" with tasks of 2 cores and 1 s comes at 0 and has
/// its data on n1. The option "delay" is on for mapreduce, with 3 opportunities for the node and 2
/// more for the rack.
Scenario racks(int tasks) {
  Scenario scenario = cluster_of(3, 2, 4);
  scenario.cluster.dispatch = Dispatch::kHeartbeat;
  scenario.cluster.nodes[0].rack = scenario.cluster.nodes[1].rack = "r1";
  scenario.cluster.nodes[2].rack = "r2";
  scenario.jobs = {job_of("j", 0, tasks, 2, 1, 1)};
  scenario.jobs[0].phases[0].prefer = {NodeId{0}};
  set_policy(scenario, "reserve=false+delay=mapreduce+node_delay=3+rack_delay=2");
  return scenario;
}

/// Keeps the node full for that time with a task of higher priority, which fits only there.
void block(Scenario& scenario, int node, double seconds) {
  JobSpec job = job_of("block" + std::to_string(node), 0, 1, 2, 4, seconds);
  job.priority = 1;
  scenario.jobs.push_back(job);
}

std::vector<std::string> launches_of_j(const VirtualCluster& cluster) {
  std::vector<std::string> lines;
  for (const std::string& line : cluster.log())
    if (line.find(" j.") != std::string::npos) lines.push_back(line);
  return lines;
}

std::vector<std::string> run(const Scenario& scenario) {
  return launches_of_j(FinishedRun(scenario));
}

TEST(Delay, LocalAtOnce) { EXPECT_THAT(run(racks(1)), ElementsAre("0.0 launch j.map.0 on n1")); }

// Node n1 is taken. The opportunities are n2, n3, n2, n3. The next one on n2 comes after 3, so a
// node in the rack is accepted.
TEST(Delay, AfterNodeDelayTheRackWillDo) {
  Scenario scenario = racks(1);
  block(scenario, 1, 100);
  EXPECT_THAT(run(scenario), ElementsAre("2.0 launch j.map.0 on n2"));
}

// Only n3 is left. Five opportunities pass, from 0 to 4 s.
TEST(Delay, AfterRackDelayMoreAnyNodeWillDo) {
  Scenario scenario = racks(1);
  block(scenario, 1, 100);
  block(scenario, 2, 100);
  const FinishedRun cluster(scenario);
  EXPECT_THAT(launches_of_j(cluster), ElementsAre("5.0 launch j.map.0 on n3"));
  // Only the steps that counted must be in the journal, so that a replay counts the same.
  EXPECT_THAT(cluster.remembered_s(), ElementsAre(3e-6, 1.000003, 2.000003, 3.000003, 4.000003));
}

TEST(Delay, OffOrWithoutPatienceOrPreference) {
  Scenario scenario = racks(1);
  block(scenario, 1, 100);
  Scenario off = scenario;
  set_policy(off, "delay", "none");
  EXPECT_THAT(run(off), ElementsAre("0.0 launch j.map.0 on n2"));
  Scenario other = scenario;  // on for another framework's jobs
  set_policy(other, "delay", "spark");
  EXPECT_THAT(run(other), ElementsAre("0.0 launch j.map.0 on n2"));
  other.jobs[0].framework = Framework::kSpark;
  EXPECT_THAT(run(other), ElementsAre("2.0 launch j.map.0 on n2"));
  Scenario both = other;
  set_policy(both, "delay", "both");
  EXPECT_THAT(run(both), ElementsAre("2.0 launch j.map.0 on n2"));
  Scenario hasty = scenario;
  set_policy(hasty, "node_delay", "0");
  EXPECT_THAT(run(hasty), ElementsAre("0.0 launch j.map.0 on n2"));
  Scenario anywhere = scenario;
  anywhere.jobs[0].phases[0].prefer.clear();
  const FinishedRun cluster(anywhere);
  EXPECT_THAT(launches_of_j(cluster), ElementsAre("0.0 launch j.map.0 on n2"));
  EXPECT_THAT(cluster.remembered_s(), IsEmpty());
}

// There are two tasks. Node n1 is free for one of them from 1 s on and again at 2 s. The
// opportunities n2 and n3 pass at 0 and 1 s, 4 in all, but the local launch at 1 s, between the 2nd
// and the 3rd, restarts the count.
TEST(Delay, ALocalLaunchBeginsTheCountAnew) {
  Scenario scenario = racks(3);
  block(scenario, 1, 1);
  EXPECT_THAT(run(scenario), ElementsAre("1.0 launch j.map.0 on n1", "2.0 launch j.map.1 on n1",
                                         "3.0 launch j.map.2 on n1"));
  scenario.jobs[0].phases[0].sleep.mean = 100e6;  // n1 is not free again
  // After 1 s, the opportunities are n2, n3, n2 and n3, until 2 s. At 3 s, n2 is accepted. Then n3
  // is the 5th to pass, because launches elsewhere neither reset the count nor count.
  EXPECT_THAT(run(scenario), ElementsAre("1.0 launch j.map.0 on n1", "3.0 launch j.map.1 on n2",
                                         "4.0 launch j.map.2 on n3"));
}

// Two phases of a job pass on n2 in the same report, which is one opportunity of the job.
TEST(Delay, IsCountedOnceANodeAndReport) {
  Scenario scenario = racks(1);
  scenario.jobs[0].phases.push_back(scenario.jobs[0].phases[0]);
  scenario.jobs[0].phases[1].name = "more";
  block(scenario, 1, 100);
  EXPECT_THAT(run(scenario), ElementsAre("2.0 launch j.map.0 on n2", "3.0 launch j.more.0 on n2"));
}

// While a job waits for its node, other jobs overtake it.
TEST(Delay, OthersTakeWhatAJobLetsPass) {
  Scenario scenario = racks(1);
  block(scenario, 1, 100);
  scenario.jobs.push_back(job_of("k", 0, 2, 2, 1, 1));
  EXPECT_THAT(log_of(scenario),
              IsSupersetOf({"0.0 launch k.map.0 on n2", "0.0 launch k.map.1 on n3"}));
}

// With `immediate`, every step in which the job could have had a container is one opportunity,
// however many nodes there are. If nothing happens, there is one step per heartbeat period. Several
// steps at the same time count once, as at 0 s (submission, starts).
TEST(Delay, WhereAnyNodeMayHaveItAStepIsAnOpportunity) {
  Scenario scenario = racks(1);
  block(scenario, 1, 100);
  scenario.cluster.dispatch = Dispatch::kImmediate;
  const FinishedRun cluster(scenario);
  EXPECT_THAT(launches_of_j(cluster), ElementsAre("3.0 launch j.map.0 on n2"));
  EXPECT_THAT(cluster.remembered_s(), ElementsAre(0, 1, 2));
  block(scenario, 2, 100);
  EXPECT_THAT(launches_of_j(FinishedRun(scenario)), ElementsAre("5.0 launch j.map.0 on n3"));
}

/// Returns a scenario with three empty nodes. The Spark job "j" has one executor of 2 cores, which
/// reads a block on n2.
Scenario spark_with_data_on_n2(const char* delay) {
  Scenario scenario = racks(1);
  JobSpec& job = scenario.jobs[0];
  job.framework = Framework::kSpark;
  job.phases[0].name = "executor";
  job.phases[0].kind = PhaseKind::kExecutor;
  job.phases[0].threads = 1;
  job.phases[0].prefer = {};
  job.phases[0].sleep = {};
  StageSpec stage;
  stage.cpu = {Drawn::Dist::kConstant, 1e6, 0};
  stage.input = {Drawn::Dist::kConstant, 1 << 20, 0};
  job.stages = {stage};
  scenario.storage.replicas = 1;
  while (stage_reads(scenario, JobId{0}, 0, 0, 1)[0].from[0] != NodeId{1}) ++scenario.seed;
  set_policy(scenario, "delay", delay);
  return scenario;
}

std::string node_of_executor(const Scenario& scenario) {
  const std::vector<std::string> lines = run(scenario);
  for (const std::string& line : lines)
    if (line.find("launch") != std::string::npos) return line.substr(line.size() - 2);
  return "none";
}

TEST(Delay, ExecutorsGoWhereTheBlocksOfTheirFirstStageAre) {
  EXPECT_EQ(node_of_executor(spark_with_data_on_n2("none")), "n1");
  EXPECT_EQ(node_of_executor(spark_with_data_on_n2("mapreduce")), "n1");
  EXPECT_EQ(node_of_executor(spark_with_data_on_n2("spark")), "n2");
  EXPECT_EQ(node_of_executor(spark_with_data_on_n2("both")), "n2");
}

// Node n2 is taken. After 3 opportunities, n1 in the same rack is accepted, before n3.
TEST(Delay, ExecutorsWaitNoLongerThanTheDelay) {
  Scenario scenario = spark_with_data_on_n2("both");
  block(scenario, 0, 1);
  block(scenario, 1, 100);
  const FinishedRun cluster(scenario);
  EXPECT_GE(cluster.wait_s("j"), 1);
  EXPECT_LT(cluster.wait_s("j"), 4);
  EXPECT_EQ(node_of_executor(scenario), "n1");
}

// To Algorithm 1 all nodes are equal. If it may choose, it takes the first, n1.
TEST(Delay, HoldsForExecutorsThatArePlacedOverTheWholeCluster) {
  for (Dispatch dispatch : {Dispatch::kImmediate, Dispatch::kHeartbeat}) {
    for (const char* delay : {"none", "spark"}) {
      Scenario scenario = spark_with_data_on_n2(delay);
      scenario.cluster.dispatch = dispatch;
      std::erase_if(scenario.policy.options,
                    [](const auto& option) { return option.first == "reserve"; });
      set_policy(scenario, "executor_placement", "reservation-aware");
      const std::string expected = delay == std::string("none") ? "n1" : "n2";
      EXPECT_EQ(node_of_executor(scenario), expected);
    }
  }
}

}  // namespace heddle::delay_test
