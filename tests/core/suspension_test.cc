#include "core/policy/reduces/suspension.h"

#include "core/policy/reduces/framework_shares.h"
#include "core/policy/registry.h"
#include "tests/core/virtual_cluster.h"
#include "tests/support/matchers.h"
#include "tests/support/text.h"

namespace heddle::suspension_test {

double span_s(double lambda, double power, double threshold) {
  return to_seconds(suspend_span(lambda, power, threshold, emu_seconds(300)));
}

// The span is max(0, lambda^v - theta) x 300 s.
TEST(SuspendSpan, IsThePapersRule) {
  EXPECT_DOUBLE_EQ(span_s(0, 1, 0.15), 0);
  EXPECT_DOUBLE_EQ(span_s(0.15, 1, 0.15), 0);
  EXPECT_DOUBLE_EQ(span_s(0.1, 1, 0.15), 0);
  EXPECT_DOUBLE_EQ(span_s(0.25, 1, 0.15), 30);
  EXPECT_DOUBLE_EQ(span_s(0.25, 0.5, 0.15), 105);  // lambda^v is 0.5
  EXPECT_DOUBLE_EQ(span_s(0.25, 2, 0.15), 0);      // lambda^v is 0.0625
  EXPECT_DOUBLE_EQ(span_s(0.5, 2, 0.15), 30);      // lambda^v is 0.25
  EXPECT_DOUBLE_EQ(span_s(0.5, 1, 0), 150);
  EXPECT_DOUBLE_EQ(span_s(1, 1, 0.15), 255);
  EXPECT_DOUBLE_EQ(span_s(1, 0.01, 0), 300);
  EXPECT_DOUBLE_EQ(span_s(1, 1, 1), 0);
}

// The cluster has 8 cores and 16 GiB. From 0 to 10 s Spark has 2 cores and 8 GiB, then 2 cores and
// 2 GiB more. From 5 s on, MapReduce has 4 cores and 4 GiB. At 20 s, Spark has 2 x 10 + 4 x 10 = 60
// of 160 core-seconds and 8 x 10 + 10 x 10 = 180 of 320 GiB-seconds. MapReduce has 60 of 160 and 60
// of 320.
TEST(FrameworkSharesTest, AreAveragesSinceTheLastControlPoint) {
  const auto of = [](int cores, int gib) {
    return Resources{Millicores(1000 * cores), EmuBytes(gib * (1LL << 30))};
  };
  const Resources total = of(8, 16);
  FrameworkShares shares;
  EXPECT_EQ(shares.at(EmuTime(0), total).lambda(), 0);
  shares.hold(JobId{0}, Framework::kSpark, of(2, 8), EmuTime(0));
  EXPECT_EQ(shares.at(EmuTime(0), total).spark, 0.5);  // no time has passed
  EXPECT_EQ(shares.at(EmuTime(0), total).lambda(), 1);
  shares.add(JobId{1}, Framework::kMapReduce, of(4, 4), emu_seconds(5));
  shares.hold(JobId{1}, Framework::kMapReduce, of(4, 4), emu_seconds(5));
  shares.hold(JobId{2}, Framework::kSpark, of(2, 2), emu_seconds(10));
  EXPECT_DOUBLE_EQ(shares.at(emu_seconds(20), total).spark, 180.0 / 320);
  EXPECT_DOUBLE_EQ(shares.at(emu_seconds(20), total).mapreduce, 60.0 / 160);
  EXPECT_DOUBLE_EQ(shares.at(emu_seconds(20), total).lambda(), 0.6);
  // From 20 s on, Spark has 4 cores and 10 GiB for 5 s, then 2 and 8 for 5 s.
  shares.begin_at(emu_seconds(20));
  shares.hold(JobId{1}, Framework::kMapReduce, {}, emu_seconds(20));
  shares.hold(JobId{2}, Framework::kSpark, {}, emu_seconds(25));
  EXPECT_DOUBLE_EQ(shares.at(emu_seconds(30), total).spark, 90.0 / 160);
}

/// Returns a scenario with one node of 4 cores. Job "s", nominally a Spark job, holds one core for
/// 100 s (lambda is 0.25 of the allocated cores if MapReduce holds the other three). Job "j" has
/// `maps` maps of 10 s and two reduces of 5 s, all with a core and 1 GiB. All its maps but the
/// first are requested within a second, so its reduces start at once. T is 20 s and theta is 0.
Scenario one_node(int maps, int gib = 16) {
  Scenario scenario = cluster_of(1, 4, gib);
  JobSpec spark = job_of("s", 0, 1, 1, 1, 100);
  spark.framework = Framework::kSpark;
  JobSpec job = job_of("j", 0, maps, 1, 1, 10);
  job.phases[0].start_spread = emu_seconds(1);
  add_reduces(job, 2, 1, 1, 5);
  scenario.jobs = {spark, job};
  set_policy(scenario,
             "reduce_adjustment=suspend+reduce_early_start=0+reserve=false+control_interval=20+"
             "suspend_threshold=0");
  return scenario;
}

/// Returns the launches on cores of suspended reduces: "21.0 launch j.map.3 on n1".
std::vector<std::string> favoured(const VirtualCluster& cluster) {
  const std::vector<std::string> all = lines_with(cluster.log(), " launch ");
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (cluster.launches()[i].reason == "cores of suspended reduces of its job")
      lines.push_back(all[i]);
  return lines;
}

// Until 20 s the reduces (containers 2 and 3) leave one core for maps. Spark has had 1 core of 4
// and MapReduce 3, so the span is lambda = 1/4 of 20 s. Two more maps run from 21 to 31 s, and the
// reduces run again from 25 s. Job j has 3 cores to 25 s, 5 to 30 s, 4 to 31 s and 3 to 40 s: 15 +
// 25 + 4 + 27 = 71 of 80 core-seconds, so lambda = 0.25 / (0.25 + 0.8875) = 0.2198. Its maps end at
// 51 s and the job at 56 s. It has 3 cores to 44.396 s, 5 to 51 s and 2 to 56 s, which is 56.21 of
// 64, and at 60 s, the last control point, 56.21 of 80. From 80 to 100 s only Spark runs.
TEST(SuspensionTest, StarvedReducesLetTheirCoresGoToMapsOfTheirJob) {
  VirtualCluster cluster(one_node(9));
  cluster.set_stop_time(1);
  cluster.finish();
  EXPECT_THAT(lines_with(cluster.log(), "sus"),
              ElementsAre("20.0 suspend 2: starved: its maps wait for containers; for 5s",
                          "20.0 suspend 3: starved: its maps wait for containers; for 5s",
                          "40.0 suspend 2: starved: its maps wait for containers; for 4.395604s",
                          "40.0 suspend 3: starved: its maps wait for containers; for 4.395604s"));
  EXPECT_THAT(lines_with(cluster.log(), "resume"),
              ElementsAre("25.0 resume 2: its time is over", "25.0 resume 3: its time is over",
                          "44.4 resume 2: its time is over", "44.4 resume 3: its time is over"));
  EXPECT_THAT(by_time(favoured(cluster)), ElementsAre("21.0 j.map.3 on n1, j.map.4 on n1",
                                                      "41.0 j.map.6 on n1, j.map.7 on n1"));
  EXPECT_THAT(
      lines_with(cluster.notes(), "ikayak"),
      ElementsAre("20.0 ikayak.lambda lambda 0.25 spark 0.25 mapreduce 0.75 suspend_s 5",
                  "40.0 ikayak.lambda lambda 0.2198 spark 0.25 mapreduce 0.8875 suspend_s 4.396",
                  "56.0 ikayak.lambda lambda 0.2216 spark 0.25 mapreduce 0.8783 suspend_s 4.432",
                  "60.0 ikayak.lambda lambda 0.2624 spark 0.25 mapreduce 0.7026 suspend_s 5.249",
                  "100.0 ikayak.lambda lambda 1 spark 0.25 mapreduce 0 suspend_s 20"));
  EXPECT_THAT(cluster.remembered_s(), IsSupersetOf({20.0, 40.0}));
}

TEST(SuspensionTest, NothingWithoutSparkOrWithoutStarvedReduces) {
  Scenario alone = one_node(9);
  alone.jobs[0].framework = Framework::kMapReduce;
  const FinishedRun no_spark(alone);
  EXPECT_THAT(lines_with(no_spark.log(), "suspend"), IsEmpty());
  EXPECT_THAT(lines_with(no_spark.notes(), "ikayak"), IsEmpty());

  Scenario late = one_node(9);
  set_policy(late, "reduce_early_start", "1");
  EXPECT_THAT(lines_with(FinishedRun(late).log(), "suspend"), IsEmpty());

  Scenario few = one_node(1);  // its map has a container
  few.jobs[1].phases[0].sleep.mean *= 5;
  EXPECT_THAT(lines_with(FinishedRun(few).log(), "suspend"), IsEmpty());
}

// The span is a part of 20 s: the square of 1/4 is 1.25 s, its root 10 s, and the excess over 0.15
// 2 s.
TEST(SuspensionTest, ThePowerAndTheThresholdAreTheScenarios) {
  const auto first_resume = [](const char* power, const char* threshold) {
    Scenario scenario = one_node(9);
    set_policy(scenario, "suspend_power", power);
    set_policy(scenario, "suspend_threshold", threshold);
    const FinishedRun cluster(scenario);
    const auto lines = lines_with(cluster.log(), "resume");
    return lines.empty() ? std::string() : lines.front();
  };
  EXPECT_EQ(first_resume("2", "0"), "21.2 resume 2: its time is over");
  EXPECT_EQ(first_resume("0.5", "0"), "30.0 resume 2: its time is over");
  EXPECT_EQ(first_resume("1", "0.15"), "22.0 resume 2: its time is over");
  EXPECT_EQ(first_resume("1", "0.9"), "");
}

// When all cores belong to j, its last map is running or done.
TEST(SuspensionTest, ResumedAsSoonAsItsMapsAreComplete) {
  Scenario scenario = one_node(5);
  set_policy(scenario, "suspend_power", "0.01");
  VirtualCluster cluster(scenario);
  cluster.set_stop_time(1);
  EXPECT_TRUE(cluster.run());
  EXPECT_THAT(by_time(favoured(cluster)), ElementsAre("21.0 j.map.3 on n1, j.map.4 on n1"));
  EXPECT_THAT(
      lines_with(cluster.log(), "resume"),
      ElementsAre("31.0 resume 2: its maps are complete", "31.0 resume 3: its maps are complete"));
  EXPECT_EQ(cluster.finish_s("j"), 36);
}

// With v = 1/2, lambda = 1/4 at 20 s gives 10 s of 20. The Spark job ends at 22 s. Job "k" is
// submitted at 26 s. Since the control point, Spark has had a core for 2 of 6 s, 2 of 24
// core-seconds. Job j has had 3 cores for 2 s and 4 for 4 s, 22 of 24. So lambda = 1/12, and its
// root gives 5.8 s, which are over.
TEST(SuspensionTest, ASubmissionMovesTheEndOfSuspensionsIfLambdaIsComputedThen) {
  for (const auto& [at, resumed] :
       {std::pair("submission", "26.0 resume"), std::pair("interval", "30.0 resume")}) {
    Scenario scenario = one_node(20);
    scenario.jobs[0] = job_of("s", 0, 1, 1, 1, 22);
    scenario.jobs[0].framework = Framework::kSpark;
    scenario.jobs.push_back(job_of("k", 26, 1, 1, 1, 1));
    set_policy(scenario, "lambda_at", at);
    set_policy(scenario, "suspend_power", "0.5");
    const FinishedRun cluster(scenario);
    EXPECT_THAT(lines_with(cluster.log(), "resume").front(), HasSubstr(resumed)) << at;
    EXPECT_THAT(lines_with(cluster.notes(), "26.0 ikayak"),
                SizeIs(at == std::string("submission") ? 1 : 0));
  }
}

// Job "k" has the highest priority and would take everything that is free.
TEST(SuspensionTest, OthersHaveWhatTheirMapsLeaveOnly) {
  Scenario scenario = one_node(9);
  JobSpec first = job_of("k", 15, 40, 1, 1, 4);
  first.priority = 5;
  scenario.jobs.push_back(first);
  VirtualCluster cluster(scenario);
  cluster.set_stop_time(1);
  EXPECT_TRUE(cluster.run());
  EXPECT_THAT(lines_with(cluster.log(), "20.0 launch"), ElementsAre("20.0 launch k.map.0 on n1"));
  EXPECT_THAT(by_time(lines_with(cluster.log(), "21.0 launch")),
              ElementsAre("21.0 j.map.2 on n1, j.map.3 on n1"));
}

// The suspended reduces free a core and a half, and a map takes one.
TEST(SuspensionTest, NoMoreThanWasLetGo) {
  Scenario scenario = one_node(9);
  scenario.jobs[1].phases[1].request.cores = Millicores(750);
  JobSpec first = job_of("k", 15, 40, 0, 1, 4);
  first.phases[0].request.cores = Millicores(500);
  first.priority = 5;
  scenario.jobs.push_back(first);
  VirtualCluster cluster(scenario);
  cluster.set_stop_time(1);
  EXPECT_TRUE(cluster.run());
  EXPECT_EQ(favoured(cluster).front(), "21.0 launch j.map.2 on n1");
  EXPECT_THAT(lines_with(favoured(cluster), "21.0"), SizeIs(1));
  EXPECT_THAT(lines_with(cluster.log(), "21.0 launch k"), SizeIs(1));
}

// Job j has 3 cores to 45 s, 5 to 50 s and 3 to 60 s, 70 of 80: lambda = 0.25 / 1.125, which gives
// 4.4 s.
TEST(SuspensionTest, ARefusedStopIsAskedForAgainAtTheNextControlPoint) {
  VirtualCluster cluster(one_node(9));
  cluster.refuse_suspensions(2);
  cluster.finish();
  EXPECT_THAT(lines_with(cluster.log(), "suspend "),
              ElementsAre(HasSubstr("20.0 suspend 2"), HasSubstr("20.0 suspend 3"),
                          HasSubstr("40.0 suspend 2"), HasSubstr("40.0 suspend 3"),
                          HasSubstr("60.0 suspend 2"), HasSubstr("60.0 suspend 3")));
  EXPECT_THAT(lines_with(cluster.log(), "resume "),
              ElementsAre(HasSubstr("45.0 resume 2"), HasSubstr("45.0 resume 3"),
                          HasSubstr("64.4 resume 2"), HasSubstr("64.4 resume 3")));
}

TEST(SuspensionTest, AStopThatIsConfirmedTooLateEndsAtOnce) {
  VirtualCluster cluster(one_node(9));
  cluster.set_stop_time(8);
  cluster.finish();
  const auto resumes = lines_with(cluster.log(), "resume ");
  ASSERT_GE(resumes.size(), 2U);
  EXPECT_EQ(resumes[0], "28.0 resume 2: its time is over");
  EXPECT_THAT(favoured(cluster), IsEmpty());
}

// The running containers are 0 (s), 2, 3 and maps, so the second one is a suspended reduce.
TEST(SuspensionTest, OneThatDiesWhileSuspendedIsForgotten) {
  VirtualCluster cluster(one_node(9));
  cluster.set_stop_time(1);
  cluster.end_one(1, Outcome::kFailed, 22);
  cluster.finish();
  EXPECT_THAT(lines_with(cluster.log(), "25.0 resume"),
              ElementsAre("25.0 resume 3: its time is over"));
  EXPECT_EQ(cluster.state().job(JobId{1}).state(), JobState::kCompleted);
}

TEST(SuspensionTest, GoesWithItsNodeAndTheJobWithAnother) {
  Scenario scenario = one_node(12);
  scenario.cluster.nodes.push_back(scenario.cluster.nodes[0]);
  scenario.cluster.nodes[1].name = "n2";
  scenario.jobs[1].phases[1].tasks = 4;
  VirtualCluster cluster(scenario);
  cluster.set_stop_time(1);
  cluster.lose_node(NodeId{0}, 22);
  cluster.finish();
  EXPECT_THAT(lines_with(cluster.log(), "20.0 suspend"), Not(IsEmpty()));
  EXPECT_EQ(cluster.state().job(JobId{1}).state(), JobState::kCompleted);
}

// The reduces (containers 2 and 3) leave one of four GiB for maps. At 20 s a map ends and "k" takes
// its memory, so the cores of the reduces are of no use. Once both have stopped, the younger is
// killed.
TEST(SuspensionTest, WhatHoldsTheMemoryOfItsMapsIsKilledSuspendedOrNot) {
  Scenario scenario = one_node(9, 4);
  set_policy(scenario, "suspend_power", "0.01");
  JobSpec first = job_of("k", 15, 2, 1, 1, 30);
  first.priority = 5;
  scenario.jobs.push_back(first);
  VirtualCluster cluster(scenario);
  cluster.set_stop_time(1);
  cluster.finish();
  EXPECT_THAT(lines_with(cluster.log(), "20.0 suspend"),
              ElementsAre(HasSubstr("suspend 2"), HasSubstr("suspend 3")));
  EXPECT_THAT(lines_with(cluster.log(), " kill "), ElementsAre("21.0 kill 3"));
  EXPECT_EQ(cluster.state().job(JobId{1}).state(), JobState::kCompleted);
}

TEST(SuspensionTest, WorksWhereNodesAreOfferedOnTheirHeartbeats) {
  Scenario scenario = one_node(9);
  scenario.cluster.dispatch = Dispatch::kHeartbeat;
  scenario.cluster.heartbeat = emu_seconds(1);
  const FinishedRun cluster(scenario);
  EXPECT_THAT(lines_with(cluster.log(), "20.0 suspend"), SizeIs(2));
  EXPECT_FALSE(favoured(cluster).empty());
  EXPECT_EQ(cluster.state().job(JobId{1}).state(), JobState::kCompleted);
}

// There are six cores and 16 GiB. Tasks count 1/6. Reduces of two cores and a GiB count 2/6, or
// 1/16 while suspended.
TEST(SuspensionTest, PoolsOfDressCountTheMemoryOfWhatIsSuspended) {
  Scenario scenario = one_node(9);
  std::erase_if(scenario.policy.options,
                [](const auto& option) { return option.first == "reserve"; });
  set_policy(scenario, "scheduler=dress+dress_indicator=0+initial_ratio=0");
  scenario.cluster.nodes[0].capacity.cores = scenario.cluster.nodes[0].allowance.cores =
      Millicores(6000);
  scenario.jobs[1].phases[1].request.cores = Millicores(2000);
  const FinishedRun cluster(scenario);
  // Spark's task and two reduces are 5/6.
  EXPECT_THAT(lines_with(cluster.notes(), "20.0 dress.ratio").front(), HasSubstr("used 0/0.8333"));
  // Spark's task, five maps and two suspended reduces are 1 + 2/16. Then the two reduces have their
  // cores again: 10/6.
  EXPECT_THAT(lines_with(cluster.notes(), "21.0 dress.ratio").front(), HasSubstr("used 0/1.125"));
  EXPECT_THAT(lines_with(cluster.notes(), "24.0 dress.ratio").front(), HasSubstr("used 0/1.667"));
  EXPECT_EQ(cluster.state().job(JobId{1}).state(), JobState::kCompleted);
}

}  // namespace heddle::suspension_test
