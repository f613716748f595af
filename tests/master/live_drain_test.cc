// Tests a real run's master whose workers cannot start tasks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "master/live_run.h"
#include "tests/master/reports.h"
#include "tests/master/small_run.h"

namespace heddle::master::live_drain_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using wire::Json;

constexpr const char* kWhy = "could not start: copy a descriptor: Too many open files";

real::Time at(std::chrono::milliseconds ms) { return real::Time(ms); }

/// Two nodes of one core at time_scale 0.1, and a job of four tasks with one attempt each; workers
/// join at 1 s real. Launches are sent at once, so each failure leads to the next.
class LiveDrain : public ::testing::Test {
 protected:
  LiveDrain() : scenario_(small_run(4)) {
    scenario_.cluster.dispatch = Dispatch::kImmediate;
    scenario_.cluster.node_timeout = emu_seconds(1000);
    scenario_.jobs[0].max_attempts = 1;
  }
  void begin() {
    run_ = std::make_unique<LiveRun>(scenario_, options_, at(0ms));
    take(run_->open());
    for (int node : {0, 1}) {
      wire::Hello hello{wire::kProtocol, "r", node ? "n2" : "n1", incarnation(node), 1, 0, ""};
      take(run_->on_message(identity(node), hello, at(1000ms)));
    }
  }
  static std::string identity(int node) { return node ? "b" : "a"; }
  static std::uint64_t incarnation(int node) { return static_cast<std::uint64_t>(node) + 1; }
  void take(Effects effects) {
    journal_ += effects.journal;
    last_ = std::move(effects);
  }
  void tell(int node, decltype(wire::Report::what) what, std::chrono::milliseconds now) {
    take(run_->on_message(
        identity(node),
        wire::Reports{incarnation(node), {reported(++reports_[node], now, std::move(what))}},
        at(now)));
  }
  void fails(int node, std::int64_t container, std::chrono::milliseconds now) {
    ContainerEnded failed = ended(container, Outcome::kNotStarted);
    failed.reason = kWhy;
    tell(node, failed, now);
  }
  void probed(int node, const std::string& reason, std::chrono::milliseconds now) {
    take(run_->on_message(identity(node), wire::Probed{incarnation(node), reason}, at(now)));
  }
  void time(std::chrono::milliseconds now) { take(run_->on_time(at(now))); }
  /// Returns the nodes to which the last messages sent a probe.
  std::vector<std::string> probes() const {
    std::vector<std::string> to;
    for (const auto& [who, message] : last_.send)
      if (std::holds_alternative<wire::Probe>(message)) to.push_back(who.front());
    return to;
  }
  std::vector<Json> lines(const std::string& type) const {
    std::vector<Json> found;
    for (std::size_t from = 0, end; (end = journal_.find('\n', from)) != std::string::npos;
         from = end + 1)
      if (Json line = Json::parse(journal_.substr(from, end - from)); line["type"] == type)
        found.push_back(std::move(line));
    return found;
  }
  std::vector<int> launched_on() const {
    std::vector<int> nodes;
    for (const Json& line : lines("launch")) nodes.push_back(line["node"]);
    return nodes;
  }

  Scenario scenario_;
  LiveRun::Options options_{"r", true, 0, 10s};
  std::unique_ptr<LiveRun> run_;
  std::string journal_;
  Effects last_;
  std::int64_t reports_[2] = {};
};

TEST_F(LiveDrain, ANodeWhoseMachineFailsTakesNoTasksAndNoAttemptIsSpent) {
  begin();
  ASSERT_THAT(launched_on(), ElementsAre(0, 1));
  tell(1, started(1), 1100ms);
  fails(0, 0, 1100ms);
  fails(0, 2, 1200ms);
  EXPECT_THAT(launched_on(), ElementsAre(0, 1, 0, 0));
  fails(0, 3, 1300ms);
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
  begin();
  for (std::int64_t container : {0, 2, 3}) {
    tell(0, started(container), 1100ms);
    fails(0, container, 1110ms);
  }
  EXPECT_EQ(lines("node_drained").size(), 1U);
}

TEST_F(LiveDrain, TheOtherNodesGoOnWithItsTasks) {
  begin();
  for (std::int64_t container : {0, 2, 3}) fails(0, container, 1100ms);
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
  begin();
  tell(1, started(1), 1100ms);
  for (std::int64_t container : {0, 2, 3}) fails(0, container, 1100ms);
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
  begin();
  for (std::int64_t container : {0, 2, 3}) fails(0, container, 1100ms);
  take(run_->on_message("a", wire::Probed{77, ""}, at(1200ms)));
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
  begin();
  for (std::int64_t container : {0, 2, 3}) fails(0, container, 1100ms);
  for (std::int64_t container : {1, 4, 5}) fails(1, container, 1100ms);
  ASSERT_EQ(lines("node_drained").size(), 2U);
  probe_in_vain();
  EXPECT_EQ(run_->end().status(), RunStatus::kUnable);
  EXPECT_EQ(static_cast<int>(run_->end().status()), 3);
  EXPECT_EQ(run_->end().trouble(),
            std::string("no node takes tasks any more; node n1: ") + kWhy + " (and 1 more)");
  EXPECT_EQ(lines("leaving").at(0)["status"], "aborted");
}

TEST_F(NothingStarts, IsStatus4OnceATaskHasStarted) {
  begin();
  tell(0, started(0), 1050ms);
  tell(0, ended(0), 1060ms);
  for (std::int64_t container : {2, 3, 4}) fails(0, container, 1100ms);
  for (std::int64_t container : {1, 5, 6}) fails(1, container, 1100ms);
  ASSERT_EQ(lines("node_drained").size(), 2U);
  probe_in_vain();
  EXPECT_EQ(run_->end().status(), RunStatus::kAborted);
}

TEST_F(NothingStarts, WaitsForWhatStillRuns) {
  for (NodeSpec& node : scenario_.cluster.nodes) {
    node.capacity.cores = node.allowance.cores = Millicores(2000);
  }
  begin();
  ASSERT_THAT(launched_on(), ElementsAre(0, 0, 1, 1));
  tell(0, started(0), 1050ms);
  fails(0, 1, 1100ms);
  for (std::int64_t container : {4, 5}) fails(0, container, 1100ms);
  for (std::int64_t container : {2, 3, 6}) fails(1, container, 1100ms);
  ASSERT_EQ(lines("node_drained").size(), 2U);
  probe_in_vain();
  EXPECT_EQ(run_->progress(at(8100ms)).status, "");
  tell(0, ended(0), 9000ms);
  EXPECT_EQ(run_->end().status(), RunStatus::kAborted) << "a task had started";
}

TEST_F(LiveDrain, AMasterThatGoesOnProbesWhatWasDrained) {
  begin();
  tell(1, started(1), 1100ms);
  for (std::int64_t container : {0, 2, 3}) fails(0, container, 1100ms);
  const std::string before = journal_;
  run_ = std::make_unique<LiveRun>(scenario_, options_, at(3s));
  for (std::size_t from = 0, end; (end = before.find('\n', from)) != std::string::npos;
       from = end + 1)
    ASSERT_TRUE(run_->recovery().take(Json::parse(before.substr(from, end - from))));
  Result<Effects> resumed = run_->resume(std::nullopt, at(3s));
  ASSERT_TRUE(resumed) << resumed.error().text;
  take(*resumed);
  for (int node : {0, 1}) {
    wire::Hello hello{wire::kProtocol, "r", node ? "n2" : "n1", incarnation(node), 1, 0, ""};
    hello.last_command = node ? 1 : 3;
    hello.last_report = node ? 1 : 3;
    take(run_->on_message(identity(node), hello, at(3100ms)));
  }
  EXPECT_EQ(run_->progress(at(3200ms)).nodes[0].state, "drained");
  time(3200ms);
  EXPECT_THAT(probes(), ElementsAre("a"));
  probed(0, "", 3300ms);
  EXPECT_EQ(lines("node_restored").size(), 1U);
}

}  // namespace heddle::master::live_drain_test
