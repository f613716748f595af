#include "core/policy/scheduler/haste/map_stages.h"
#include "tests/core/virtual_cluster.h"
#include "tests/sim/random_scenario.h"
#include "tests/support/matchers.h"

namespace heddle::haste_test {

/// Returns a scenario without initial assignment.
Scenario haste_cluster(int nodes, int cores, int gib, const std::string& preset = "haste") {
  return cluster_of(nodes, cores, gib, preset + "+initial_assignment=none");
}

std::vector<std::string> reasons_of(const Scenario& scenario) {
  const FinishedRun cluster(scenario);
  std::vector<std::string> reasons;
  for (const Action& launch : cluster.launches()) reasons.push_back(launch.reason);
  return reasons;
}

// The cluster is one node. Empty, C = (1, 1): a scores 1/4 + 1/4, b scores 2/4 + 2/4, and both are
// equally urgent, so b comes first. Then C = (1/2, 1/2), and half of b's maps have a container but
// none of a's, so b comes again.
TEST(Haste, FitnessAndUrgencyByHand) {
  Scenario scenario = haste_cluster(1, 4, 4);
  scenario.jobs = {job_of("a", 0, 4, 1, 1, 5), job_of("b", 0, 2, 2, 2, 5)};
  EXPECT_THAT(by_time(log_of(scenario)),
              ElementsAre("0.0 b.map.0 on n1, b.map.1 on n1",
                          "5.0 a.map.0 on n1, a.map.1 on n1, a.map.2 on n1, a.map.3 on n1"));
  EXPECT_THAT(reasons_of(scenario), ElementsAre("fits: fitness 1, urgency 1, alignment 0",
                                                "fits: fitness 0.5, urgency 1.5, alignment 0",
                                                "fits: fitness 0.5, urgency 1, alignment 0",
                                                "fits: fitness 0.375, urgency 1.25, alignment 0",
                                                "fits: fitness 0.25, urgency 1.5, alignment 0",
                                                "fits: fitness 0.125, urgency 1.75, alignment 0"));
}

// At 5 s <2, 2> are free. The reduce whose map is done has the largest urgency and the smallest
// fitness. For the map of wide it is the reverse. Both score 1, and the more urgent wins. By
// fitness alone, wide would win.
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

// At 10 s half of the maps are complete. One more starts, so 3 of 4 have been allocated. Then the
// next map (1 + 3/4) competes with the early reduce, of which none has a container. Its urgency is
// 9/16, or, if balanced, the map's and 3/4.
TEST(Haste, EarlyReducesDeferredOrBalanced) {
  Scenario scenario = haste_cluster(1, 2, 2);
  scenario.jobs = {job_of("j", 0, 4, 1, 1, 10)};
  add_reduces(scenario.jobs[0], 1, 1, 1, 10);
  EXPECT_THAT(by_time(log_of(scenario)),
              ElementsAre("0.0 j.map.0 on n1, j.map.1 on n1", "10.0 j.map.2 on n1, j.map.3 on n1",
                          "20.0 j.reduce.0 on n1"));
  set_policy(scenario, "urgency", "balanced");
  EXPECT_THAT(
      by_time(log_of(scenario)),
      ElementsAre("0.0 j.map.0 on n1, j.map.1 on n1", "10.0 j.map.2 on n1, j.reduce.0 on n1",
                  "20.0 j.map.3 on n1", "30.0 inputs ready for 3"));
  EXPECT_EQ(reasons_of(scenario)[3], "fits: fitness 0.5, urgency 2.5, alignment 0");
}

// Reduces that are larger than maps have the larger fitness and the smaller urgency, 1 against 1,
// so they wait.
TEST(Haste, LargerEarlyReducesDoNotPassMaps) {
  Scenario scenario = haste_cluster(1, 2, 8);
  scenario.jobs = {job_of("j", 0, 4, 1, 1, 10)};
  add_reduces(scenario.jobs[0], 1, 1, 2, 10);
  EXPECT_THAT(by_time(log_of(scenario)),
              ElementsAre("0.0 j.map.0 on n1, j.map.1 on n1", "10.0 j.map.2 on n1, j.map.3 on n1",
                          "20.0 j.reduce.0 on n1"));
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
    Scenario scenario = sim::random_scenario(seed, "ffd-dp");
    const std::vector<std::string> expected = log_of(scenario);
    set_policy(scenario, "haste+initial_assignment=none+urgency=none");
    EXPECT_EQ(log_of(scenario), expected);
  }
}

/// Returns what is launched at that second, without the node: "q.map.3".
std::vector<std::string> launched_at(const VirtualCluster& cluster, const std::string& second) {
  std::vector<std::string> tasks;
  const std::string begin = second + " launch ";
  for (const std::string& line : cluster.log())
    if (line.starts_with(begin))
      tasks.push_back(line.substr(begin.size(), line.find(" on ") - begin.size()));
  return tasks;
}

/// Returns a scenario whose last node has 16 cores and 16 GiB. At 10 s, the last of q's 4 maps and
/// the last of r's 5 fail, while the others complete. Job p came at 5 s and did not fit until then.
/// Job "hold" continues.
Scenario candidates(int nodes) {
  Scenario scenario = haste_cluster(nodes, 16, 16);
  scenario.jobs = {job_of("hold", 0, 1, 1, 1, 100), job_of("q", 0, 4, 2, 2, 10),
                   job_of("r", 0, 5, 1, 1, 10), job_of("p", 5, 1, 4, 4, 10)};
  return scenario;
}

std::vector<std::string> chosen_at_10(const Scenario& scenario) {
  VirtualCluster cluster(scenario);
  cluster.make_fail({{JobId{1}, 0}, 3}, 1, Outcome::kFailed);
  cluster.make_fail({{JobId{2}, 0}, 4}, 1, Outcome::kFailed);
  EXPECT_TRUE(cluster.run());
  EXPECT_EQ(cluster.refused(), 0);
  return launched_at(cluster, "10.0");
}

// As many cores as GiB are free, so fitness is 4 for p, 2 for q and 1 for r, normalized 1, 1/3, 0.
// Urgencies are 1, 1 + 3/4 and 1 + 4/5, normalized 0, 15/16, 1. q scores 1.27, the others 1. Of
// these, r is more urgent than p.
TEST(HasteCandidates, ByHand) {
  EXPECT_THAT(chosen_at_10(candidates(1)), ElementsAre("q.map.3", "r.map.4", "p.map.0"));
}

// Masters may hold 1.6 cores and first's holds one, so second's may not start. If its urgency of 3
// counted, the others would have 0, 0.375 and 0.4, and p with 1 would overtake q with 0.71.
TEST(HasteCandidates, NoMasterBeyondItsShare) {
  Scenario scenario = candidates(1);
  scenario.jobs[0] = job_of("first", 0, 1, 1, 1, 100);
  add_master(scenario.jobs[0], 1, 1);
  scenario.jobs.push_back(job_of("second", 5, 1, 1, 1, 10));
  add_master(scenario.jobs.back(), 1, 1);
  EXPECT_THAT(chosen_at_10(scenario), ElementsAre("q.map.3", "r.map.4", "p.map.0"));
}

// Job early has two maps, and one is complete. The other fits nowhere, and while it waits and no
// map runs, the ramp holds back the reduce. If the reduce's urgency of 1/4 counted, the others
// would have 0.48, 0.97 and 1, and p with 1.48 would overtake q with 1.30.
TEST(HasteCandidates, NoEarlyReduceBehindTheRamp) {
  Scenario scenario = candidates(1);
  JobSpec early = job_of("early", 1, 1, 1, 1, 9);
  early.phases.push_back(early.phases[0]);
  early.phases[1].name = "large";
  early.phases[1].request = size_of(16, 16);
  add_reduces(early, 1, 1, 1, 10);
  early.phases[2].after = {0, 1};
  scenario.jobs.push_back(early);
  set_policy(scenario, "reduce_early_start", "0.5");
  EXPECT_THAT(chosen_at_10(scenario), ElementsAre("q.map.3", "r.map.4", "p.map.0"));
}

// The map of "near" ends at 10 s. Its reduce waits for n1, which hold uses alone. If the reduce's
// urgency of 3 counted, the others would have the values as with a master.
TEST(HasteCandidates, NothingThatWaitsForANodeNearItsData) {
  Scenario scenario = candidates(2);
  scenario.cluster.nodes[0].capacity = scenario.cluster.nodes[0].allowance =
      scenario.jobs[0].phases[0].request;
  JobSpec near = job_of("near", 1, 1, 1, 1, 9);
  add_reduces(near, 1, 1, 1, 10);
  near.phases[1].prefer = {NodeId{0}};
  scenario.jobs.push_back(near);
  set_policy(scenario, "delay", "mapreduce");
  EXPECT_THAT(chosen_at_10(scenario), ElementsAre("q.map.3", "r.map.4", "p.map.0"));
}

// Node n1 is taken for 100 s. On n2, with 2 cores and 2 GiB, the maps of x run first, from 0 to 20
// s. The turn of near comes only then, so it lets its one opportunity pass at 20 s.
TEST(HasteCandidates, AskingIsNoOpportunity) {
  Scenario scenario = haste_cluster(2, 2, 2);
  scenario.cluster.dispatch = Dispatch::kHeartbeat;
  scenario.jobs = {job_of("hold", 0, 1, 2, 2, 100), job_of("x", 0, 2, 2, 2, 10),
                   job_of("near", 0, 1, 1, 1, 10)};
  scenario.jobs[2].phases[0].prefer = {NodeId{0}};
  set_policy(scenario, "delay=mapreduce+node_delay=1");
  EXPECT_THAT(by_time(log_of(scenario)),
              ElementsAre("0.0 hold.map.0 on n1, x.map.0 on n2", "10.0 x.map.1 on n2",
                          "21.0 near.map.0 on n2"));
}

// The largest product is that of <3, 3>, beside which nothing fits. Two <2, 2> fill the node.
TEST(HasteInitial, ANodeIsFilledAsAKnapsack) {
  Scenario scenario = haste_cluster(1, 4, 4);
  scenario.jobs = {job_of("big", 0, 1, 3, 3, 10), job_of("half", 0, 2, 2, 2, 10)};
  EXPECT_EQ(log_of(scenario)[0], "0.0 launch big.map.0 on n1");
  set_policy(scenario, "initial_assignment", "knapsack");
  EXPECT_THAT(by_time(log_of(scenario)),
              ElementsAre("0.0 half.map.0 on n1, half.map.1 on n1", "10.0 big.map.0 on n1"));
  EXPECT_THAT(reasons_of(scenario),
              ElementsAre(StartsWith("initial assignment: fitness "),
                          StartsWith("initial assignment: fitness "), StartsWith("fits: ")));
}

// At 10 s no task runs, but the batch is the same, so the preference applies and big goes first.
// With another knapsack, the node would get the two tasks of "more".
TEST(HasteInitial, OncePerBatchNotBetweenItsWaves) {
  Scenario scenario = haste_cluster(1, 4, 4);
  set_policy(scenario, "initial_assignment", "knapsack");
  scenario.jobs = {job_of("half", 0, 2, 2, 2, 10), job_of("more", 0, 2, 2, 2, 10),
                   job_of("big", 0, 1, 3, 3, 10)};
  EXPECT_THAT(by_time(log_of(scenario)),
              ElementsAre("0.0 half.map.0 on n1, half.map.1 on n1", "10.0 big.map.0 on n1",
                          "20.0 more.map.0 on n1, more.map.1 on n1"));
}

// The first batch is over at 10 s. The next is planned when it comes at 20 s.
TEST(HasteInitial, EachBatchHasItsOwn) {
  Scenario scenario = haste_cluster(1, 4, 4);
  set_policy(scenario, "initial_assignment", "knapsack");
  scenario.jobs = {job_of("first", 0, 1, 4, 4, 10), job_of("big", 20, 1, 3, 3, 10),
                   job_of("half", 20, 2, 2, 2, 10)};
  EXPECT_THAT(by_time(log_of(scenario)),
              ElementsAre("0.0 first.map.0 on n1", "20.0 half.map.0 on n1, half.map.1 on n1",
                          "30.0 big.map.0 on n1"));
}

// The node reports once per second. All jobs that come before its report at 1 s are one batch, even
// if a master has started at 0 s.
TEST(HasteInitial, TakesInWhatComesBeforeTheFirstTaskStarts) {
  Scenario scenario = haste_cluster(1, 4, 4);
  scenario.cluster.dispatch = Dispatch::kHeartbeat;
  set_policy(scenario, "initial_assignment", "knapsack");
  scenario.jobs = {job_of("big", 0.1, 1, 3, 3, 10), job_of("half", 0.2, 2, 2, 2, 10)};
  const auto filled =
      ElementsAre("1.0 launch half.map.0 on n1", "1.0 launch half.map.1 on n1", HasSubstr("big"));
  EXPECT_THAT(log_of(scenario), filled);

  Scenario with_master = haste_cluster(1, 5, 5);
  with_master.cluster.dispatch = Dispatch::kHeartbeat;
  set_policy(with_master, "initial_assignment", "knapsack");
  with_master.jobs = {job_of("big", 0, 1, 3, 3, 10), job_of("half", 0.5, 2, 2, 2, 10)};
  add_master(with_master.jobs[0], 1, 1);
  const FinishedRun cluster(with_master);
  EXPECT_THAT(launched_at(cluster, "0.0"), ElementsAre("big.am.0"));
  EXPECT_THAT(launched_at(cluster, "1.0"), ElementsAre("half.map.0", "half.map.1"));
}

// The jobs big and half come while first runs, so the preference applies and the larger goes first.
TEST(HasteInitial, OnlyOnAnIdleCluster) {
  Scenario scenario = haste_cluster(1, 8, 8);
  set_policy(scenario, "initial_assignment", "knapsack");
  scenario.jobs = {job_of("first", 0, 1, 4, 4, 10), job_of("big", 1, 1, 3, 3, 10),
                   job_of("half", 1, 2, 2, 2, 10)};
  EXPECT_THAT(by_time(log_of(scenario)), ElementsAre("0.0 first.map.0 on n1", "1.0 big.map.0 on n1",
                                                     "10.0 half.map.0 on n1, half.map.1 on n1"));
}

// Application masters are not planned. A step that plans is remembered.
TEST(HasteInitial, ApplicationMastersAreNoTasks) {
  Scenario scenario = haste_cluster(1, 5, 5);
  set_policy(scenario, "initial_assignment", "knapsack");
  scenario.jobs = {job_of("big", 0, 1, 3, 3, 10), job_of("half", 0, 2, 2, 2, 10)};
  add_master(scenario.jobs[0], 1, 1);
  const FinishedRun cluster(scenario);
  EXPECT_THAT(by_time(cluster.log()),
              ElementsAre("0.0 half.map.0 on n1, half.map.1 on n1, big.am.0 on n1",
                          "10.0 big.map.0 on n1", "20.0 kill 2"));
  EXPECT_THAT(cluster.remembered_s(), ElementsAre(0));
}

// Returns an iterative job for HaSTE-A: maps, a reduce, and a second pass of maps.
JobSpec loop(const char* name, double submit_s) {
  JobSpec job = job_of(name, submit_s, 2, 1, 1, 10);
  job.iterative = true;
  add_reduces(job, 1, 1, 1, 10);
  job.phases.push_back(job.phases[0]);
  job.phases[2].name = "again";
  job.phases[2].after = {1};
  return job;
}

// The jobs differ only in alignment: 1/2, later 2/2, against 0. g is 1/2, because one of two jobs
// is iterative.
TEST(HasteA, IterativeJobsArePulledForward) {
  Scenario scenario = haste_cluster(1, 2, 2, "haste-a");
  scenario.jobs = {job_of("once", 0, 2, 1, 1, 10), loop("loop", 0)};
  EXPECT_THAT(by_time(log_of(scenario)),
              ElementsAre("0.0 loop.map.0 on n1, loop.map.1 on n1",
                          "10.0 loop.reduce.0 on n1, once.map.0 on n1",
                          "20.0 once.map.1 on n1, loop.again.0 on n1", "30.0 loop.again.1 on n1"));
  EXPECT_THAT(reasons_of(scenario)[5], "fits: fitness 0.5, urgency 1, alignment 1");
  scenario.policy.preset = "haste";
  EXPECT_EQ(log_of(scenario)[0], "0.0 launch once.map.0 on n1");
}

// The same with aggressiveness 0, so that alignment does not count.
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

// With iterative jobs only, the share of other jobs is 0.
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
  std::swap(join.phases[0], join.phases[2]);  // the order of the phases does not matter
  join.phases[0].after = {1, 2};
  add_master(join, 1, 1);
  EXPECT_EQ(MapStages(join).count(), 1);
}

}  // namespace heddle::haste_test
