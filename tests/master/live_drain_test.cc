// Tests a real run's master whose workers cannot start tasks.

#include "tests/master/live_master.h"
#include "tests/support/matchers.h"

namespace heddle::master::live_drain_test {

using namespace std::chrono_literals;
using wire::Json;

constexpr const char* kWhy = "could not start: copy a descriptor: Too many open files";

/// Two nodes of one core at time_scale 0.1, and a job of four tasks with one attempt each; workers
/// join at 1 s real. Launches are sent at once, so each failure leads to the next.
class LiveDrain : public LiveMaster {
 protected:
  LiveDrain() : LiveMaster(small_run(4)) {
    scenario_.cluster.dispatch = Dispatch::kImmediate;
    scenario_.cluster.node_timeout = emu_seconds(1000);
    scenario_.jobs[0].max_attempts = 1;
  }
  void start() {
    begin();
    take(run_->open());
    join(1000ms);
  }
  static std::string identity(int node) { return node ? "b" : "a"; }
  static std::uint64_t incarnation(int node) { return static_cast<std::uint64_t>(node) + 1; }
  void tell(int node, decltype(wire::Report::what) what, std::chrono::milliseconds now) {
    const wire::Report report = reported(++reports_[node], now, std::move(what));
    hear(identity(node), wire::Reports{incarnation(node), {report}}, now);
  }
  void fails(int node, const std::vector<std::int64_t>& containers,
             std::chrono::milliseconds now = 1100ms) {
    for (std::int64_t container : containers)
      tell(node, ended(container, Outcome::kNotStarted, OomCause::kNone, kWhy), now);
  }
  void probed(int node, const std::string& reason, std::chrono::milliseconds now) {
    hear(identity(node), wire::Probed{incarnation(node), reason}, now);
  }
  /// Returns the nodes to which the last messages sent a probe.
  std::vector<std::string> probes() const {
    std::vector<std::string> to;
    for (const auto& [who, message] : last_.send)
      if (std::holds_alternative<wire::Probe>(message)) to.push_back(who.front());
    return to;
  }
  std::vector<int> launched_on() const {
    std::vector<int> nodes;
    for (const Json& line : lines("launch")) nodes.push_back(line["node"]);
    return nodes;
  }

  std::int64_t reports_[2] = {};
};

TEST_F(LiveDrain, ANodeWhoseMachineFailsTakesNoTasksAndNoAttemptIsSpent) {
  start();
  ASSERT_THAT(launched_on(), ElementsAre(0, 1));
  tell(1, started(1), 1100ms);
  fails(0, {0});
  fails(0, {2}, 1200ms);
  EXPECT_THAT(launched_on(), ElementsAre(0, 1, 0, 0));
  fails(0, {3}, 1300ms);
  EXPECT_THAT(launched_on(), ElementsAre(0, 1, 0, 0)) << "it gets no more";
  ASSERT_EQ(lines("node_drained").size(), 1U);
  EXPECT_EQ(lines("node_drained")[0]["node"], 0);
  EXPECT_EQ(lines("node_drained")[0]["reason"],
            std::string("its machine can't start tasks: ") + kWhy);
  const wire::Progress progress = run_->progress(at(1300ms));
  EXPECT_EQ(progress.nodes[0].state, "drained");
  EXPECT_EQ(progress.nodes[1].state, "alive");
  EXPECT_THAT(progress.last_events.back(), HasSubstr("node n1 drained: its machine can't start "));
  // Tasks have one attempt, so a failed task would have ended the job. Failed starts use up no
  // attempt.
  EXPECT_THAT(lines("job_finished"), IsEmpty());
  for (const Json& launch : lines("launch")) EXPECT_EQ(launch["attempt"], 1);
}

TEST_F(LiveDrain, AProcessThatStartsButCannotRunItsTaskIsAFailure) {
  start();
  for (std::int64_t container : {0, 2, 3}) {
    tell(0, started(container), 1100ms);
    fails(0, {container}, 1110ms);
  }
  EXPECT_EQ(lines("node_drained").size(), 1U);
}

TEST_F(LiveDrain, TheOtherNodesGoOnWithItsTasks) {
  start();
  fails(0, {0, 2, 3});
  std::int64_t next = 1;
  for (int task = 0; task < 4; ++task) {
    tell(1, started(next), 1200ms + 100ms * task);
    tell(1, ended(next), 1250ms + 100ms * task);
    next = 3 + task + 1;
  }
  EXPECT_EQ(run_->end().status(), RunStatus::kDone);
  EXPECT_EQ(run_->end().trouble(), "");
}

TEST_F(LiveDrain, AProbeThatWorksBringsItBack) {
  start();
  tell(1, started(1), 1100ms);
  fails(0, {0, 2, 3});
  EXPECT_LE(run_->next_time(), at(2100ms));
  time(2099ms);
  EXPECT_THAT(probes(), IsEmpty());
  time(2100ms);
  EXPECT_THAT(probes(), ElementsAre("a"));
  probed(0, kWhy, 2110ms);
  EXPECT_THAT(lines("node_restored"), IsEmpty());
  time(4110ms);
  EXPECT_THAT(probes(), ElementsAre("a"));
  probed(0, "", 4120ms);
  ASSERT_EQ(lines("node_restored").size(), 1U);
  EXPECT_THAT(launched_on(), ElementsAre(0, 1, 0, 0, 0)) << "at once";
  EXPECT_EQ(run_->progress(at(4120ms)).nodes[0].state, "alive");
}

TEST_F(LiveDrain, AProbeOfAFormerLifeIsNotAnAnswer) {
  start();
  fails(0, {0, 2, 3});
  hear("a", wire::Probed{77, ""}, 1200ms);
  EXPECT_THAT(lines("node_restored"), IsEmpty());
}

/// No node can start anything: drained at 1.1 s, probed without success at 2.1, 4.1 and 8.1 s.
class NothingStarts : public LiveDrain {
 protected:
  void probe_in_vain() {
    for (auto now : {2100ms, 4100ms, 8100ms}) {
      EXPECT_FALSE(run_->end().over());
      time(now);
      ASSERT_THAT(probes(), ElementsAre("a", "b"));
      for (int node : {0, 1}) probed(node, kWhy, now);
    }
  }
};

TEST_F(NothingStarts, EndsTheRunWithTheMachinesReasonAndStatus3) {
  start();
  fails(0, {0, 2, 3});
  fails(1, {1, 4, 5});
  ASSERT_EQ(lines("node_drained").size(), 2U);
  probe_in_vain();
  EXPECT_EQ(run_->end().status(), RunStatus::kUnable);
  EXPECT_EQ(static_cast<int>(run_->end().status()), 3);
  EXPECT_EQ(run_->end().trouble(),
            std::string("no node takes tasks any more; node n1: ") + kWhy + " (and 1 more)");
  EXPECT_EQ(lines("leaving").at(0)["status"], "aborted");
}

TEST_F(NothingStarts, IsStatus4OnceATaskHasStarted) {
  start();
  tell(0, started(0), 1050ms);
  tell(0, ended(0), 1060ms);
  fails(0, {2, 3, 4});
  fails(1, {1, 5, 6});
  ASSERT_EQ(lines("node_drained").size(), 2U);
  probe_in_vain();
  EXPECT_EQ(run_->end().status(), RunStatus::kAborted);
}

TEST_F(NothingStarts, WaitsForWhatStillRuns) {
  for (NodeSpec& node : scenario_.cluster.nodes) {
    node.capacity.cores = node.allowance.cores = Millicores(2000);
  }
  start();
  ASSERT_THAT(launched_on(), ElementsAre(0, 0, 1, 1));
  tell(0, started(0), 1050ms);
  fails(0, {1});
  fails(0, {4, 5});
  fails(1, {2, 3, 6});
  ASSERT_EQ(lines("node_drained").size(), 2U);
  probe_in_vain();
  EXPECT_EQ(run_->progress(at(8100ms)).status, "");
  tell(0, ended(0), 9000ms);
  EXPECT_EQ(run_->end().status(), RunStatus::kAborted) << "a task had started";
}

// n1 is drained at 1.1 s and hopeless from 8.1 s on. n2 is silent from 1 s on, lost at 3.1 s, and
// awaited until 13.1 s.
TEST_F(NothingStarts, ANodeThatIsLostBesidesIsWaitedFor) {
  scenario_.cluster.node_timeout = emu_seconds(20);
  start();
  fails(0, {0, 2, 3});
  for (std::chrono::milliseconds now = 1600ms; now < 13s; now += 500ms) {
    hear("a", heartbeat(1, 9), now);
    time(now);
    if (!probes().empty()) probed(0, kWhy, now);
    EXPECT_EQ(lines("node_lost").size(), now < 3s ? 0U : 1U) << now.count();
    EXPECT_EQ(run_->progress(at(now)).status, "");
  }
  EXPECT_THAT(run_->progress(at(13s)).last_events,
              Contains(HasSubstr("no node takes tasks any more; waits 5 s for workers")));
  time(13'100ms);
  EXPECT_EQ(run_->end().reason(), std::string("no node takes tasks any more; node n1: ") + kWhy);
}

TEST_F(LiveDrain, AMasterThatGoesOnProbesWhatWasDrained) {
  start();
  tell(1, started(1), 1100ms);
  fails(0, {0, 2, 3});
  const std::string before = journal_;
  begin(3s);
  for (const Json& line : records_of(before)) ASSERT_TRUE(run_->recovery().take(line));
  Result<Effects> resumed = run_->resume(std::nullopt, at(3s));
  ASSERT_TRUE(resumed) << resumed.error().text;
  take(*resumed);
  hear("a", hello("n1", 1, 3, 3), 3100ms);
  hear("b", hello("n2", 2, 1, 1), 3100ms);
  EXPECT_EQ(run_->progress(at(3200ms)).nodes[0].state, "drained");
  time(3200ms);
  EXPECT_THAT(probes(), ElementsAre("a"));
  probed(0, "", 3300ms);
  EXPECT_EQ(lines("node_restored").size(), 1U);
}

}  // namespace heddle::master::live_drain_test
