#include "tests/master/live_master.h"
#include "tests/support/job.h"
#include "tests/support/matchers.h"

namespace heddle::master::resume_test {

using namespace std::chrono_literals;
using wire::Json;

/// Returns a scenario with three tasks and no reservations.
Scenario small_scenario() {
  Scenario scenario = small_run(3);
  scenario.policy.options = {{"reserve", "false"}};
  return scenario;
}

constexpr std::uint64_t kFirst = 11, kSecond = 22, kThird = 33;

class ResumeTest : public LiveMaster {
 protected:
  ResumeTest() : LiveMaster(small_scenario()) {
    options_.realtime_offset_s = 100;
    begin();
  }
  /// Brings the run to 2 s emulated: both nodes have a task, and the one of n1 has started.
  void live() {
    take(run_->open());
    hear("a", hello("n1", kFirst), 1000ms);
    hear("b", hello("n2", kSecond), 1000ms);
    hear("a", heartbeat(kFirst, 0), 1100ms);
    hear("b", heartbeat(kSecond, 0), 1100ms);
    hear("a", heartbeat(kFirst, 1, {0}, {reported(1, 1150ms, started(0))}), 1200ms);
  }
  /// Kills the master and restarts it.
  std::string die(std::chrono::milliseconds now, std::optional<EmuTime> last_sample = {}) {
    begin(now);
    for (const Json& line : lines())
      if (Result<void> lived = run_->recovery().take(line); !lived) return lived.error().text;
    Result<Effects> resumed = run_->resume(last_sample, at(now));
    if (!resumed) return resumed.error().text;
    take(*resumed);
    return "";
  }
  std::vector<Json> lines() const { return records_of(journal_); }
  std::vector<std::int64_t> commands() const {
    std::vector<std::int64_t> numbers;
    for (const auto& [to, message] : last_.send)
      if (const auto* reply = std::get_if<wire::HeartbeatReply>(&message))
        for (const wire::Command& command : reply->commands) numbers.push_back(command.number);
    return numbers;
  }
  template <class M>
  bool sent() const {
    return std::any_of(last_.send.begin(), last_.send.end(),
                       [](const auto& s) { return std::holds_alternative<M>(s.message); });
  }
};

TEST_F(ResumeTest, GoesOnWithTheWorkersThatAreThere) {
  live();
  const std::size_t before = lines().size();
  ASSERT_EQ(die(2000ms), "");
  hear("a", heartbeat(kFirst, 1, {0}), 2010ms);
  EXPECT_TRUE(sent<wire::Introduce>());
  hear("a", hello("n1", kFirst, 1, 1), 2020ms);
  hear("a", heartbeat(kFirst, 1, {0}), 2030ms);
  EXPECT_THAT(commands(), IsEmpty());  // its start acknowledged its launch
  EXPECT_THAT(types(before), IsEmpty()) << "n2 is not there yet";
  hear("b", hello("n2", kSecond), 2100ms);
  EXPECT_THAT(types(before), ElementsAre("resumed@2.0"));
  EXPECT_DOUBLE_EQ(lines().back()["downtime_s"], 0.9);  // since the line of 1.2 s
  hear("b", heartbeat(kSecond, 0), 2150ms);
  EXPECT_THAT(commands(), ElementsAre(1)) << "what never left is sent now";
  hear("a", heartbeat(kFirst, 1, {}, {reported(2, 1500ms, ended(0))}), 2200ms);
  // The container ended while emulated time stood still.
  EXPECT_THAT(types(before + 1), ElementsAre("container_ended@2", "heartbeat@3", "launch@3"));
  EXPECT_THAT(commands(), ElementsAre(2));
}

/// Each task writes a file with a copy on the other node, which gets an announcement.
struct CopiesResumeTest : ResumeTest {
  CopiesResumeTest() {
    scenario_.storage.replicas = 2;
    scenario_.jobs[0].phases[0].output.mean = 5000;
    begin();
  }
};

// Both nodes have carried out two commands, a launch and an announcement.
TEST_F(CopiesResumeTest, AnnouncementsHaveTheirNumbersAgain) {
  take(run_->open());
  hear("a", hello("n1", kFirst), 1000ms);
  hear("b", hello("n2", kSecond), 1000ms);
  hear("a", heartbeat(kFirst, 0), 1100ms);
  hear("b", heartbeat(kSecond, 1), 1100ms);
  EXPECT_THAT(commands(), ElementsAre(2));
  hear("a", heartbeat(kFirst, 2, {0}, {reported(1, 1150ms, started(0))}), 1200ms);
  EXPECT_THAT(commands(), IsEmpty());
  ASSERT_EQ(die(2000ms), "");
  hear("a", hello("n1", kFirst, 2, 1), 2010ms);
  EXPECT_TRUE(sent<wire::Welcome>());
  hear("b", hello("n2", kSecond, 2), 2010ms);
  EXPECT_TRUE(sent<wire::Welcome>());
  hear("a", heartbeat(kFirst, 2, {0}), 2050ms);
  EXPECT_THAT(commands(), IsEmpty());
  hear("b", heartbeat(kSecond, 2, {1}), 2050ms);
  EXPECT_THAT(commands(), IsEmpty());
}

TEST_F(ResumeTest, ReportsThatAreInTheJournalAreNotTakenTwice) {
  live();
  ASSERT_EQ(die(2000ms), "");
  hear("b", hello("n2", kSecond), 2000ms);
  hear("a", hello("n1", kFirst, 1, 0), 2000ms);  // the acknowledgement never arrived
  const std::size_t before = lines().size();
  hear("a", heartbeat(kFirst, 1, {0}, {reported(1, 1150ms, started(0))}), 2050ms);
  EXPECT_THAT(types(before), IsEmpty());
}

TEST_F(ResumeTest, WorkersAnewLoseWhatTheirNodesHad) {
  live();
  const std::size_t before = lines().size();
  ASSERT_EQ(die(2000ms), "");
  hear("c", hello("n1", kThird), 2500ms);
  hear("b", hello("n2", kSecond), 2500ms);
  EXPECT_THAT(types(before),
              ElementsAre("resumed@2.0", "container_ended@2", "node_lost@2", "node_registered@2"));
  EXPECT_EQ(lines()[before + 1]["outcome"], "lost");
  hear("c", heartbeat(kThird, 0), 2600ms);
  EXPECT_THAT(commands(), ElementsAre(1));
  EXPECT_EQ(lines().back()["attempt"], 2);
}

TEST_F(ResumeTest, WhoDoesNotComeBackInTimeIsLost) {
  live();
  const std::size_t before = lines().size();
  ASSERT_EQ(die(2000ms), "");
  hear("a", hello("n1", kFirst, 1, 1), 2100ms);
  EXPECT_EQ(run_->next_time(), at(7000ms));
  // The master answers the worker of n1 as long as it waits for the other one.
  hear("a", heartbeat(kFirst, 1, {0}), 4000ms);
  EXPECT_TRUE(sent<wire::HeartbeatReply>());
  hear("a", heartbeat(kFirst, 1, {0}), 6000ms);
  time(7000ms);
  EXPECT_THAT(types(before), ElementsAre("resumed@2.0", "container_ended@2", "node_lost@2"));
  // The late worker must begin a new incarnation.
  hear("b", heartbeat(kSecond, 1, {1}), 7100ms);
  EXPECT_TRUE(sent<wire::Rejoin>());
  hear("b", hello("n2", kSecond, 1, 0), 7200ms);
  EXPECT_TRUE(sent<wire::Rejoin>()) << "what was given up does not come back";
}

TEST_F(ResumeTest, TimeGoesOnFromTheLastSample) {
  live();
  ASSERT_EQ(die(9000ms, emu_seconds(20)), "");
  hear("a", hello("n1", kFirst, 1, 1), 9100ms);
  hear("b", hello("n2", kSecond), 9100ms);
  EXPECT_EQ(lines().back()["t"], 20.0);
  EXPECT_DOUBLE_EQ(lines().back()["downtime_s"], 6.1);  // the previous master lived until 3 s
}

// The line that decides is written before anything leaves, so no half of a step is visible outside.
TEST_F(ResumeTest, TheOutcomeOfACutStepIsCompleted) {
  live();
  const std::string whole = journal_;
  const std::size_t end = journal_.rfind("{\"type\":\"launch\"");
  const std::string launch = journal_.substr(end, journal_.find('\n', end) + 1 - end);
  journal_.resize(end);  // also removes later events of n1
  ASSERT_EQ(die(2000ms), "");
  EXPECT_EQ(types(lines().size() - 1), std::vector<std::string>{"launch@1"});
  Json was = Json::parse(launch), is = lines().back();
  was.erase("wall");
  is.erase("wall");
  EXPECT_EQ(is, was);
  EXPECT_EQ(die(3000ms), "") << "and may be taken up once more";
}

TEST_F(ResumeTest, AWorkerThatHasDoneMoreThanTheJournalKnowsBeginsAnew) {
  live();
  for (const auto& [last_command, last_report] : {std::pair{2, 1}, {1, 2}}) {
    ASSERT_EQ(die(2000ms), "");
    hear("a", hello("n1", kFirst, last_command, last_report), 2100ms);
    EXPECT_TRUE(sent<wire::Rejoin>());
    EXPECT_FALSE(sent<wire::Welcome>());
  }
}

TEST_F(ResumeTest, BeforeTheFirstStepItRegistersAnew) {
  take(run_->open());
  hear("a", hello("n1", kFirst), 1000ms);
  ASSERT_EQ(die(2000ms), "");
  EXPECT_THAT(types(0), ElementsAre("run", "resumed@0.0"));
  hear("a", heartbeat(kFirst, 0), 2100ms);
  EXPECT_TRUE(sent<wire::Rejoin>());
  hear("a", hello("n1", kThird), 2200ms);
  hear("b", hello("n2", kSecond), 2200ms);
  EXPECT_THAT(types(2), ElementsAre("node_registered@0", "node_registered@0", "job_submitted@0"));
}

TEST_F(ResumeTest, OneThatDiedBeforeItsFirstLineBegins) {
  ASSERT_EQ(die(0ms), "");
  EXPECT_THAT(types(0), ElementsAre("run"));
}

TEST_F(ResumeTest, AnInterruptedRunGoesOn) {
  live();
  take(run_->stop(RunStatus::kInterrupted, "interrupted", at(1300ms)));
  hear("a", wire::Reports{kFirst, {reported(2, 1310ms, ended(0, Outcome::kKilled))}}, 1320ms);
  hear("a", wire::Goodbye{kFirst, "", 0, 0}, 1330ms);
  hear("b", wire::Goodbye{kSecond, "", 0, 0}, 1330ms);
  ASSERT_TRUE(run_->end().over());
  journal_ += run_->end_line(0, at(1400ms));
  const std::size_t before = lines().size();
  ASSERT_EQ(die(5000ms), "");
  hear("a", hello("n1", kThird), 5100ms);
  hear("b", hello("n2", kThird + 1), 5100ms);
  // The end of container 0 was recorded, so it is not lost as well.
  EXPECT_THAT(types(before), ElementsAre("resumed@4.0", "node_lost@4", "node_registered@4",
                                         "container_ended@4", "node_lost@4", "node_registered@4"));
  EXPECT_EQ(lines()[before + 3]["container"], 1);
  hear("a", heartbeat(kThird, 0), 5200ms);
  EXPECT_EQ(lines().back()["type"], "launch");
  EXPECT_EQ(die(6000ms), "") << "such a journal lives again too";
}

TEST_F(ResumeTest, ARunThatHasEndedIsNotTakenUp) {
  live();
  journal_ += R"({"type":"leaving","status":"done","reason":"","t":2.0,"wall":102})"
              "\n"
              R"({"type":"end","status":"done","reason":"","t":2.0,"wall":102})"
              "\n";
  EXPECT_EQ(run_->recovery().ended_as(), std::nullopt);
  EXPECT_EQ(die(2000ms), "the run has ended (done) and cannot be resumed");
  EXPECT_EQ(run_->recovery().ended_as(), RunStatus::kDone);
}

TEST_F(ResumeTest, WhatIsNoReportIsAnError) {
  live();
  const std::string good = journal_;
  for (const char* mark : {"[2,1]", "[0]", "7", "[0,-1]"}) {
    journal_ = good;
    journal_.replace(journal_.find("[0,1]"), 5, mark);
    EXPECT_EQ(die(2000ms), "record.report: expected a node and a number") << mark;
  }
}

TEST_F(ResumeTest, AJournalThatSaysOtherwiseIsNotTakenUp) {
  live();
  journal_.replace(journal_.find("\"task\":1"), 8, "\"task\":2");
  EXPECT_THAT(die(2000ms), HasSubstr("the engine's decision in step"));
}

/// Returns a run whose worker of n2 is killed at 1 s and is to be restarted at 2 s.
Scenario with_a_killed_worker() {
  Scenario scenario = small_scenario();
  FaultSpec kill = fault_of(FaultKind::kKillWorker, {NodeId{1}}, 1);
  kill.restart_after = emu_seconds(1);
  scenario.faults = {kill};
  return scenario;
}

// The restart is at 1200 ms, and the worker has 15 s to return.
TEST_F(ResumeTest, ANodeThatWasGivenUpIsNotGivenUpAgain) {
  scenario_ = with_a_killed_worker();
  begin();
  take(run_->open());
  hear("a", hello("n1", kFirst), 1000ms);
  hear("b", hello("n2", kSecond), 1000ms);
  for (auto now = 1100ms; now <= 16500ms; now += 1100ms) {
    hear("a", heartbeat(kFirst, 0), now);
    time(now);
  }
  ASSERT_EQ(LiveMaster::lines("node_lost").size(), 2U);
  ASSERT_EQ(die(17000ms), "");
  hear("a", hello("n1", kFirst), 17100ms);
  time(17200ms);
  EXPECT_EQ(LiveMaster::lines("node_lost").size(), 2U);
}

/// A run of a gang that needs both nodes, and that has ended because both were lost.
class ResumeGang : public ResumeTest {
 protected:
  ResumeGang() {
    scenario_.jobs[0].phases[0].tasks = 2;
    scenario_.jobs[0].phases[0].gang = true;
    begin();
    take(run_->open());
    hear("a", hello("n1", kFirst), 1000ms);
    hear("b", hello("n2", kSecond), 1000ms);
  }
};

TEST_F(ResumeGang, WaitsForAllNodesIfNoneWasLeft) {
  take(run_->expect_no_worker(at(2s)));
  ASSERT_TRUE(run_->end().over());
  journal_ += run_->end_line(0, at(2s));
  ASSERT_EQ(die(5s), "");
  EXPECT_EQ(run_->next_time(), at(15s)) << "the patience is 10 s";
  hear("c", hello("n1", kThird), 6s);
  time(6100ms);
  EXPECT_THAT(LiveMaster::lines("resumed"), IsEmpty());
  hear("d", hello("n2", kThird + 1), 12s);
  EXPECT_THAT(LiveMaster::lines("resumed"), SizeIs(1));
  EXPECT_THAT(LiveMaster::lines("job_finished"), IsEmpty());
  hear("c", heartbeat(kThird, 0), 12'100ms);
  hear("d", heartbeat(kThird + 1, 0), 12'100ms);
  EXPECT_THAT(LiveMaster::lines("launch"), SizeIs(2));
}

// n1 was lost at 3 s and is still awaited when the master dies. No worker is left.
TEST_F(ResumeGang, AWordThatNoWorkerComesEndsTheRunAtOnce) {
  hear("b", heartbeat(kSecond, 0), 2900ms);
  time(3s);
  ASSERT_THAT(LiveMaster::lines("node_lost"), SizeIs(1));
  ASSERT_EQ(die(4s), "");
  hear("b", hello("n2", kSecond), 4100ms);
  take(run_->expect_no_worker(at(4200ms)));
  EXPECT_EQ(run_->end().status(), RunStatus::kAborted);
  EXPECT_THAT(LiveMaster::lines("job_finished"), IsEmpty());
}

TEST_F(ResumeGang, AWordThatNoWorkerComesEndsTheWaitForWorkers) {
  ASSERT_EQ(die(2s), "");
  hear("b", hello("n2", kSecond), 2100ms);
  take(run_->expect_no_worker(at(2200ms)));
  EXPECT_EQ(run_->end().status(), RunStatus::kAborted);
  EXPECT_THAT(LiveMaster::lines("job_finished"), IsEmpty());
  EXPECT_THAT(LiveMaster::lines("node_lost"), SizeIs(2));
}

}  // namespace heddle::master::resume_test
