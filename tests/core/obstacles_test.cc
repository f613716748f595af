// Obstacles between jobs and their next container, in small clusters with known answers.
#include "tests/core/stepped_engine.h"
#include "tests/core/virtual_cluster.h"
#include "tests/support/events.h"
#include "tests/support/matchers.h"

namespace heddle::obstacles_test {

using What = Obstacle::What;
using Limit = obstacle::Limit;

constexpr NodeId n1{0}, n2{1}, n3{2};

/// An engine whose containers start at once, and whose policy the test can query.
class Cluster {
 public:
  /// Registers all nodes and submits all jobs due at 0, in one step. If scheduling happens on
  /// heartbeats, none has come yet.
  explicit Cluster(const Scenario& scenario, bool nodes = true) : engine_(scenario) {
    std::vector<SteppedEngine::What> what = engine_.beginning();
    if (!nodes)
      std::erase_if(what,
                    [](const auto& it) { return std::holds_alternative<NodeRegistered>(it); });
    step(0, what);
  }

  void step(double now_s, std::vector<SteppedEngine::What> what) {
    now_ = emu_seconds(now_s);
    do {
      const Step step = engine_.step(now_s, what);
      what.clear();
      for (const Launch& launch : actions_of<Launch>(step))
        if (starts) what.push_back(ContainerStarted{launch.container});
    } while (!what.empty());
  }
  void heard(double now_s, SteppedEngine::What what) { step(now_s, {std::move(what)}); }
  void beat(double now_s, NodeId node) { heard(now_s, NodeHeartbeat{node}); }
  void end(double now_s, int container) { heard(now_s, ended(container)); }

  std::vector<Obstacle> of(int job) const {
    const bool anywhere = engine_.scenario().cluster.dispatch == Dispatch::kImmediate;
    return engine_.policy().obstacles({now_, engine_.state(), {}, anywhere, {}, {}, {}},
                                      JobId{job});
  }
  /// Returns the first obstacle of the job that another policy tells.
  What under(const Policy& policy, int job) const {
    return policy.obstacles(unchanged_view(now_, engine_.state(), false), JobId{job}).front().what;
  }
  /// Returns the job's only obstacle.
  What what(int job) const {
    const std::vector<Obstacle> all = of(job);
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? What(obstacle::Unknown{}) : all.front().what;
  }

  bool starts = true;

 private:
  SteppedEngine engine_;
  EmuTime now_;
};

Scenario without_reserve(Scenario scenario) {
  set_policy(scenario, "reserve", "false");
  return scenario;
}

/// Returns a list with one obstacle.
std::vector<Obstacle> only(PhaseId phase, const Resources& size, What what) {
  return {Obstacle{phase, size, std::move(what)}};
}

/// Returns what has no room on a node. The test fails if the obstacle is another one.
obstacle::NoRoom no_room(const What& what) {
  EXPECT_TRUE(std::holds_alternative<obstacle::NoRoom>(what));
  return std::holds_alternative<obstacle::NoRoom>(what) ? std::get<obstacle::NoRoom>(what)
                                                        : obstacle::NoRoom{};
}

Scenario on_heartbeats(Scenario scenario) {
  scenario.cluster.dispatch = Dispatch::kHeartbeat;
  return scenario;
}

Ahead ahead(std::vector<JobId> jobs) {
  return {static_cast<int>(jobs.size()), {jobs.begin(), jobs.end()}};
}

// All 4 cores of n1 are held, and 3 of n2's. Job "late" requests 2 cores.
TEST(Obstacles, AFullClusterHasNoRoomWhereLeastIsMissing) {
  Scenario scenario = without_reserve(cluster_of(2, 4, 8));
  scenario.jobs = {job_of("early", 0, 6, 1, 1, 100), job_of("more", 0, 1, 1, 1, 100),
                   job_of("late", 0, 1, 2, 2, 10)};
  const Cluster cluster(scenario);
  EXPECT_EQ(
      cluster.of(2),
      only({JobId{2}, 0}, size_of(2, 2),
           obstacle::NoRoom{
               n2, size_of(1, 5), {{JobId{0}, size_of(2, 2)}, {JobId{1}, size_of(1, 1)}}, {}, {}}));
}

TEST(Obstacles, OfMemoryItIsMemoryThatCounts) {
  Scenario scenario = without_reserve(cluster_of(1, 8, 8));
  scenario.jobs = {job_of("cores", 0, 1, 4, 1, 100), job_of("memory", 0, 1, 1, 6, 100),
                   job_of("late", 0, 1, 1, 3, 10)};
  EXPECT_THAT(no_room(Cluster(scenario).what(2)).held,
              ElementsAre(JobShare{JobId{1}, size_of(1, 6)}, JobShare{JobId{0}, size_of(4, 1)}));
}

// A task of job "rigid" has ended on n2, and the job keeps its place. "late" waits for it.
TEST(Obstacles, ARigidJobKeepsThePlacesOfEndedTasks) {
  Scenario scenario = without_reserve(cluster_of(2, 1, 1));
  scenario.jobs = {job_of("rigid", 0, 2, 1, 1, 100), job_of("late", 0, 1, 1, 1, 10),
                   job_of("gang", 0, 2, 1, 1, 10)};
  for (int gang : {0, 2}) scenario.jobs[gang].phases[0].gang = true;
  scenario.jobs[0].release = Release::kJob;
  Cluster cluster(scenario);
  cluster.end(5, 1);
  const std::vector<JobShare> held = no_room(cluster.what(1)).held;
  ASSERT_THAT(held, SizeIs(1));
  EXPECT_EQ(held[0].job, JobId{0});
  EXPECT_FALSE(held[0].kept) << "n1 is named, where the other task runs";
  EXPECT_EQ(std::get<obstacle::Gang>(cluster.what(2)).keep, std::vector<JobId>{JobId{0}});
}

TEST(Obstacles, WhoStandsBeforeItInTheOrder) {
  Scenario scenario = without_reserve(cluster_of(1, 2, 2));
  for (const char* name : {"a", "b", "c", "d", "e"})
    scenario.jobs.push_back(job_of(name, 0, 2, 1, 1, 100));
  EXPECT_EQ(no_room(Cluster(scenario).what(4)).ahead,
            ahead({JobId{1}, JobId{2}, JobId{3}}));  // a has all that it wants
  scenario.jobs.insert(scenario.jobs.begin() + 4, job_of("more", 0, 1, 1, 1, 100));
  scenario.policy.preset = "fair";
  // a and b hold one each
  EXPECT_EQ(no_room(Cluster(scenario).what(0)).ahead, (Ahead{4, {JobId{2}, JobId{3}, JobId{4}}}));
}

// Job "big" (2 cores) reserves the node, which has 1 core free. Job "small" would fit.
TEST(Obstacles, AReservedNode) {
  Scenario scenario = cluster_of(1, 4, 4);
  scenario.jobs = {job_of("running", 0, 3, 1, 1, 100), job_of("big", 0, 1, 2, 2, 10),
                   job_of("small", 0, 1, 1, 1, 10), job_of("wide", 0, 1, 2, 1, 10)};
  const Cluster cluster(scenario);
  EXPECT_EQ(cluster.what(1),
            What(obstacle::NoRoom{n1, size_of(1, 1), {{JobId{0}, size_of(3, 3)}}, {n1}, {}}));
  EXPECT_EQ(cluster.what(2), What(obstacle::Reserved{true, 1, {{n1, {JobId{1}, 0}}}}));
  EXPECT_EQ(cluster.what(3), What(obstacle::Reserved{false, 1, {{n1, {JobId{1}, 0}}}}));
}

Scenario with_queues(int containers, std::vector<QueueSpec> queues) {
  Scenario scenario = cluster_of(1, containers, containers, "capacity");
  scenario.queues = std::move(queues);
  return scenario;
}

TEST(Obstacles, AQueueAtItsMaxCapacity) {
  Scenario scenario = with_queues(10, {queue_of("prod", 0.7), queue_of("dev", 0.3, 0.5)});
  scenario.jobs = {in_queue("dev", job_of("d", 0, 20, 1, 1, 10))};
  EXPECT_EQ(Cluster(scenario).what(0), What(Limit{Limit::Of::kQueue, 1, 0.6, 0.5}));
}

// Two users have requests, so each may use half of 12. The container of cy is too large for the
// rest that ann leaves.
TEST(Obstacles, AUserAtItsLimit) {
  Scenario scenario = with_queues(12, {queue_of("q", 1)});
  scenario.queues[0].user_limit = 0.25;
  scenario.jobs = {in_queue("q", job_of("a", 0, 12, 1, 1, 10)),
                   in_queue("q", job_of("c", 0, 1, 7, 1, 10))};
  scenario.jobs[0].user = "ann";
  scenario.jobs[1].user = "cy";
  const Cluster cluster(scenario);
  EXPECT_EQ(cluster.what(0), What(Limit{Limit::Of::kUser, 0, 0.5, 0.5}));
  // The queue may use the whole cluster, so the obstacle is missing room, not its limit.
  EXPECT_EQ(cluster.what(1),
            What(obstacle::NoRoom{n1, size_of(6, 6), {{JobId{0}, size_of(6, 6)}}, {}, {}}));
}

JobSpec with_master(const char* name, int tasks) {
  JobSpec job = job_of(name, 0, tasks, 1, 1, 10);
  add_master(job, 1, 1);
  return job;
}

TEST(Obstacles, ApplicationMastersOfAQueue) {
  Scenario scenario = with_queues(4, {queue_of("a", 0.5, 0.5), queue_of("b", 0.5)});
  scenario.queues[0].max_am_share = 0.5;
  scenario.policy.options = {{"max_am_share", "1"}};
  scenario.jobs = {in_queue("a", with_master("one", 1)), in_queue("a", with_master("two", 1))};
  // A master and a task fill the queue, which is reported first.
  EXPECT_EQ(Cluster(scenario).what(1), What(Limit{Limit::Of::kQueue, 0, 0.75, 0.5}));
  scenario.jobs[0].phases[1].tasks = 1;
  scenario.jobs[0].phases[1].request = size_of(2, 1);
  scenario.queues[0].max_capacity = 1;
  scenario.queues[0].max_am_share = 0.25;
  EXPECT_EQ(Cluster(scenario).what(1), What(Limit{Limit::Of::kQueueMasters, 0, 0.5, 0.25}));
}

TEST(Obstacles, ApplicationMastersOfTheCluster) {
  Scenario scenario = cluster_of(1, 4, 4, {with_master("one", 2), with_master("two", 1)});
  scenario.policy.options = {{"max_am_share", "0.1"}};
  const Cluster cluster(scenario);
  EXPECT_EQ(cluster.of(1), only({JobId{1}, 0}, size_of(1, 1), obstacle::MasterShare{0.25, 0.1}));
}

TEST(Obstacles, AMasterThatStartsThenTasksThatDo) {
  Scenario scenario = cluster_of(1, 4, 4, {with_master("j", 1)});
  Cluster cluster(scenario);
  EXPECT_THAT(cluster.of(0), IsEmpty()) << "all it has runs";
  Scenario slow = scenario;
  slow.jobs[0].submit = emu_seconds(3);
  Cluster starting(slow);
  EXPECT_EQ(starting.what(0), What(obstacle::NotSubmitted{}));
  starting.starts = false;
  starting.heard(3, JobSubmitted{JobId{0}});
  EXPECT_EQ(starting.of(0),
            only({JobId{0}, 0}, size_of(1, 1), obstacle::Starting{n1, emu_seconds(3)}));
  starting.heard(5, ContainerStarted{ContainerId{0}});
  EXPECT_EQ(starting.of(0),
            only({JobId{0}, 1}, size_of(1, 1), obstacle::Starting{n1, emu_seconds(5)}));
}

/// Returns a scenario with n1 and n2 in one rack and n3 in another. Job "j" has its data on n1,
/// which "block" takes.
Scenario racks() {
  Scenario scenario = on_heartbeats(without_reserve(cluster_of(3, 2, 4)));
  scenario.cluster.nodes[0].rack = scenario.cluster.nodes[1].rack = "r1";
  scenario.cluster.nodes[2].rack = "r2";
  scenario.jobs = {job_of("j", 0, 1, 2, 1, 1), job_of("block", 0, 1, 2, 4, 100)};
  scenario.jobs[0].phases[0].prefer = {n1};
  scenario.jobs[1].priority = 1;
  set_policy(scenario, "delay=mapreduce+node_delay=3+rack_delay=2");
  return scenario;
}

TEST(Obstacles, LocalityDelayCountsItsOpportunities) {
  Cluster cluster(racks());
  cluster.beat(0, n1);  // block takes it
  EXPECT_EQ(cluster.what(0), What(obstacle::LocalityDelay{n2, 0, 3}));
  cluster.beat(0.3, n2);
  EXPECT_EQ(cluster.what(0), What(obstacle::LocalityDelay{n2, 1, 3}));
  cluster.beat(0.6, n3);
  cluster.beat(1.3, n2);
  EXPECT_EQ(cluster.what(0), What(obstacle::LocalityDelay{n2, 3, 3})) << "passed just now";
  cluster.beat(1.4, n1);
  EXPECT_EQ(cluster.what(0), What(obstacle::NextReport{n2})) << "its rack will do";
  cluster.beat(2.3, n2);
  EXPECT_THAT(cluster.of(0), IsEmpty());
}

TEST(Obstacles, LocalityDelayEndsAtATime) {
  Scenario scenario = racks();
  set_policy(scenario, "delay=mapreduce+delay_time=2");
  Cluster cluster(scenario);
  cluster.beat(0, n1);  // block takes it
  EXPECT_EQ(cluster.what(0), What(obstacle::LocalityDelay{n2, 0, 0, emu_seconds(2)}));
  cluster.beat(2.3, n2);
  EXPECT_THAT(cluster.of(0), IsEmpty());
}

TEST(Obstacles, SlowStartOfReduces) {
  Scenario scenario = cluster_of(1, 8, 8);
  JobSpec job = job_of("j", 0, 4, 1, 1, 10);
  add_reduces(job, 1, 1, 1, 10);
  scenario.jobs = {job};
  set_policy(scenario, "reduce_early_start", "0.5");
  Cluster cluster(scenario);
  EXPECT_EQ(cluster.of(0), only({JobId{0}, 1}, size_of(1, 1), obstacle::SlowStart{0, 2, 4}));
  cluster.end(10, 0);
  EXPECT_EQ(cluster.what(0), What(obstacle::SlowStart{1, 2, 4}));
  cluster.end(10, 1);
  EXPECT_THAT(cluster.of(0), IsEmpty());
}

TEST(Obstacles, RampOfReducesAndPhasesBefore) {
  Scenario scenario = cluster_of(1, 4, 4);
  JobSpec job = job_of("j", 0, 6, 1, 1, 10);
  add_reduces(job, 1, 1, 1, 10);
  add_reduces(job, 1, 1, 1, 10);  // after the first
  scenario.jobs = {job};
  set_policy(scenario, "reduce_early_start=0+reduce_ramp_limit=0+reserve=false");
  const std::vector<Obstacle> found = Cluster(scenario).of(0);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<obstacle::NoRoom>(found[0].what));
  EXPECT_EQ(found[1].what, What(obstacle::Ramp{0, 6}));
  EXPECT_EQ(found[2].what, What(obstacle::Inputs{{0, 1}}));
}

TEST(Obstacles, AGangThatDoesNotFit) {
  Scenario scenario = cluster_of(2, 2, 4);
  scenario.jobs = {job_of("one", 0, 1, 1, 1, 100), job_of("gang", 0, 4, 1, 1, 10)};
  scenario.jobs[1].phases[0].gang = true;
  Cluster cluster(scenario);
  EXPECT_EQ(cluster.what(1), What(obstacle::Gang{3, 4, {}, {}, {}, {{JobId{0}, size_of(1, 1)}}}));
  cluster.end(100, 0);
  EXPECT_THAT(cluster.of(1), IsEmpty());
}

// n1 has 2 cores, which "one" holds. "big" and "two" hold 4 of the 6 cores of n2. The gang asks for
// 4 cores on a node, so only n2 counts for it.
TEST(Obstacles, AGangIsToldWhoHoldsTheNodesThatItCanUse) {
  Scenario scenario = without_reserve(cluster_of(2, 2, 8));
  scenario.cluster.nodes[1].capacity.cores = scenario.cluster.nodes[1].allowance.cores =
      Millicores(6000);
  scenario.jobs = {job_of("one", 0, 1, 2, 1, 100), job_of("big", 0, 1, 3, 1, 100),
                   job_of("two", 0, 1, 1, 1, 100), job_of("gang", 0, 1, 4, 1, 10)};
  scenario.jobs[3].phases[0].gang = true;
  const What what = Cluster(scenario).what(3);
  ASSERT_TRUE(std::holds_alternative<obstacle::Gang>(what));
  EXPECT_THAT(std::get<obstacle::Gang>(what).held,
              ElementsAre(JobShare{JobId{1}, size_of(3, 1)}, JobShare{JobId{2}, size_of(1, 1)}));
}

/// A policy without the placement loop, as an external policy can be.
class Plain : public Policy {
  Decision decide(const View&, std::span<const Event>) override { return {}; }
};

TEST(Obstacles, AGangThatDoesNotFitUnderAPolicyWithoutThePlacementLoop) {
  Scenario scenario = cluster_of(2, 2, 4);
  scenario.jobs = {job_of("one", 0, 1, 1, 1, 100), job_of("gang", 0, 4, 1, 1, 10)};
  scenario.jobs[1].phases[0].gang = true;
  const Cluster cluster(scenario);
  EXPECT_EQ(cluster.under(Plain(), 1),
            What(obstacle::Gang{3, 4, {}, {}, {}, {{JobId{0}, size_of(1, 1)}}}));
}

TEST(Obstacles, StrictOrder) {
  Scenario scenario = without_reserve(cluster_of(1, 4, 4));
  set_policy(scenario, "strict_order", "true");
  scenario.jobs = {job_of("a", 0, 3, 1, 1, 100), job_of("big", 0, 1, 2, 2, 10),
                   job_of("small", 0, 1, 1, 1, 10)};
  EXPECT_EQ(Cluster(scenario).what(2), What(obstacle::StrictOrder{{JobId{1}, 0}}));
}

// There are ten places. The pool of small jobs has one, which s holds, and t waits for it. Without
// small jobs, the large job has nine places, and the last one is reserved.
TEST(Obstacles, DressPools) {
  Scenario scenario = cluster_of(1, 10, 10, "dress+min_ratio=0.1+max_ratio=0.1");
  scenario.jobs = {job_of("s", 0, 1, 1, 1, 100), job_of("t", 0, 1, 1, 1, 10),
                   job_of("large", 0, 20, 1, 1, 100)};
  EXPECT_EQ(Cluster(scenario).what(1), What(Limit{Limit::Of::kPool, 0, 0.1, 0.1}));
  scenario.jobs = {scenario.jobs[2]};
  EXPECT_EQ(Cluster(scenario).what(0), What(Limit{Limit::Of::kReserve, 1, 0.1, 0.1}));
  set_policy(scenario, "large_pool", "capped");
  EXPECT_EQ(Cluster(scenario).what(0), What(Limit{Limit::Of::kPool, 1, 0.9, 0.9}));
}

// wide waits for runs until 10 s. long would hold the idle node until 20 s.
TEST(Obstacles, Backfilling) {
  Scenario scenario = cluster_of(2, 1, 1, "easy");
  scenario.jobs = {job_of("runs", 0, 1, 1, 1, 10), job_of("wide", 0, 2, 1, 1, 5),
                   job_of("long", 0, 1, 1, 1, 20)};
  for (JobSpec& job : scenario.jobs) {
    job.phases[0].gang = true;
    job.walltime = EmuTime(static_cast<std::int64_t>(job.phases[0].sleep.mean));
  }
  obstacle::Backfill wide{emu_seconds(10), {}}, longer{std::nullopt, ahead({JobId{1}})};
  wide.held = longer.held = {{JobId{0}, size_of(1, 1)}};
  EXPECT_EQ(Cluster(scenario).what(1), What(wide));
  EXPECT_EQ(Cluster(scenario).what(2), What(longer));
}

TEST(Obstacles, SuspendedTasks) {
  Scenario scenario = cluster_of(1, 4, 4, {job_of("j", 0, 2, 1, 1, 100)});
  Cluster cluster(scenario);
  cluster.heard(1, ContainerSuspended{ContainerId{0}});
  cluster.heard(1, ContainerSuspended{ContainerId{1}});
  EXPECT_EQ(cluster.what(0), What(obstacle::Suspended{2}));
  cluster.heard(2, ContainerResumed{ContainerId{0}});
  cluster.heard(2, ContainerResumed{ContainerId{1}});
  EXPECT_THAT(cluster.of(0), IsEmpty());
}

// Before any node registers, no node can hold the request. When n2 is lost, k's container is
// requested again, but n1 is full.
TEST(Obstacles, NodesThatAreNotThere) {
  Scenario scenario = cluster_of(2, 2, 4);
  scenario.jobs = {job_of("j", 0, 1, 2, 2, 100), job_of("k", 0, 1, 2, 2, 100)};
  EXPECT_EQ(Cluster(scenario, false).what(0), What(obstacle::NoNode{{n1, n2}}));
  Cluster lost(scenario);
  lost.heard(5, NodeLost{n2, "gone"});
  EXPECT_EQ(no_room(lost.what(1)).node, n1) << "it holds what is left";
}

TEST(Obstacles, TheNextReportOfANodeWithRoom) {
  Scenario scenario = on_heartbeats(cluster_of(2, 2, 4));
  scenario.jobs = {job_of("j", 0, 2, 2, 2, 100), job_of("k", 0, 1, 2, 2, 100)};
  Cluster cluster(scenario);
  EXPECT_EQ(cluster.what(0), What(obstacle::NextReport{n1}));
  // Job j would take both nodes.
  EXPECT_EQ(cluster.what(1), What(obstacle::Order{n1, ahead({JobId{0}})}));
  cluster.beat(0.5, n2);
  EXPECT_EQ(cluster.what(0), What(obstacle::NextReport{n1}));
  EXPECT_EQ(cluster.what(1), What(obstacle::Order{n1, ahead({JobId{0}})}));
  cluster.beat(1, n1);
  EXPECT_THAT(cluster.of(0), IsEmpty());
}

// The rest that j leaves of n1 is enough for k, unless j is going to reserve the node.
TEST(Obstacles, WhatThoseBeforeItLeave) {
  Scenario scenario = on_heartbeats(cluster_of(1, 3, 4));
  scenario.jobs = {job_of("j", 0, 1, 2, 2, 100), job_of("k", 0, 1, 1, 1, 100)};
  EXPECT_EQ(Cluster(scenario).what(1), What(obstacle::NextReport{n1}));
  scenario.jobs[0].phases[0].tasks = 2;
  EXPECT_EQ(Cluster(scenario).what(1), What(obstacle::Order{n1, ahead({JobId{0}})}));
  set_policy(scenario, "reserve", "false");
  EXPECT_EQ(Cluster(scenario).what(1), What(obstacle::NextReport{n1}));
}

TEST(Obstacles, UseThatIsEstimatedLeavesNoRoom) {
  Scenario scenario = on_heartbeats(without_reserve(cluster_of(1, 4, 4)));
  set_policy(scenario, "capacity_model", "estimation");
  scenario.jobs = {job_of("j", 1, 1, 2, 1, 100)};
  Cluster cluster(scenario);
  NodeHeartbeat beat{n1};
  beat.use.node = size_of(3, 1);  // a program outside of containers
  cluster.heard(0.5, beat);
  cluster.heard(1, JobSubmitted{JobId{0}});
  EXPECT_EQ(cluster.what(0), What(obstacle::Estimated{n1, size_of(1, 3), size_of(4, 4)}));
}

TEST(Obstacles, TasksThatAreAskedForLater) {
  Scenario scenario = cluster_of(1, 8, 8, {job_of("j", 0, 4, 1, 1, 100)});
  scenario.jobs[0].phases[0].start_spread = emu_seconds(40);
  EXPECT_EQ(Cluster(scenario).what(0), What(obstacle::Later{emu_seconds(10)}));
}

TEST(Obstacles, OneYarnClientJobAtATime) {
  Scenario scenario = cluster_of(1, 8, 8);
  for (const char* name : {"a", "b"}) {
    JobSpec job = job_of(name, 0, 1, 1, 1, 100);
    job.framework = Framework::kSpark;
    job.deploy = Deploy::kYarnClient;
    job.phases[0].kind = PhaseKind::kExecutor;
    job.stages = {StageSpec{}};
    scenario.jobs.push_back(job);
  }
  EXPECT_EQ(Cluster(scenario).what(1), What(obstacle::OtherClient{JobId{0}}));
}

/// A policy without the placement loop derives obstacles from the state alone.
TEST(Obstacles, OfTheStateAlone) {
  class Idle : public Policy {
   public:
    Decision decide(const View&, std::span<const Event>) override { return {}; }
  };
  Scenario scenario = cluster_of(1, 2, 2);
  scenario.jobs = {job_of("j", 0, 1, 1, 1, 100), job_of("done", 5, 1, 1, 1, 1)};
  SteppedEngine engine(scenario, std::make_unique<Idle>());
  engine.begin();
  const View view{EmuTime(0), engine.state(), {}, true, {}, {}, {}};
  EXPECT_EQ(engine.policy().obstacles(view, JobId{0}),
            only({JobId{0}, 0}, size_of(1, 1), obstacle::NextReport{n1}));
  EXPECT_EQ(engine.policy().obstacles(view, JobId{1}).front().what, What(obstacle::NotSubmitted{}));
}

}  // namespace heddle::obstacles_test
