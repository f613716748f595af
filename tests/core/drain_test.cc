// Engine behavior for nodes whose machines can't start tasks.
#include "core/engine.h"
#include "tests/core/stepped_engine.h"
#include "tests/support/events.h"
#include "tests/support/job.h"
#include "tests/support/matchers.h"

namespace heddle::drain_test {

constexpr NodeId kA{0}, kB{1};

/// Tests two nodes of a core each, and a job of three tasks of a core each that may fail once.
class Drain : public ::testing::Test {
 protected:
  Drain() {
    Scenario scenario = cluster_of(2, 1, 4);
    scenario.jobs = {job_of("j", 0, 3, 1, 1, 10)};
    scenario.jobs[0].max_attempts = 1;
    set_policy(scenario, "reserve", "false");
    engine_.emplace(scenario);
    step({NodeRegistered{kA}, NodeRegistered{kB}, JobSubmitted{JobId{0}}});
  }

  /// Steps the engine, one second later.
  Step step(const std::vector<SteppedEngine::What>& what) {
    Step step = engine_->step(++now_s_, what);
    for (const Launch& launch : actions_of<Launch>(step)) launches_.push_back(launch);
    return step;
  }
  static ContainerEnded not_started(std::int64_t container) {
    return ended(container, Outcome::kNotStarted, OomCause::kNone, "no room");
  }
  /// Returns "task attempt node" of each launch.
  std::vector<std::string> launches() const {
    std::vector<std::string> text;
    for (const Launch& launch : launches_)
      text.push_back(std::to_string(launch.task) + " " + std::to_string(launch.attempt) + " " +
                     std::to_string(launch.node.value));
    return text;
  }
  const ClusterState& state() const { return engine_->state(); }

  std::optional<SteppedEngine> engine_;
  double now_s_ = 0;
  std::vector<Launch> launches_;
};

TEST_F(Drain, WhatCouldNotBeStartedIsNoAttempt) {
  EXPECT_THAT(launches(), ElementsAre("0 1 0", "1 1 1"));
  const Step next = step({not_started(0)});
  EXPECT_THAT(next.finished, IsEmpty()) << "one failed attempt would be the job's end";
  EXPECT_THAT(launches(), ElementsAre("0 1 0", "1 1 1", "0 1 0")) << "it is still the first";
  EXPECT_EQ(state().job(JobId{0}).attempts(0, 0), 1);
}

TEST_F(Drain, ADrainedNodeTakesNothingUntilItIsRestored) {
  step({not_started(0), NodeDrained{kA, "no room"}});
  EXPECT_THAT(launches(), ElementsAre("0 1 0", "1 1 1"));
  EXPECT_EQ(state().alive_nodes(), 1);
  EXPECT_EQ(state().free(kA), Resources{});
  EXPECT_EQ(state().total().cores, Millicores(1000)) << "shares are of the other node";
  EXPECT_TRUE(state().node(kA).drained);
  EXPECT_TRUE(state().node(kA).registered());
  step({NodeRestored{kA}});
  EXPECT_THAT(launches(), ElementsAre("0 1 0", "1 1 1", "0 1 0"));
  EXPECT_EQ(state().alive_nodes(), 2);
  EXPECT_EQ(state().total().cores, Millicores(2000));
  EXPECT_FALSE(state().node(kA).drained);
}

TEST_F(Drain, WhatRunsOnADrainedNodeGoesOn) {
  step({started(0), NodeDrained{kA, "no room"}});
  ASSERT_NE(state().container(ContainerId{0}), nullptr);
  step({ended(0)});
  EXPECT_EQ(state().job(JobId{0}).completed(0), 1);
  EXPECT_EQ(state().free(kA), Resources{});
  step({NodeRestored{kA}});
  EXPECT_THAT(launches(), ElementsAre("0 1 0", "1 1 1", "2 1 0"));
}

TEST_F(Drain, ADrainedNodeCanBeLostAndComeBack) {
  step({started(0), NodeDrained{kA, "no room"}});
  step({NodeLost{kA, "silent"}});
  EXPECT_EQ(state().container(ContainerId{0}), nullptr);
  EXPECT_FALSE(state().node(kA).registered());
  EXPECT_EQ(state().alive_nodes(), 1);
  step({NodeRestored{kA}});
  EXPECT_EQ(state().alive_nodes(), 1) << "it is not there";
  step({NodeRegistered{kA}});
  EXPECT_EQ(state().alive_nodes(), 2);
  EXPECT_THAT(launches(), ElementsAre("0 1 0", "1 1 1", "0 2 0")) << "a lost attempt was one";
}

// If drained nodes did not count, the job would fail here, because no other node is left.
TEST_F(Drain, NoJobFailsForWantOfANodeThatIsDrained) {
  step({NodeDrained{kA, "no room"}});
  const Step next = step({NodeLost{kB, "silent"}});
  EXPECT_THAT(next.finished, IsEmpty());
  EXPECT_EQ(state().job(JobId{0}).failure(), "");
}

TEST_F(Drain, OfferedAreNodesThatTakeTasks) {
  engine_->scenario().cluster.dispatch = Dispatch::kHeartbeat;
  step({not_started(0), NodeDrained{kA, "no room"}});
  step({NodeHeartbeat{kA}});
  EXPECT_EQ(launches().size(), 2U);
  step({NodeRestored{kA}});
  EXPECT_EQ(launches().size(), 2U) << "it is offered with its next heartbeat";
  step({NodeHeartbeat{kA}});
  EXPECT_EQ(launches().size(), 3U);
}

}  // namespace heddle::drain_test
