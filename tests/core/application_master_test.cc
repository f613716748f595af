// Jobs with an application master (core/jobs/job.h), and the limit on running masters
// (max_am_share).

#include "tests/core/stepped_engine.h"
#include "tests/core/virtual_cluster.h"
#include "tests/support/events.h"
#include "tests/support/matchers.h"

namespace heddle::application_master_test {

JobSpec with_master(const std::string& name, double submit_s, int tasks, double seconds) {
  JobSpec job = job_of(name, submit_s, tasks, 1, 1, seconds);
  add_master(job, 1, 1);
  return job;
}

const TaskId kMaster{{JobId{0}, 0}, 0};

TEST(ApplicationMaster, TasksAreAskedForOnlyOnceItRuns) {
  Scenario scenario = cluster_of(1, 4, 4, {with_master("j", 0, 2, 10)});
  SteppedEngine engine(scenario);
  std::vector<Launch> launches = actions_of<Launch>(engine.begin());
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0].phase, (PhaseId{JobId{0}, 0}));
  EXPECT_THAT(engine.state().requests(), IsEmpty());
  EXPECT_EQ(engine.state().job(JobId{0}).state(), JobState::kPending);
  launches = actions_of<Launch>(engine.step(0, {started(0)}));
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].phase, (PhaseId{JobId{0}, 1}));
  // The job runs only once its first task does.
  EXPECT_EQ(engine.state().job(JobId{0}).state(), JobState::kPending);
  engine.step(0, {started(1)});
  EXPECT_EQ(engine.state().job(JobId{0}).state(), JobState::kRunning);
}

TEST(ApplicationMaster, IsKilledWhenTheJobIsComplete) {
  const FinishedRun cluster(cluster_of(1, 4, 4, {with_master("j", 0, 2, 10)}));
  EXPECT_THAT(by_time(cluster.log()),
              ElementsAre("0.0 j.am.0 on n1, j.map.0 on n1, j.map.1 on n1", "10.0 kill 0"));
  EXPECT_EQ(cluster.state().job(JobId{0}).state(), JobState::kCompleted);
  EXPECT_EQ(cluster.state().job(JobId{0}).completed_tasks(), 2);
  EXPECT_THAT(cluster.state().containers(), IsEmpty());
  EXPECT_EQ(cluster.state().am_allocated(), Resources{});
}

/// Returns the starts of the masters of jobs "a" to "e", which have one task of 10 s each: "0.0 a",
/// …
std::vector<std::string> master_starts(const Scenario& scenario) {
  const FinishedRun cluster(scenario);
  std::vector<std::string> starts;
  for (const std::string& line : cluster.log())
    if (auto at = line.find(".am."); at != std::string::npos)
      starts.push_back(line.substr(0, line.find(' ') + 1) + line.substr(at - 1, 1));
  return starts;
}

Scenario five_jobs(int cores, int gib) {
  Scenario scenario = cluster_of(1, cores, gib);
  for (const char* name : {"a", "b", "c", "d", "e"})
    scenario.jobs.push_back(with_master(name, 0, 1, 10));
  return scenario;
}

// 2 of 20 cores are exactly a tenth. A third master would make it .15.
TEST(MaxAmShare, SeveralAtOnceUpToTheShareExactly) {
  EXPECT_THAT(master_starts(five_jobs(20, 200)),
              ElementsAre("0.0 a", "0.0 b", "10.0 c", "10.0 d", "20.0 e"));
  EXPECT_THAT(master_starts(five_jobs(200, 20)),  // memory counts like cores
              ElementsAre("0.0 a", "0.0 b", "10.0 c", "10.0 d", "20.0 e"));
  EXPECT_THAT(master_starts(five_jobs(19, 200)),  // two would be .105
              ElementsAre("0.0 a", "10.0 b", "20.0 c", "30.0 d", "40.0 e"));
}

TEST(MaxAmShare, IsAnOption) {
  Scenario scenario = five_jobs(20, 20);
  set_policy(scenario, "max_am_share", "0.15");
  EXPECT_THAT(master_starts(scenario), ElementsAre("0.0 a", "0.0 b", "0.0 c", "10.0 d", "10.0 e"));
  scenario.policy.options.clear();
  set_policy(scenario, "max_am_share", "1");
  EXPECT_THAT(master_starts(scenario), ElementsAre("0.0 a", "0.0 b", "0.0 c", "0.0 d", "0.0 e"));
}

// A master is half of this cluster. With a share of 0, even one master exceeds it.
TEST(MaxAmShare, OneMayAlwaysRun) {
  EXPECT_THAT(master_starts(five_jobs(2, 2)),
              ElementsAre("0.0 a", "10.0 b", "20.0 c", "30.0 d", "40.0 e"));
  Scenario scenario = five_jobs(20, 20);
  set_policy(scenario, "max_am_share", "0");
  EXPECT_THAT(master_starts(scenario),
              ElementsAre("0.0 a", "10.0 b", "20.0 c", "30.0 d", "40.0 e"));
}

TEST(MaxAmShare, HoldsOnHeartbeatsToo) {
  Scenario scenario = five_jobs(20, 20);
  scenario.cluster.dispatch = Dispatch::kHeartbeat;
  // Node n1 reports once per second. Tasks follow their master at 1 s and end at 11 s. At 12 s, the
  // policy sees that the masters have gone.
  EXPECT_THAT(master_starts(scenario), ElementsAre("0.0 a", "0.0 b", "12.0 c", "12.0 d", "24.0 e"));
}

// Jobs that wait for their master's turn do not delay other jobs.
TEST(MaxAmShare, JobsWithoutMastersPass) {
  Scenario scenario = five_jobs(4, 4);
  scenario.jobs.push_back(job_of("plain", 0, 2, 1, 1, 10));
  EXPECT_EQ(FinishedRun(scenario).wait_s("plain"), 0);
}

// The master dies at 14 s, and map.2 with it, which starts again. By then map.0 and map.1 are
// complete. The second master lasts.
TEST(ApplicationMaster, ItsTasksStartAgainWhenItDies) {
  Scenario scenario = cluster_of(1, 3, 3, {with_master("j", 0, 3, 10)});
  scenario.jobs[0].phases[0].sleep.mean = 14e6;
  set_policy(scenario, "reserve", "false");
  VirtualCluster cluster(scenario);
  cluster.make_fail(kMaster, 1, Outcome::kFailed);
  cluster.finish();
  EXPECT_THAT(by_time(cluster.log()),
              ElementsAre("0.0 j.am.0 on n1, j.map.0 on n1, j.map.1 on n1", "10.0 j.map.2 on n1",
                          "14.0 kill 3, j.am.0 on n1, j.map.2 on n1", "24.0 kill 4"));
  const Job& job = cluster.state().job(JobId{0});
  EXPECT_EQ(job.state(), JobState::kCompleted);
  EXPECT_EQ(job.attempts(0, 0), 2);
  EXPECT_EQ(job.attempts(1, 2), 2);
  EXPECT_EQ(job.attempts(1, 0), 1);
}

/// Returns a scenario with a job whose master ends after 4 s if it is to fail.
Scenario short_master(int tasks) {
  Scenario scenario = cluster_of(1, 3, 3, {with_master("j", 0, tasks, 10)});
  scenario.jobs[0].phases[0].sleep.mean = 4e6;
  return scenario;
}

TEST(ApplicationMaster, ItsSecondFailureFailsTheJob) {
  for (Outcome outcome : {Outcome::kFailed, Outcome::kOomKilled, Outcome::kCompleted}) {
    VirtualCluster cluster(short_master(2));
    cluster.make_fail(kMaster, 2, outcome);
    cluster.finish();
    EXPECT_EQ(cluster.state().job(JobId{0}).state(), JobState::kFailed);
    EXPECT_EQ(cluster.state().job(JobId{0}).failure(),
              "its application master failed 2 times, last: as told");
    EXPECT_EQ(cluster.log().back(), "8.0 kill 5");  // of its second tasks, 4 and 5
    EXPECT_THAT(cluster.state().containers(), IsEmpty());
  }
}

TEST(ApplicationMaster, HasAttemptsOfItsOwn) {
  Scenario scenario = short_master(1);
  scenario.jobs[0].max_attempts = 1;
  scenario.jobs[0].max_am_attempts = 4;
  VirtualCluster cluster(scenario);
  cluster.make_fail(kMaster, 3, Outcome::kFailed);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.state().job(JobId{0}).state(), JobState::kCompleted);
  EXPECT_EQ(cluster.finish_s("j"), 22);
}

TEST(ApplicationMaster, BeingLostOrKilledIsNoFailure) {
  for (Outcome outcome : {Outcome::kLost, Outcome::kKilled}) {
    VirtualCluster cluster(short_master(1));
    cluster.make_fail(kMaster, 3, outcome);
    ASSERT_TRUE(cluster.run());
    EXPECT_EQ(cluster.state().job(JobId{0}).state(), JobState::kCompleted);
    EXPECT_EQ(cluster.finish_s("j"), 22);
  }
}

// Reduces that wait for maps die with their master too, and wait for inputs again.
TEST(ApplicationMaster, WaitingReducesStartAgainWithTheOthers) {
  Scenario scenario = cluster_of(1, 4, 4);
  JobSpec job = job_of("j", 0, 3, 1, 1, 10);
  add_reduces(job, 1, 1, 1, 5);
  add_master(job, 1, 1);
  job.phases[0].sleep.mean = 15e6;
  job.phases[1].tasks = 4;
  scenario.jobs = {job};
  set_policy(scenario, "reserve", "false");
  VirtualCluster cluster(scenario);
  cluster.make_fail(kMaster, 1, Outcome::kFailed);
  cluster.finish();
  EXPECT_THAT(by_time(std::vector(cluster.log().begin() + 4, cluster.log().end())),
              ElementsAre("10.0 j.map.3 on n1, j.reduce.0 on n1",
                          "15.0 kill 4, kill 5, j.am.0 on n1, j.map.3 on n1, j.reduce.0 on n1",
                          "25.0 inputs ready for 8", "30.0 kill 6"));
}

}  // namespace heddle::application_master_test
