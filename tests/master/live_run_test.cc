#include "master/live_run.h"

#include <map>

#include "tests/master/live_master.h"
#include "tests/support/matchers.h"

namespace heddle::master::live_run_test {

using namespace std::chrono_literals;

/// Returns a scenario with job "j" of two tasks at 0 s and job "late" of one task at 5 s.
Scenario small_scenario() {
  Scenario scenario = small_run(2);
  JobSpec& job = scenario.jobs[0];
  job.max_attempts = 2;
  JobSpec late = job;
  late.name = "late";
  late.submit = emu_seconds(5);
  late.phases[0].tasks = 1;
  scenario.jobs.push_back(late);
  return scenario;
}

class LiveRunTest : public LiveMaster {
 protected:
  explicit LiveRunTest(Scenario scenario = small_scenario()) : LiveMaster(std::move(scenario)) {}
  void beat(int node, std::chrono::milliseconds now, std::int64_t last_command = 0,
            const std::vector<std::int64_t>& containers = {},
            std::vector<wire::Report> reports = {}) {
    hear(node ? "b" : "a",
         heartbeat(static_cast<std::uint64_t>(node) + 1, last_command, containers,
                   std::move(reports)),
         now);
  }
  static std::vector<std::string> kinds(const Effects& effects) {
    std::vector<std::string> kinds;
    for (const auto& [to, message] : effects.send)
      for (const std::string& identity : to)
        kinds.push_back(identity + std::to_string(message.index()));
    return kinds;
  }
  /// Returns the commands of the last answer.
  const std::vector<wire::Command>& replied() const {
    return std::get<wire::HeartbeatReply>(last_.send.at(0).message).commands;
  }
};

TEST_F(LiveRunTest, WhatANodeUsesGoesByItsOwnClock) {
  join(0ms);
  wire::Heartbeat beat;
  beat.incarnation = 1;
  for (int second : {1, 2}) {
    beat.sequence = second;
    beat.monotonic_ns = std::chrono::nanoseconds(100ms * second).count();
    beat.node_cpu = CoreTime(500'000 * second);  // half a core-second in one second
    // The second heartbeat comes right behind the first, which was delayed.
    last_ = run_->on_message("a", beat, at(200ms + 1ms * second));
  }
  const auto sample = wire::Json::parse(last_.samples);
  EXPECT_DOUBLE_EQ(sample["cpu_cores"].get<double>(), 0.5) << last_.samples;
}

TEST_F(LiveRunTest, TimeBeginsWhenTheLastWorkerHasRegistered) {
  take(run_->open());
  join(1000ms);
  EXPECT_THAT(types(),
              ElementsAre("run", "node_registered@0", "node_registered@0", "job_submitted@0"));
  EXPECT_EQ(run_->next_time(), at(1500ms));  // the late job: 5 emulated seconds are 0.5 real ones
}

TEST_F(LiveRunTest, WhereDataServicesAreIsOneMessageToAll) {
  join(1000ms);
  auto peers = std::ranges::find_if(last_.send, [](const Sending& sending) {
    return std::holds_alternative<wire::Peers>(sending.message);
  });
  ASSERT_NE(peers, last_.send.end());
  EXPECT_THAT(peers->to, ElementsAre("a", "b"));
}

// Both nodes have a container of job j.
TEST_F(LiveRunTest, AWorkerTellsOfNoContainersButItsOwn) {
  join(1000ms);
  beat(0, 1100ms);
  beat(1, 1150ms);
  beat(0, 1200ms, 1, {0}, {reported(1, 1200ms, ended(1)), reported(2, 1200ms, ended(9))});
  EXPECT_THAT(journal_,
              HasSubstr(R"("reason":"about container 1, which was not launched on its node")"));
  EXPECT_THAT(journal_,
              HasSubstr(R"("reason":"about container 9, which was not launched on its node")"));
  EXPECT_THAT(journal_, Not(HasSubstr("container_ended")));
  // The wrong reports are acknowledged, and later ones about the worker's own containers are
  // accepted.
  EXPECT_EQ(std::get<wire::HeartbeatReply>(last_.send[0].message).last_report, 2);
  beat(0, 1300ms, 1, {}, {reported(3, 1300ms, ended(0))});
  EXPECT_THAT(journal_, HasSubstr("container_ended"));
}

TEST_F(LiveRunTest, LaunchesRideOnHeartbeatReplies) {
  join(1000ms);
  beat(0, 1100ms);
  ASSERT_EQ(last_.send.size(), 1U);
  ASSERT_EQ(replied().size(), 1U);
  const auto& launch = std::get<wire::LaunchCommand>(replied()[0].what);
  EXPECT_EQ(launch.job, "j");
  EXPECT_EQ(launch.phase, "map");
  EXPECT_EQ(launch.container, ContainerId{0});
}

/// Returns a scenario in which job "j" has a reduce, which may start early, after its two maps.
Scenario scenario_with_reduce() {
  Scenario scenario = small_scenario();
  PhaseSpec reduce = scenario.jobs[0].phases[0];
  reduce.kind = PhaseKind::kReduce;
  reduce.name = "reduce";
  reduce.tasks = 1;
  reduce.after = {0};
  scenario.jobs[0].phases.push_back(reduce);
  return scenario;
}
struct EarlyStartTest : LiveRunTest {
  EarlyStartTest() : LiveRunTest(scenario_with_reduce()) {}
};

TEST_F(EarlyStartTest, InputsThatAreReadyWaitForNoHeartbeat) {
  join(1000ms);
  beat(0, 1100ms);
  beat(1, 1100ms);
  beat(0, 1200ms, 1, {}, {reported(1, 1110ms, started(0)), reported(2, 1190ms, ended(0))});
  ASSERT_EQ(replied().size(), 1U);
  const auto launch = std::get<wire::LaunchCommand>(replied()[0].what);
  EXPECT_EQ(launch.phase, "reduce");
  EXPECT_TRUE(launch.work.waits);
  beat(1, 1250ms, 1, {1}, {reported(1, 1110ms, started(1))});
  wire::Reports last{2, {reported(2, 1290ms, ended(1))}};
  hear("b", last, 1290ms);
  ASSERT_EQ(last_.send.size(), 1U);
  EXPECT_THAT(last_.send[0].to, ElementsAre("a"));
  const auto& commands = std::get<wire::Commands>(last_.send[0].message).commands;
  ASSERT_FALSE(commands.empty());
  EXPECT_EQ(std::get<InputsReady>(commands.back().what).container, launch.container);
  EXPECT_THAT(journal_, HasSubstr(R"("type":"inputs_ready","container":2)"));
}

struct ShuffleTest : LiveRunTest {
  static Scenario scenario() {
    Scenario scenario = small_scenario();
    scenario.jobs[0].phases[0].shuffle.mean = 1000;
    return scenario;
  }
  ShuffleTest() : LiveRunTest(scenario()) {}
  std::vector<std::string> forgotten() const {
    std::vector<std::string> jobs;
    for (const wire::Command& command : replied())
      if (const auto* forget = std::get_if<wire::ForgetCommand>(&command.what))
        jobs.push_back(last_.send[0].to.front() + " " + forget->job);
    return jobs;
  }
};

TEST_F(ShuffleTest, WorkersForgetWhatAJobHandedOverWhenItIsOver) {
  join(1000ms);
  beat(0, 1100ms);
  beat(1, 1100ms);
  beat(0, 1300ms, 1, {}, {reported(1, 1110ms, started(0)), reported(2, 1290ms, ended(0))});
  EXPECT_THAT(forgotten(), IsEmpty());
  beat(1, 1300ms, 1, {}, {reported(1, 1110ms, started(1)), reported(2, 1280ms, ended(1))});
  EXPECT_THAT(forgotten(), ElementsAre("b j"));
  beat(0, 1400ms, 1);
  EXPECT_THAT(forgotten(), ElementsAre("a j"));
  beat(0, 1500ms, 2);
  EXPECT_THAT(forgotten(), IsEmpty());
}

/// Job "j" writes a file of 5000 bytes per map, with a copy on the other node.
struct CopiesTest : LiveRunTest {
  static Scenario scenario() {
    Scenario scenario = small_scenario();
    scenario.storage.replicas = 2;
    scenario.jobs[0].phases[0].output.mean = 5000;
    return scenario;
  }
  CopiesTest() : LiveRunTest(scenario()) {}
};

// Each node that is to store a copy is notified before the task that writes it can run.
TEST_F(CopiesTest, CopiesAreAnnouncedToWhoIsToMakeThem) {
  join(1000ms);
  beat(0, 1100ms);
  ASSERT_EQ(last_.send.size(), 2u);
  EXPECT_THAT(last_.send[0].to, ElementsAre("b"));
  const auto& told = std::get<wire::Commands>(last_.send[0].message).commands;
  const auto& reply = std::get<wire::HeartbeatReply>(last_.send[1].message).commands;
  ASSERT_EQ(told.size(), 1u);
  ASSERT_EQ(reply.size(), 1u);
  const auto& copy = std::get<wire::ExpectCommand>(told[0].what);
  const auto& launch = std::get<wire::LaunchCommand>(reply[0].what);
  ASSERT_EQ(launch.work.writes.size(), 1u);
  EXPECT_THAT(launch.work.writes[0].copies, ElementsAre(NodeId{1}));
  EXPECT_EQ(copy.object, launch.work.writes[0].object);
  EXPECT_EQ(copy.size, EmuBytes(5000));
  EXPECT_FALSE(copy.kept);
  EXPECT_EQ(copy.from, NodeId{0});
}

TEST_F(LiveRunTest, ImmediateDispatchSendsAtOnce) {
  scenario_.cluster.dispatch = Dispatch::kImmediate;
  join(1000ms);
  int commands = 0;
  for (const auto& [to, message] : last_.send)
    commands += std::holds_alternative<wire::Commands>(message);
  EXPECT_EQ(commands, 2);  // one task on each node
}

// The heartbeat period is 1 s at time_scale 0.1: the nodes' are due 0 and 50 ms into every 100 ms.
TEST_F(LiveRunTest, SpreadsHeartbeatsOverThePeriod) {
  join(1000ms);
  std::map<std::string, wire::Beat> next;
  for (const auto& [to, message] : last_.send)
    if (const auto* due = std::get_if<wire::Beat>(&message)) next[to.front()] = *due;
  EXPECT_EQ(next["a"].next_in, 0ms);
  EXPECT_EQ(next["b"].next_in, 50ms);
  EXPECT_EQ(next["b"].due_ns - next["a"].due_ns, 50'000'000);
}

Scenario loaded_scenario() {
  Scenario scenario = small_scenario();
  const Resources one{Millicores(1000), EmuBytes(1 << 20)};
  scenario.external_load = {{{NodeId{0}, NodeId{1}}, emu_seconds(0), emu_seconds(3), one},
                            {{NodeId{1}}, emu_seconds(4), std::nullopt, one}};
  return scenario;
}
class ExternalLoadTest : public LiveRunTest {
 protected:
  ExternalLoadTest() : LiveRunTest(loaded_scenario()) {}
  /// Returns "a 1000" (receiver and millicores) for each load among the last effects.
  std::vector<std::string> loads() const {
    std::vector<std::string> loads;
    for (const auto& [to, message] : last_.send)
      if (const auto* commands = std::get_if<wire::Commands>(&message))
        if (const auto* load = std::get_if<ExternalLoad>(&commands->commands.back().what))
          loads.push_back(to.front() + " " + std::to_string(load->load.cores.count()));
    return loads;
  }
};

TEST_F(ExternalLoadTest, IsToldAtOnceAndRecorded) {
  join(1000ms);
  EXPECT_THAT(loads(), ElementsAre("a 1000", "b 1000"));
  EXPECT_EQ(run_->next_time(), at(1300ms));
  beat(0, 1250ms, 1);
  beat(1, 1250ms, 1);
  time(1301ms);
  EXPECT_THAT(loads(), ElementsAre("a 0", "b 0"));
  time(1400ms);
  EXPECT_THAT(loads(), ElementsAre("b 1000"));
  EXPECT_THAT(types(), IsSupersetOf({"external_load@0", "external_load@0", "external_load@3",
                                     "external_load@3", "external_load@4"}));
  EXPECT_EQ(run_->next_time(), at(1500ms));  // the late job
}

TEST_F(ExternalLoadTest, IsToldAWorkerThatComesAnew) {
  join(1000ms);
  beat(0, 2900ms, 1);
  beat(1, 2900ms, 1);
  time(2950ms);  // 19.5 s: n2 has a load of 1000 since 4 s
  hear("b", hello("n2", 7), 2960ms);
  EXPECT_THAT(loads(), ElementsAre("b 1000"));
}

TEST_F(LiveRunTest, RunsToItsEnd) {
  join(1000ms);
  beat(0, 1100ms);
  beat(1, 1100ms);
  beat(0, 1300ms, 1, {}, {reported(1, 1110ms, started(0)), reported(2, 1290ms, ended(0))});
  beat(1, 1300ms, 1, {}, {reported(1, 1110ms, started(1)), reported(2, 1280ms, ended(1))});
  time(1500ms);
  beat(0, 1600ms, 1);
  beat(0, 1800ms, 2, {}, {reported(3, 1610ms, started(2)), reported(4, 1700ms, ended(2))});
  EXPECT_EQ(run_->end().status(), RunStatus::kDone);
  EXPECT_THAT(kinds(last_), ElementsAre("a6", "a8", "b8"));  // reply, then shutdown to both
  EXPECT_FALSE(run_->end().over());
  hear("a", wire::Goodbye{1, "bye", 0.5, 0.25}, 1810ms);
  hear("b", wire::Goodbye{2, "bye", 0.25, 0.125}, 1820ms);
  EXPECT_TRUE(run_->end().over());
  EXPECT_EQ(run_->progress(at(1820ms)).nodes[0].state, "left");
  EXPECT_THAT(types(),
              ElementsAre("node_registered@0", "node_registered@0", "job_submitted@0",
                          "heartbeat@1", "launch@1", "heartbeat@1", "launch@1",
                          "container_started@1.1", "container_ended@2.9", "container_started@1.1",
                          "container_ended@2.8", "heartbeat@3", "job_finished@3", "job_submitted@5",
                          "heartbeat@6", "launch@6", "container_started@6.1", "container_ended@7",
                          "heartbeat@8", "job_finished@8", "leaving@8.0"));
  auto end = wire::Json::parse(run_->end_line(0.125, at(2000ms)));
  EXPECT_EQ(end["status"], "done");
  EXPECT_THAT(end["overhead"], HasMembers(R"({"master_cpu_s":0.125,"workers_cpu_s":0.75,)"
                                          R"("data_cpu_s":0.375})"));
}

TEST_F(LiveRunTest, ProgressTellsOfStartsKillsAndTheEnd) {
  join(1000ms);
  EXPECT_EQ(run_->progress(at(1050ms)).job_list[0].waiting_s, 0.5);  // so far
  beat(0, 1100ms);
  beat(1, 1100ms);
  ContainerEnded killed = ended(0, Outcome::kOomKilled);
  killed.oom = OomCause::kContainer;
  beat(0, 1300ms, 1, {}, {reported(1, 1110ms, started(0)), reported(2, 1290ms, killed)});
  beat(1, 1300ms, 1, {}, {reported(1, 1120ms, started(1))});
  wire::Progress progress = run_->progress(at(1400ms));
  EXPECT_EQ(progress.scenario, "small");
  EXPECT_EQ(progress.policy, "fifo");
  EXPECT_DOUBLE_EQ(progress.job_list[0].waiting_s.value_or(-1), 1.1);
  EXPECT_FALSE(progress.job_list[1].waiting_s);
  EXPECT_EQ(progress.events, 2);
  EXPECT_THAT(progress.last_events,
              ElementsAre("1.1 s  job j started",
                          "2.9 s  j/map 0 killed on n1 for lack of memory (its own limit)"));
  EXPECT_EQ(progress.status, "");
  take(run_->stop(RunStatus::kInterrupted, "interrupted", at(1500ms)));
  progress = run_->progress(at(1500ms));
  EXPECT_EQ(progress.status, "interrupted");
  EXPECT_FALSE(progress.final);
}

TEST_F(LiveRunTest, LostNodeEndsItsContainersFirst) {
  join(1000ms);
  beat(0, 1100ms);
  beat(1, 2900ms);
  journal_.clear();
  time(3100ms);
  EXPECT_THAT(types(), ElementsAre("container_ended@21", "node_lost@21"));
  EXPECT_THAT(journal_, HasSubstr(R"("outcome":"lost")"));
  EXPECT_EQ(run_->progress(at(3100ms)).nodes[0].state, "lost");
}

// The heartbeats of n2 are due at 0.5 s, 1.5 s and so on. The worker of n2 registers last and sends
// one at once, after the run has begun.
TEST_F(LiveRunTest, AHeartbeatBeforeTheScheduleBeginsGetsNoContainer) {
  join(1000ms);
  beat(1, 1001ms);
  EXPECT_THAT(lines("launch"), IsEmpty());
  EXPECT_EQ(replied().size(), 0U);
  beat(0, 1002ms);
  ASSERT_THAT(lines("launch"), SizeIs(1));
  EXPECT_EQ(lines("launch")[0]["node"], 0);
  beat(1, 1050ms);
  EXPECT_THAT(lines("heartbeat"), SizeIs(2));
}

// "late" is submitted at 5 s, when the heartbeat of n1 is due. The heartbeat wakes the master up.
TEST_F(LiveRunTest, AJobThatIsDueIsSubmittedBeforeAHeartbeatThatArrivesThen) {
  join(1000ms);
  beat(0, 1100ms);
  beat(1, 1150ms);
  beat(0, 1200ms, 1, {}, {reported(1, 1190ms, ended(0))});
  ASSERT_THAT(lines("launch"), SizeIs(2));
  beat(0, 1500ms, 1);
  ASSERT_THAT(lines("launch"), SizeIs(3));
  EXPECT_EQ(lines("launch")[2]["job"], 1);
  EXPECT_EQ(lines("launch")[2]["t"], 5.0);
}

// Nodes are lost after a silence of 2 s. Then the run waits for 10 s.
TEST_F(LiveRunTest, EveryNodeLostAbortsIfNoWorkerComesBack) {
  join(1000ms);
  time(3s);
  EXPECT_EQ(types().back(), "node_lost@20");
  EXPECT_FALSE(run_->end().over());
  time(3s);
  EXPECT_EQ(run_->next_time(), at(13s));
  EXPECT_THAT(run_->progress(at(3100ms)).last_events,
              Contains(HasSubstr("every node is lost; waits 10 s for workers to come back")));
  time(12'900ms);
  EXPECT_FALSE(run_->end().over());
  time(13s);
  EXPECT_EQ(run_->end().status(), RunStatus::kAborted);
  EXPECT_EQ(run_->end().reason(), "every node was lost, and no worker came back within 10 s");
  EXPECT_TRUE(run_->end().over());
}

// When the node is lost again, the wait begins again.
TEST_F(LiveRunTest, AWorkerThatComesBackEndsTheWait) {
  join(1000ms);
  time(3s);
  hear("c", hello("n1", 7), 9s);
  for (std::chrono::seconds now = 9s; now <= 20s; now += 1s) hear("c", heartbeat(7, 0), now);
  time(20s);
  EXPECT_FALSE(run_->end().over());
  EXPECT_EQ(run_->progress(at(20s)).nodes[0].state, "alive");
  time(22s);
  time(31'900ms);
  EXPECT_FALSE(run_->end().over());
  time(32s);
  EXPECT_TRUE(run_->end().over());
}

/// A job "j" of one gang, which needs both nodes.
class LiveGang : public LiveRunTest {
 protected:
  LiveGang() : LiveRunTest(gang()) {}

  static Scenario gang() {
    Scenario scenario = small_run(2);
    scenario.jobs[0].phases[0].gang = true;
    return scenario;
  }
};

// Both nodes are silent from 1 s to 4 s. They come back one after the other.
TEST_F(LiveGang, WaitsForAllNodesThatWereLost) {
  join(1000ms);
  time(3s);
  EXPECT_THAT(lines("node_lost"), SizeIs(2));
  for (const wire::Json& lost : lines("node_lost")) EXPECT_EQ(lost.value("returns", false), true);
  hear("c", hello("n1", 7), 4s);
  hear("c", heartbeat(7, 0), 4s);
  time(4500ms);
  EXPECT_THAT(lines("job_finished"), IsEmpty());
  hear("d", hello("n2", 8), 5s);
  hear("c", heartbeat(7, 0), 5s);
  hear("d", heartbeat(8, 0), 5s);
  EXPECT_THAT(lines("launch"), SizeIs(2));
  EXPECT_FALSE(run_->end().over());
}

// The patience of 10 s begins at 3 s.
TEST_F(LiveGang, FailsIfANodeDoesNotComeBack) {
  join(1000ms);
  time(3s);
  hear("c", hello("n1", 7), 4s);
  for (std::chrono::seconds now = 4s; now < 13s; now += 1s) {
    time(now);
    hear("c", heartbeat(7, 0), now);
  }
  EXPECT_EQ(run_->next_time(), at(13s));
  EXPECT_FALSE(run_->end().over());
  time(13s);
  ASSERT_THAT(lines("node_lost"), SizeIs(3));
  EXPECT_EQ(lines("node_lost")[2]["reason"], "its worker did not come back");
  EXPECT_FALSE(lines("node_lost")[2].contains("returns"));
  EXPECT_EQ(run_->end().status(), RunStatus::kFailed);
  EXPECT_THAT(run_->end().trouble(), HasSubstr("could not hold all tasks of phase map at once"));
}

TEST_F(LiveRunTest, ALateWordThatNoWorkerComesEndsTheWait) {
  join(1000ms);
  time(3s);
  EXPECT_FALSE(run_->end().over());
  take(run_->expect_no_worker(at(3100ms)));
  EXPECT_EQ(run_->end().reason(), "every node was lost");
  EXPECT_TRUE(run_->end().over());
}

TEST_F(LiveRunTest, NobodyWaitsForWorkersThatHaveEnded) {
  join(1000ms);
  take(run_->expect_no_worker(at(2000ms)));
  EXPECT_EQ(lines("node_lost").at(0)["reason"], "its worker has ended");
  EXPECT_EQ(run_->end().reason(), "every node was lost");
  EXPECT_TRUE(run_->end().over());
}

// n1 is silent from 1 s on and awaited. n2 is heard until its worker ends as well.
TEST_F(LiveGang, CanBeResumedIfTheWorkersEndOneAfterTheOther) {
  join(1000ms);
  hear("b", heartbeat(2, 0), 2900ms);
  time(3s);
  ASSERT_THAT(lines("node_lost"), SizeIs(1));
  take(run_->expect_no_worker(at(3500ms)));
  EXPECT_THAT(lines("job_finished"), IsEmpty());
  EXPECT_EQ(run_->end().status(), RunStatus::kAborted);
  EXPECT_THAT(lines("node_lost"), SizeIs(3)) << "n1 is given up";
}

// n2 is lost at 3 s and awaited until 13 s. A stop of 7 s makes that 20 s.
TEST_F(LiveGang, TheTimeInWhichTheMasterDidNotRunDoesNotCount) {
  join(1000ms);
  time(3s);
  run_->note_stall(7s);
  hear("c", hello("n1", 7), 14s);
  for (std::chrono::seconds now = 14s; now < 20s; now += 1s) {
    hear("c", heartbeat(7, 0), now);
    time(now);
    EXPECT_THAT(lines("job_finished"), IsEmpty());
  }
  time(20s);
  EXPECT_THAT(lines("job_finished"), SizeIs(1));
}

TEST_F(LiveRunTest, JobThatFailsIsStatusFailed) {
  join(1000ms);
  beat(0, 1100ms);
  beat(0, 1200ms, 1, {}, {reported(1, 1150ms, ended(0, Outcome::kFailed))});
  beat(0, 1300ms, 2, {}, {reported(2, 1250ms, ended(1, Outcome::kFailed))});
  time(1500ms);
  beat(0, 1600ms, 2);
  beat(0, 1700ms, 3, {}, {reported(3, 1650ms, ended(2))});
  EXPECT_EQ(run_->end().status(), RunStatus::kFailed);
  EXPECT_THAT(run_->end().trouble(), HasSubstr("job j failed: task 0 of phase map failed 2 times"));
}

TEST_F(LiveRunTest, WorkersThatNeverComeAreNamed) {
  hear("a", hello("n1", 1), 0ms);
  time(10s);
  EXPECT_EQ(run_->end().status(), RunStatus::kAborted);
  EXPECT_EQ(run_->end().reason(), "no worker came for node n2 within 10 s");
}

TEST_F(LiveRunTest, TheWaitForWorkersBeginsAnewWithEachThatComes) {
  hear("a", hello("n1", 1), 6s);
  EXPECT_EQ(run_->next_time(), at(16s));
  // A repeated hello of the same node does not count as another node.
  hear("a", hello("n1", 3), 9s);
  time(15999ms);
  EXPECT_EQ(run_->progress(at(15999ms)).status, "");
  time(16s);
  EXPECT_EQ(run_->end().status(), RunStatus::kAborted);
}

TEST_F(LiveRunTest, OfManyWorkersThatNeverComeAFewAreNamed) {
  for (int i = 3; i <= 14; ++i) {
    scenario_.cluster.nodes.push_back(scenario_.cluster.nodes[0]);
    scenario_.cluster.nodes.back().name = "n" + std::to_string(i);
  }
  LiveRun run(scenario_, {"r", true, 0, 10s}, at(0ms));
  take(run.on_time(at(10s)));
  EXPECT_EQ(run.end().reason(),
            "no worker came for node n1 n2 n3 n4 n5 n6 n7 n8 n9 n10 and 4 more within 10 s");
  EXPECT_EQ(run.end().trouble(), run.end().reason());
}

TEST_F(LiveRunTest, StopTellsWorkersAndDecidesNoMore) {
  join(1000ms);
  beat(0, 1100ms);
  take(run_->stop(RunStatus::kInterrupted, "interrupted", at(1200ms)));
  EXPECT_EQ(kinds(last_), (std::vector<std::string>{"a8", "b8"}));
  beat(0, 1300ms, 1, {}, {reported(1, 1250ms, ended(0, Outcome::kKilled))});
  EXPECT_TRUE(replied().empty() || replied().back().number == 1);
  time(1900ms);  // goodbyes have 0.7 s
  EXPECT_TRUE(run_->end().over());
  EXPECT_EQ(run_->end().status(), RunStatus::kInterrupted);
}

TEST_F(LiveRunTest, MessageForAWorkerIsAnsweredWithAnError) {
  join(1000ms);
  hear("a", wire::Shutdown{"you go"}, 1100ms);
  EXPECT_EQ(std::get<wire::ErrorMessage>(last_.send.at(0).message).text,
            "unexpected kind of message: a master does not accept it");
}

/// Returns a run in which the application master of a job fills its node, so that its task can't
/// start there.
Scenario filled_by_masters(int nodes, std::vector<std::string> jobs) {
  Scenario scenario = cluster_of(nodes, 1, 4);
  scenario.name = "small";
  scenario.cluster.dispatch = Dispatch::kHeartbeat;
  scenario.emulation.time_scale = scenario.emulation.core_fraction = 0.1;
  scenario.emulation.memory_scale = 0.01;
  for (const std::string& name : jobs) {
    JobSpec job = job_of(name, {phase_of("am", 1), phase_of("map", 1)});
    job.phases[0].kind = PhaseKind::kAm;
    scenario.jobs.push_back(job);
  }
  return scenario;
}

class StuckRunTest : public LiveRunTest {
 protected:
  StuckRunTest() : LiveRunTest(filled_by_masters(1, {"j"})) {}
};

// A heartbeat each emulated second. The first ones bring the master's launch and start.
TEST_F(StuckRunTest, EndsWhenNothingCanHappenAnyMore) {
  hear("a", hello("n1", 1), 0ms);
  beat(0, 100ms);
  ASSERT_THAT(lines("launch"), SizeIs(1));
  beat(0, 200ms, 1, {0}, {reported(1, 200ms, started(0))});
  for (int i = 3; i < 900; ++i) beat(0, i * 100ms, 1, {0});
  EXPECT_THAT(lines("leaving"), IsEmpty()) << "it may wait for something";
  for (int i = 900; i < 1100; ++i) beat(0, i * 100ms, 1, {0});
  ASSERT_THAT(lines("leaving"), SizeIs(1));
  EXPECT_EQ(lines("leaving")[0]["status"], "aborted");
  EXPECT_EQ(lines("leaving")[0]["reason"],
            "the run is stuck: no task runs and heartbeats lead to no action; unfinished jobs: j");
}

class StuckBesideALostNodeTest : public LiveRunTest {
 protected:
  StuckBesideALostNodeTest() : LiveRunTest(filled_by_masters(3, {"j", "k"})) {}
};

// The worker of n3 is gone, and n3 is given up after the patience of 10 s. n1 and n2 could hold one
// job.
TEST_F(StuckBesideALostNodeTest, EndsOnceTheNodeIsGivenUp) {
  join(0ms);
  hear("c", hello("n3", 3), 0ms);
  for (int node : {0, 1}) beat(node, 100ms);
  ASSERT_THAT(lines("launch"), SizeIs(2));
  for (int node : {0, 1}) beat(node, 200ms, 1, {node}, {reported(1, 200ms, started(node))});
  std::chrono::milliseconds now = 300ms;
  for (; now < 12s; now += 100ms) {
    time(now);
    for (int node : {0, 1}) beat(node, now, 1, {node});
  }
  EXPECT_THAT(lines("node_lost"), SizeIs(1));
  EXPECT_THAT(lines("leaving"), IsEmpty());
  for (; now < 500s && lines("leaving").empty(); now += 100ms) {
    time(now);
    for (int node : {0, 1}) beat(node, now, 1, {node});
  }
  EXPECT_THAT(lines("node_lost"), SizeIs(2));
  ASSERT_THAT(lines("leaving"), SizeIs(1));
  EXPECT_EQ(
      lines("leaving")[0]["reason"],
      "the run is stuck: no task runs and heartbeats lead to no action; unfinished jobs: j, k");
}

}  // namespace heddle::master::live_run_test
