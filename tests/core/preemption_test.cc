// Preemption, computed by hand; see capacity_test.cc.
#include "tests/core/stepped_engine.h"
#include "tests/core/virtual_cluster.h"
#include "tests/support/events.h"
#include "tests/support/matchers.h"
#include "tests/support/text.h"

namespace heddle::preemption_test {

/// Returns a scenario with queues a and b, each guaranteed half of `nodes` nodes with 2 containers
/// each. b fills all of them at 0 s, and a comes at 5 s.
Scenario contended(const char* scheduler, int nodes) {
  Scenario scenario = cluster_of(nodes, 2, 2);
  scenario.policy.preset = scheduler;
  scenario.policy.options = {{"preemption", "kill"}, {"preemption_grace", "10"}};
  scenario.queues = {queue_of("a", 0.5), queue_of("b", 0.5)};
  scenario.jobs = {in_queue("b", job_of("b", 0, 2 * nodes, 1, 1, 100)),
                   in_queue("a", job_of("a", 5, 2 * nodes, 1, 1, 20))};
  return scenario;
}

/// Returns the containers that the step kills, in order.
std::vector<std::int64_t> killed(const Step& step) {
  std::vector<std::int64_t> ids;
  for (const Kill& kill : actions_of<Kill>(step)) ids.push_back(kill.container.value);
  return ids;
}

// Queue a is below its guarantee from 5 s on. At 15 s the two youngest containers of b (3 and 2,
// both on n2) are killed. a gets their room at once, and b keeps its guarantee.
TEST(Preemption, TakesTheYoungestAboveTheGuaranteeAfterTheGrace) {
  const FinishedRun cluster(contended("capacity", 2));
  EXPECT_THAT(by_time(lines_with(cluster.log(), "kill")), ElementsAre("15.0 kill 3, kill 2"));
  EXPECT_THAT(by_time(lines_with(cluster.log(), "15.0 launch")),
              ElementsAre("15.0 a.map.0 on n2, a.map.1 on n2"));
  EXPECT_EQ(cluster.state().job(JobId{0}).state(), JobState::kCompleted);
}

TEST(Preemption, NoneUnlessAskedFor) {
  Scenario scenario = contended("capacity", 2);
  scenario.policy.options.clear();
  const FinishedRun cluster(scenario);
  EXPECT_THAT(lines_with(cluster.log(), "kill"), ElementsAre());
  EXPECT_EQ(cluster.wait_s("a"), 95);
}

TEST(Preemption, NoneWhileTheGuaranteeIsComingAnyway) {
  Scenario scenario = contended("capacity", 2);
  scenario.jobs[0].phases[0].sleep.mean = 12e6;  // b's tasks end at 12 s, within a's grace period
  EXPECT_THAT(lines_with(log_of(scenario), "kill"), ElementsAre());
}

// A container of a fills a node, and a is guaranteed one of them, so both tasks on n2, the
// youngest, are killed. At 35 s a's second container follows there, and then n2 is reserved for b.
TEST(Preemption, OneLargeContainerTakesOneNode) {
  Scenario scenario = contended("capacity", 2);
  scenario.jobs[1].phases[0].request = size_of(2, 2);
  scenario.jobs[1].phases[0].tasks = 3;
  const FinishedRun cluster(scenario);
  EXPECT_THAT(by_time(lines_with(cluster.log(), "15.0 kill")), ElementsAre("15.0 kill 3, kill 2"));
  EXPECT_THAT(lines_with(cluster.log(), "15.0 launch"), ElementsAre("15.0 launch a.map.0 on n2"));
}

// The guarantee of a fair queue is its part by weight among the queues that want or hold resources.
// With weights 1 : 3 of 8 containers, b may keep 6. With reservations, b would take the rest of
// a node that it has reserved when tasks of a end.
TEST(Preemption, FairGuaranteesFollowWeights) {
  Scenario scenario = contended("fair", 4);
  set_policy(scenario, "reserve", "false");
  scenario.queues[1].weight = 3;
  EXPECT_THAT(by_time(lines_with(log_of(scenario), "kill")), ElementsAre("15.0 kill 7, kill 6"));
}

TEST(Preemption, SparesApplicationMasters) {
  Scenario scenario = contended("capacity", 1);
  // Queue b has its master, container 0, and one task, container 1, which is killed.
  add_master(scenario.jobs[0], 1, 1);
  scenario.jobs[0].phases[1].tasks = 1;
  scenario.jobs[1].phases[0].tasks = 1;
  EXPECT_THAT(lines_with(log_of(scenario), "15.0 kill"), ElementsAre("15.0 kill 1"));
}

/// Returns a scenario with two parents of half of `cores` cores each: P1 {a, b} and P2 {c, d}. Each
/// of the four is guaranteed a quarter.
Scenario two_parents(int nodes, int cores) {
  Scenario scenario = cluster_of(nodes, cores, cores, "capacity");
  scenario.policy.options = {{"preemption", "kill"}, {"preemption_grace", "10"}};
  for (const char* name : {"P1", "a", "b", "P2", "c", "d"})
    scenario.queues.push_back(queue_of(name, 0.5));
  for (int leaf : {1, 2}) scenario.queues[leaf].parent = "P1";
  for (int leaf : {4, 5}) scenario.queues[leaf].parent = "P2";
  return scenario;
}

// There are 8 containers: a holds 1 of its 2, b 4 and c 3, so P1 has 5 of 4 and P2 3 of 4. First P1
// gets 4 and P2 3. The one left goes to P1, so b is 1 above its ideal of 3. When that container has
// been killed, P1 has 4 of 4 and P2 3 of 4, and c has requests too. By the order of queues, c would
// get the room, and another container of b would have to be killed for a.
TEST(Preemption, WhatIsFreedIsHeldForTheQueue) {
  for (const char* reserve : {"true", "false"}) {
    Scenario scenario = two_parents(1, 8);
    set_policy(scenario, "reserve", reserve);
    scenario.jobs = {in_queue("a", job_of("a", 0, 1, 1, 1, 100)),
                     in_queue("b", job_of("b", 0, 4, 1, 1, 100)),
                     in_queue("c", job_of("c", 0, 3, 1, 1, 100)),
                     in_queue("c", job_of("others", 4, 3, 1, 1, 100)),
                     in_queue("a", job_of("more", 5, 1, 1, 1, 100))};
    const FinishedRun cluster(scenario);
    EXPECT_EQ(lines_with(cluster.log(), " kill ").size(), 1) << reserve;
    EXPECT_THAT(lines_with(cluster.log(), "15.0 launch"),
                ElementsAre("15.0 launch more.map.0 on n1"))
        << reserve;
  }
}

// Three containers are free when a requests its five, so only two of b's are killed.
TEST(Preemption, CountsWhatIsFree) {
  Scenario scenario = cluster_of(10, 1, 1);
  scenario.cluster.dispatch = Dispatch::kHeartbeat;
  scenario.policy.preset = "capacity";
  scenario.policy.options = {{"preemption", "kill"}, {"preemption_grace", "0"}};
  scenario.queues = {queue_of("a", 0.5), queue_of("b", 0.5)};
  scenario.jobs = {in_queue("b", job_of("b", 0, 7, 1, 1, 100)),
                   in_queue("a", job_of("a", 0, 5, 1, 1, 100))};
  scenario.jobs[1].submit = emu_seconds(2);
  SteppedEngine engine(scenario);
  engine.begin();
  std::vector<SteppedEngine::What> beats;
  for (int node = 0; node < 7; ++node) beats.push_back(NodeHeartbeat{NodeId{node}});
  EXPECT_EQ(engine.step(1, beats).actions.size(), 7);
  // The three free nodes have not reported, so a has nothing yet.
  EXPECT_EQ(killed(engine.step(2, {JobSubmitted{JobId{1}}})), (std::vector<std::int64_t>{6, 5}));
}

// Nodes have 4 cores, containers of a have 2, those of b have 1. All containers on one node are
// killed for a's two, two for each, the youngest first. Then a holds its guarantee of 4 of 8.
TEST(Preemption, MakesRoomForALargeContainerOnOneNode) {
  Scenario scenario = contended("capacity", 4);
  scenario.cluster = cluster_of(2, 4, 4).cluster;
  scenario.jobs[1].phases[0].request = size_of(2, 2);
  const FinishedRun cluster(scenario);
  EXPECT_THAT(by_time(lines_with(cluster.log(), "15.0 kill")),
              ElementsAre("15.0 kill 7, kill 6, kill 5, kill 4"));
  EXPECT_THAT(by_time(lines_with(cluster.log(), "15.0 launch")),
              ElementsAre("15.0 a.map.0 on n2, a.map.1 on n2"));
}

// Killing a container of b makes room for three of a: two go beside the first, and nothing more is
// killed. b holds 16 of 16 in containers of 4, and a requests 3.
TEST(Preemption, OneLargeContainerMakesRoomForSeveral) {
  Scenario scenario = contended("capacity", 4);
  scenario.cluster = cluster_of(2, 8, 8).cluster;
  scenario.jobs[0] = in_queue("b", job_of("b", 0, 4, 4, 4, 100));
  scenario.jobs[1] = in_queue("a", job_of("a", 5, 3, 1, 1, 20));
  const FinishedRun cluster(scenario);
  EXPECT_THAT(lines_with(cluster.log(), " kill "), ElementsAre("15.0 kill 3"));
  EXPECT_EQ(lines_with(cluster.log(), "15.0 launch a.").size(), 3);
}

/// Steps an engine. Killed containers end when the test says so.
class Slowly : public testing::Test {
 protected:
  // The node has 4 cores and dispatch is by heartbeat. b holds all of it. a, guaranteed half,
  // requests 2 at 1 s.
  Slowly() {
    scenario_ = contended("capacity", 2);
    scenario_.cluster = cluster_of(1, 4, 4).cluster;
    scenario_.cluster.dispatch = Dispatch::kHeartbeat;
    set_policy(scenario_, "preemption_grace", "0");
    scenario_.jobs[1].phases[0].tasks = 2;
    engine_.emplace(scenario_);
    step({NodeRegistered{NodeId{0}}, JobSubmitted{JobId{0}}});
    step({NodeHeartbeat{NodeId{0}}});
    EXPECT_EQ(killed(step({JobSubmitted{JobId{1}}})), (std::vector<std::int64_t>{3, 2}));
  }

  Step step(const std::vector<SteppedEngine::What>& what) {
    Step step = engine_->step(now_s_ += 0.1, what);
    EXPECT_TRUE(step.refused.empty());
    return step;
  }
  /// Returns the jobs that got a container, in order.
  static std::vector<std::int64_t> launched(const Step& step) {
    std::vector<std::int64_t> jobs;
    for (const Launch& launch : actions_of<Launch>(step)) jobs.push_back(launch.phase.job.value);
    return jobs;
  }

  Scenario scenario_;
  std::optional<SteppedEngine> engine_;
  double now_s_ = 0;
};

// Containers that end by themselves meanwhile also make room. The room of the killed ones then goes
// back to b.
TEST_F(Slowly, RoomIsWhateverComesFreeFirst) {
  EXPECT_THAT(launched(step({ended(0), ended(1), NodeHeartbeat{NodeId{0}}})), ElementsAre(1, 1));
  EXPECT_THAT(launched(step({ended(3, Outcome::kKilled), ended(2, Outcome::kKilled),
                             NodeHeartbeat{NodeId{0}}})),
              ElementsAre(0, 0));
}

// While room is being made, nothing more is killed, however often the policy looks.
TEST_F(Slowly, NothingMoreIsKilledWhileRoomIsComing) {
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(killed(step({NodeHeartbeat{NodeId{0}}})).empty()) << i;
  EXPECT_THAT(launched(step({ended(3, Outcome::kKilled), NodeHeartbeat{NodeId{0}}})),
              ElementsAre(1));
}

// The node is lost and comes back. Nothing is reserved on it any more, so a and b share it as
// usual.
TEST_F(Slowly, RoomOnALostNodeIsForgotten) {
  step({NodeLost{NodeId{0}, "gone", true}});
  step({NodeRegistered{NodeId{0}}});
  EXPECT_THAT(launched(step({NodeHeartbeat{NodeId{0}}})), ElementsAre(1, 0, 1, 0));
}

// Each of the two nodes has 6 cores. On each, b has a container of 4 cores and then two of 1 core.
// a requests 5 cores, and it is guaranteed 6. Containers 5, 4 and 1 of n2 are chosen in this order,
// the youngest first. Container 5 is spared, because the others are enough. Container 4 is then
// needed.
TEST(Preemption, SparesOnlyWhatTheRestMakesRoomFor) {
  Scenario scenario = contended("capacity", 2);
  scenario.cluster = cluster_of(2, 6, 6).cluster;
  scenario.jobs = {in_queue("b", job_of("large", 0, 2, 4, 4, 100)),
                   in_queue("b", job_of("small", 0, 4, 1, 1, 100)),
                   in_queue("a", job_of("a", 5, 1, 5, 5, 20))};
  const FinishedRun cluster(scenario);
  EXPECT_THAT(by_time(lines_with(cluster.log(), "15.0 kill")), ElementsAre("15.0 kill 4, kill 1"));
  EXPECT_THAT(lines_with(cluster.log(), "15.0 launch"), ElementsAre("15.0 launch a.map.0 on n2"));
}

}  // namespace heddle::preemption_test
