// Preemption, step by step. schedules/preemption.yaml has whole runs.
#include "tests/core/stepped_engine.h"
#include "tests/support/events.h"
#include "tests/support/job.h"
#include "tests/support/matchers.h"

namespace heddle::preemption_test {

/// Returns a scenario with queues a and b, each guaranteed half. b requests a number of containers
/// at 0 s, and a at 2 s. Nodes are filled as they report, and there is no grace period.
Scenario contended(int nodes, double size, int for_b, int for_a) {
  Scenario scenario = cluster_of(nodes, size, size, "capacity+preemption=kill+preemption_grace=0");
  scenario.cluster.dispatch = Dispatch::kHeartbeat;
  scenario.queues = {queue_of("a", 0.5), queue_of("b", 0.5)};
  scenario.jobs = {in_queue("b", job_of("b", 0, for_b, 1, 1, 100)),
                   in_queue("a", job_of("a", 2, for_a, 1, 1, 100))};
  return scenario;
}

/// Returns the containers that the step kills, in order.
std::vector<std::int64_t> killed(const Step& step) {
  std::vector<std::int64_t> ids;
  for (const Kill& kill : actions_of<Kill>(step)) ids.push_back(kill.container.value);
  return ids;
}

// Three containers are free when a requests its five, so only two of b's are killed.
TEST(Preemption, CountsWhatIsFree) {
  SteppedEngine engine(contended(10, 1, 7, 5));
  engine.begin();
  std::vector<SteppedEngine::What> beats;
  for (int node = 0; node < 7; ++node) beats.push_back(NodeHeartbeat{NodeId{node}});
  EXPECT_EQ(engine.step(1, beats).actions.size(), 7);
  // The three free nodes have not reported, so a has nothing yet.
  EXPECT_EQ(killed(engine.step(2, {JobSubmitted{JobId{1}}})), (std::vector<std::int64_t>{6, 5}));
}

/// Steps an engine. Killed containers end when the test says so.
class Slowly : public testing::Test {
 protected:
  // The node has 4 cores, and b holds all of it. a requests 2.
  Slowly() {
    step({NodeRegistered{NodeId{0}}, JobSubmitted{JobId{0}}});
    step({NodeHeartbeat{NodeId{0}}});
    EXPECT_EQ(killed(step({JobSubmitted{JobId{1}}})), (std::vector<std::int64_t>{3, 2}));
  }

  Step step(const std::vector<SteppedEngine::What>& what) {
    Step step = engine_.step(now_s_ += 0.1, what);
    EXPECT_TRUE(step.refused.empty());
    return step;
  }
  /// Returns the jobs that got a container, in order.
  static std::vector<std::int64_t> launched(const Step& step) {
    std::vector<std::int64_t> jobs;
    for (const Launch& launch : actions_of<Launch>(step)) jobs.push_back(launch.phase.job.value);
    return jobs;
  }

  SteppedEngine engine_{contended(1, 4, 4, 2)};
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
