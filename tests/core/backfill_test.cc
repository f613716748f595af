// Tests the schedulers easy and conservative, and walltimes.

#include <algorithm>
#include <random>

#include "tests/core/virtual_cluster.h"
#include "tests/support/matchers.h"

namespace heddle::backfill_test {

/// Nodes of one core.
Scenario cluster(int nodes, const std::string& policy) { return cluster_of(nodes, 1, 1, policy); }

/// A rigid job whose tasks take as long as its walltime.
JobSpec rigid(const std::string& name, double submit_s, int tasks, double seconds) {
  JobSpec job = job_of(name, submit_s, tasks, 1, 1, seconds);
  job.phases[0].gang = true;
  job.walltime = emu_seconds(seconds);
  return job;
}

// wide needs all four nodes and waits for long until 10 s. At 2 s, n4 is idle for 8 s more: short
// fits, and longer does not.
TEST(Easy, BackfillsWhatEndsBeforeTheFirstJobStarts) {
  Scenario scenario = cluster(4, "easy");
  scenario.jobs = {rigid("long", 0, 3, 10), rigid("wide", 1, 4, 5), rigid("longer", 2, 1, 9),
                   rigid("short", 2, 1, 8)};
  EXPECT_THAT(
      by_time(log_of(scenario)),
      ElementsAre("0.0 long.map.0 on n1, long.map.1 on n2, long.map.2 on n3",
                  "2.0 short.map.0 on n4",
                  "10.0 wide.map.0 on n1, wide.map.1 on n2, wide.map.2 on n3, wide.map.3 on n4",
                  "15.0 longer.map.0 on n1"));
}

// The reservation of wide is on n1 and n2. lone ends at 1 s, so n1 is idle, but a job of 20 s there
// would delay wide. By count, n2 to n4 are enough for wide.
TEST(Easy, ReservesMachinesOrTheirNumber) {
  Scenario scenario = cluster(4, "easy");
  scenario.jobs = {rigid("lone", 0, 1, 1), rigid("three", 0, 3, 10), rigid("wide", 2, 2, 5),
                   rigid("later", 3, 1, 20)};
  EXPECT_THAT(
      by_time(log_of(scenario)),
      ElementsAre("0.0 lone.map.0 on n1, three.map.0 on n2, three.map.1 on n3, three.map.2 on n4",
                  "10.0 wide.map.0 on n1, wide.map.1 on n2, later.map.0 on n3"));
  set_policy(scenario, "backfill", "count");
  EXPECT_THAT(
      by_time(log_of(scenario)),
      ElementsAre("0.0 lone.map.0 on n1, three.map.0 on n2, three.map.1 on n3, three.map.2 on n4",
                  "3.0 later.map.0 on n1", "10.0 wide.map.0 on n2, wide.map.1 on n3"));
}

// At 20 s, one wait longest and is first. Of the others, three has the shortest walltime.
TEST(Easy, TheShortestOfTheOthersFirst) {
  Scenario scenario = cluster(2, "easy");
  scenario.jobs = {rigid("all", 0, 2, 20), rigid("one", 2, 1, 9), rigid("two", 3, 1, 5),
                   rigid("three", 4, 1, 3)};
  const auto last_three = [&] {
    std::vector<std::string> log = log_of(scenario);
    return std::vector(log.begin() + 2, log.end());
  };
  EXPECT_THAT(by_time(last_three()),
              ElementsAre("20.0 one.map.0 on n1, two.map.0 on n2", "25.0 three.map.0 on n2"));
  set_policy(scenario, "backfill_order", "sjf");
  EXPECT_THAT(by_time(last_three()),
              ElementsAre("20.0 one.map.0 on n1, three.map.0 on n2", "23.0 two.map.0 on n2"));
}

// all waits for pair, which waits for both. Under easy, only pair has a reservation, so long takes
// the idle n3 and delays all until 33 s.
TEST(Conservative, DelaysNoJobBeforeTheBackfilledOne) {
  Scenario scenario = cluster(3, "easy");
  scenario.jobs = {rigid("both", 0, 2, 10), rigid("pair", 1, 2, 10), rigid("all", 2, 3, 10),
                   rigid("long", 3, 1, 30)};
  const FinishedRun easy(scenario);
  EXPECT_EQ(easy.wait_s("pair"), 9);
  EXPECT_EQ(easy.wait_s("long"), 0);
  EXPECT_EQ(easy.wait_s("all"), 31);
  scenario.policy.preset = "conservative";
  const FinishedRun conservative(scenario);
  EXPECT_EQ(conservative.wait_s("pair"), 9);
  EXPECT_EQ(conservative.wait_s("all"), 18);
  EXPECT_EQ(conservative.wait_s("long"), 27);
}

// late is submitted 3 ms too late to end before wide starts at 10 s. If times are whole seconds, it
// fits from 2 to 10 s, and wide starts as soon as late has ended.
TEST(Conservative, TheResolutionIgnoresAFewMilliseconds) {
  Scenario scenario = cluster(2, "conservative");
  scenario.jobs = {rigid("one", 0, 1, 10), rigid("wide", 1, 2, 5), rigid("late", 2.003, 1, 8)};
  const FinishedRun exact(scenario);
  EXPECT_NEAR(exact.wait_s("late"), 12.997, 1e-9);
  EXPECT_EQ(exact.wait_s("wide"), 9);
  set_policy(scenario, "backfill_resolution", "1");
  const FinishedRun rounded(scenario);
  EXPECT_EQ(rounded.wait_s("late"), 0);
  EXPECT_NEAR(rounded.wait_s("wide"), 9.003, 1e-9);
}

// The tasks of pair end 5 ms after each other. wide takes both nodes then, and small does not get
// the first of them.
TEST(Easy, TheTasksOfAJobEndTogether) {
  Scenario scenario = cluster(2, "easy");
  scenario.jobs = {rigid("pair", 0, 2, 20), rigid("wide", 1, 2, 5), rigid("small", 2, 1, 5)};
  PhaseSpec& pair = scenario.jobs[0].phases[0];
  pair.each = {pair, pair};
  pair.each[0].sleep.mean = 10e6;
  pair.each[1].sleep.mean = 10.005e6;
  const FinishedRun cluster(scenario);
  EXPECT_NEAR(cluster.wait_s("wide"), 9.005, 1e-9);
  EXPECT_NEAR(cluster.wait_s("small"), 13.005, 1e-9);
}

// Job early ends after 4 s of its 10 s. In the new plan, job waits starts at once.
TEST(Conservative, StartsEarlierIfAJobEndsEarly) {
  Scenario scenario = cluster(1, "conservative");
  scenario.jobs = {rigid("early", 0, 1, 4), rigid("waits", 1, 1, 10)};
  scenario.jobs[0].walltime = emu_seconds(10);
  EXPECT_THAT(log_of(scenario),
              ElementsAre("0.0 launch early.map.0 on n1", "4.0 launch waits.map.0 on n1"));
}

// The first task of pair fails at 5 s and runs again alone, on the node that is free.
TEST(Easy, AFailedTaskRunsAgainAlone) {
  Scenario scenario = cluster(2, "easy");
  scenario.jobs = {rigid("pair", 0, 2, 5)};
  scenario.jobs[0].walltime = emu_seconds(30);
  VirtualCluster cluster(scenario);
  cluster.make_fail({{JobId{0}, 0}, 0}, 1, Outcome::kFailed);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(by_time(cluster.log()),
              ElementsAre("0.0 pair.map.0 on n1, pair.map.1 on n2", "5.0 pair.map.0 on n1"));
}

// Walltimes ---------------------------------------------------------------------------------------

TEST(Walltime, KillsUnderEveryScheduler) {
  for (const char* scheduler : {"fifo", "easy"}) {
    Scenario scenario = cluster(1, scheduler);
    scenario.jobs = {rigid("over", 3, 1, 20), rigid("next", 4, 1, 5)};
    scenario.jobs[0].walltime = emu_seconds(10);
    const FinishedRun cluster(scenario);
    const Job& over = cluster.state().job(JobId{0});
    EXPECT_EQ(over.state(), JobState::kKilled);
    EXPECT_EQ(over.failure(), "its walltime of 10s is over");
    EXPECT_EQ(over.attempts(0, 0), 1) << "it is not tried again";
    EXPECT_EQ(cluster.state().job(JobId{1}).state(), JobState::kCompleted);
    EXPECT_EQ(cluster.wait_s("next"), 9) << scheduler;
  }
}

TEST(Walltime, AJobThatEndsExactlyThenHasCompleted) {
  Scenario scenario = cluster(1, "easy");
  scenario.jobs = {rigid("exact", 0, 1, 10)};
  EXPECT_EQ(FinishedRun(scenario).state().job(JobId{0}).state(), JobState::kCompleted);
}

// over is killed at 12 s. At 10 s it is planned as ending at once, but nothing starts on its node.
TEST(Walltime, TheGraceDelaysTheKill) {
  Scenario scenario = cluster(1, "conservative");
  scenario.cluster.walltime_grace = emu_seconds(2);
  scenario.jobs = {rigid("over", 0, 1, 20), rigid("next", 1, 1, 5), rigid("late", 11, 1, 5)};
  scenario.jobs[0].walltime = emu_seconds(10);
  EXPECT_THAT(by_time(log_of(scenario)),
              ElementsAre("0.0 over.map.0 on n1", "12.0 kill 0, next.map.0 on n1",
                          "17.0 late.map.0 on n1"));
}

// A job of several phases: its walltime counts from the start of its first task.
TEST(Walltime, OfAJobThatIsNotRigid) {
  Scenario scenario = cluster(1, "fifo");
  scenario.jobs = {job_of("maps", 0, 3, 1, 1, 4)};
  scenario.jobs[0].walltime = emu_seconds(10);
  const FinishedRun cluster(scenario);
  EXPECT_EQ(cluster.state().job(JobId{0}).state(), JobState::kKilled);
  EXPECT_EQ(cluster.state().job(JobId{0}).completed_tasks(), 2);
}

// A second, slow implementation ------------------------------------------------------------------

/// Schedules whole seconds with tables of who holds which node when.
class Reference {
 public:
  Reference(const Scenario& scenario, bool conservative, bool machines, bool shortest_first)
      : jobs_(scenario.jobs),
        nodes_(scenario.cluster.nodes.size()),
        conservative_(conservative),
        machines_(machines),
        shortest_first_(shortest_first) {}

  /// Returns the start of each job, in seconds.
  std::vector<int> starts() {
    starts_.assign(jobs_.size(), -1);
    nodes_of_.resize(jobs_.size());
    for (int now = 0; now < kHorizon / 2; ++now)
      if (has_news(now)) decide(now);
    return starts_;
  }

 private:
  static constexpr int kHorizon = 1000;
  using Table = std::vector<std::vector<bool>>;  ///< by node and second

  int tasks(std::size_t job) const { return jobs_[job].phases[0].tasks; }
  int submit(std::size_t job) const { return static_cast<int>(to_seconds(jobs_[job].submit)); }
  int walltime(std::size_t job) const { return static_cast<int>(to_seconds(*jobs_[job].walltime)); }
  int took(std::size_t job) const {
    return std::min(walltime(job), static_cast<int>(jobs_[job].phases[0].sleep.mean / 1e6));
  }

  /// Returns whether a job is submitted or ends.
  bool has_news(int now) const {
    for (std::size_t job = 0; job < jobs_.size(); ++job)
      if (submit(job) == now || (starts_[job] >= 0 && starts_[job] + took(job) == now)) return true;
    return false;
  }

  std::vector<std::size_t> in_line(int now) const {
    std::vector<std::size_t> line;
    for (std::size_t job = 0; job < jobs_.size(); ++job)
      if (starts_[job] < 0 && submit(job) <= now) line.push_back(job);
    std::stable_sort(line.begin(), line.end(),
                     [&](auto a, auto b) { return submit(a) < submit(b); });
    if (shortest_first_ && !line.empty())
      std::stable_sort(line.begin() + 1, line.end(),
                       [&](auto a, auto b) { return walltime(a) < walltime(b); });
    return line;
  }

  void decide(int now) {
    Table held(nodes_, std::vector<bool>(kHorizon));
    std::vector<int> reserved(kHorizon);
    for (std::size_t job = 0; job < jobs_.size(); ++job)
      if (starts_[job] >= 0 && starts_[job] + took(job) > now)
        hold(nodes_of_[job], now, starts_[job] + walltime(job), held);
    bool first = true;
    for (const std::size_t job : in_line(now)) {
      const bool reserves = first || conservative_;
      for (int at = now; at < kHorizon - walltime(job); ++at) {
        if (at > now && !reserves) break;
        std::vector<std::size_t> free = free_nodes(held, at, at + (machines_ ? walltime(job) : 1));
        bool fits = std::ssize(free) >= tasks(job);
        for (int s = at; s < at + walltime(job) && !machines_; ++s)
          fits &= std::ssize(free_nodes(held, s, s + 1)) - reserved[s] >= tasks(job);
        if (!fits) continue;
        free.resize(static_cast<std::size_t>(tasks(job)));
        if (machines_ || at == now)
          hold(free, at, at + walltime(job), held);
        else
          for (int s = at; s < at + walltime(job); ++s) reserved[s] += tasks(job);
        if (at > now) break;
        starts_[job] = now;
        nodes_of_[job] = free;
        break;
      }
      if (starts_[job] < 0) first = false;
    }
  }

  static void hold(const std::vector<std::size_t>& nodes, int from, int until, Table& held) {
    for (std::size_t node : nodes)
      for (int s = from; s < until; ++s) held[node][s] = true;
  }
  std::vector<std::size_t> free_nodes(const Table& held, int from, int until) const {
    std::vector<std::size_t> free;
    for (std::size_t node = 0; node < nodes_; ++node)
      if (std::none_of(held[node].begin() + from, held[node].begin() + until,
                       [](bool it) { return it; }))
        free.push_back(node);
    return free;
  }

  std::vector<JobSpec> jobs_;
  std::size_t nodes_;
  bool conservative_, machines_, shortest_first_;
  std::vector<int> starts_;
  std::vector<std::vector<std::size_t>> nodes_of_;
};

/// Draws a whole number from 1 to `most`.
int drawn(std::minstd_rand& random, int most) {
  return static_cast<int>(random() % static_cast<unsigned>(most)) + 1;
}

// Jobs of whole seconds end early, at their walltimes, or are killed there.
TEST(Backfilling, AgreesWithASlowReference) {
  std::minstd_rand random(20);
  for (int i = 0; i < 200; ++i) {
    const bool conservative = i % 2 == 1, machines = i / 2 % 2 == 0, shortest = i / 4 % 2 == 1;
    Scenario scenario = cluster(drawn(random, 5) + 1, conservative ? "conservative" : "easy");
    if (!machines) set_policy(scenario, "backfill", "count");
    if (shortest) set_policy(scenario, "backfill_order", "sjf");
    const int jobs = drawn(random, 12);
    for (int job = 0; job < jobs; ++job) {
      const int submit = drawn(random, 20) - 1;
      const int tasks = drawn(random, static_cast<int>(scenario.cluster.nodes.size()));
      JobSpec spec = rigid("j" + std::to_string(job), submit, tasks, drawn(random, 20));
      spec.walltime = emu_seconds(drawn(random, 20));
      scenario.jobs.push_back(std::move(spec));
    }
    const FinishedRun cluster(scenario);
    std::vector<int> starts;
    for (const JobSpec& job : scenario.jobs)
      starts.push_back(static_cast<int>(to_seconds(job.submit) + cluster.wait_s(job.name)));
    EXPECT_EQ(starts, Reference(scenario, conservative, machines, shortest).starts()) << i;
  }
}

}  // namespace heddle::backfill_test
