// Tests a real run's master under its scenario's faults.

#include "tests/master/live_master.h"
#include "tests/support/job.h"
#include "tests/support/matchers.h"

namespace heddle::master::live_faults_test {

using namespace std::chrono_literals;

/// Two nodes of one core at time_scale 0.1, and a job of two tasks; workers join at 1 s real.
class LiveFaults : public LiveMaster {
 protected:
  LiveFaults() : LiveMaster(small_run(2)) {}
  void start(std::vector<FaultSpec> faults) {
    scenario_.faults = std::move(faults);
    begin();
    join(1000ms);
  }
  /// Returns the faults among the last messages, and their receivers.
  std::vector<std::pair<std::string, wire::FaultCommand>> told() const {
    std::vector<std::pair<std::string, wire::FaultCommand>> told;
    for (const auto& [to, message] : last_.send)
      if (const auto* pushed = std::get_if<wire::Commands>(&message))
        for (const wire::Command& command : pushed->commands)
          if (const auto* fault = std::get_if<wire::FaultCommand>(&command.what))
            told.emplace_back(to.front(), *fault);
    return told;
  }
};

TEST_F(LiveFaults, AreNotedAndToldAtTheirTime) {
  FaultSpec freeze = fault_of(FaultKind::kFreezeWorker, {NodeId{1}}, 20, 4);
  start({freeze});
  EXPECT_LE(run_->next_time(), at(3000ms));
  time(2990ms);
  EXPECT_TRUE(told().empty());
  time(3000ms);
  ASSERT_EQ(told().size(), 1U);
  EXPECT_EQ(told()[0].first, "b");
  EXPECT_EQ(told()[0].second.kind, FaultKind::kFreezeWorker);
  EXPECT_EQ(told()[0].second.lasts, emu_seconds(4));
  EXPECT_THAT(last_.journal, StartsWith("{\"type\":\"fault\",\"fault\":0,\"kind\":"
                                        "\"freeze-worker\",\"node\":1,\"t\":20.0,"));
  EXPECT_THAT(run_->progress(at(3000ms)).last_events, Contains("20.0 s  fault: freeze-worker n2"));
}

TEST_F(LiveFaults, TheMasterIsKilledOnceItIsInTheJournal) {
  start({fault_of(FaultKind::kKillMaster, {}, 10)});
  EXPECT_FALSE(last_.kill_master);
  time(2000ms);
  EXPECT_TRUE(last_.kill_master);
  EXPECT_THAT(last_.journal, HasSubstr("\"kind\":\"kill-master\",\"t\":10.0"));
}

TEST_F(LiveFaults, ANodeWhoseWorkerComesBackIsWaitedForByTheRun) {
  FaultSpec kill = fault_of(FaultKind::kKillWorker, {NodeId{0}, NodeId{1}}, 1);
  kill.restart_after = emu_seconds(30);
  FaultSpec slow = fault_of(FaultKind::kSlowNode, {NodeId{0}}, 0);
  slow.factor = 0.5;
  start({kill, slow});
  time(1100ms);
  time(3200ms);  // silent for two seconds
  EXPECT_THAT(journal_, HasSubstr("\"type\":\"node_lost\",\"node\":0"));
  EXPECT_THAT(journal_, HasSubstr("\"returns\":true"));
  EXPECT_THAT(journal_, Not(HasSubstr("leaving")));
  hear("c", hello("n1", 11), 4200ms);
  EXPECT_THAT(journal_, Not(HasSubstr("leaving")));
  // The restarted node is as slow as before.
  ASSERT_EQ(told().size(), 1U);
  EXPECT_DOUBLE_EQ(told()[0].second.conditions.speed, 0.5);
}

TEST_F(LiveFaults, OnAMachineWithoutDelaysTheReasonIsTheSilence) {
  start({});
  time(3000ms);
  EXPECT_THAT(lines("node_lost"), SizeIs(2));
  EXPECT_EQ(lines("node_lost")[0]["reason"], "no heartbeat for 20.0 s");
}

// An emulated second lasts 0.1 s.
TEST_F(LiveFaults, OnASlowMachineTheReasonSaysSo) {
  start({});
  wire::Heartbeat late = heartbeat(2, 0);
  late.late = 1200ms;
  hear("b", late, 2900ms);
  time(4500ms);
  EXPECT_THAT(lines("node_lost"), IsEmpty());
  time(4600ms);
  ASSERT_THAT(lines("node_lost"), SizeIs(1));
  EXPECT_EQ(lines("node_lost")[0]["node"], 0);
  EXPECT_EQ(
      lines("node_lost")[0]["reason"],
      "no heartbeat for 36.0 s (3.6 s real); the machine is slow: heartbeats were up to 1.2 s "
      "(real) late");
}

TEST_F(LiveFaults, AMasterThatDidNotRunLosesNoNode) {
  start({});
  run_->note_stall(30s);  // from 2 s on
  time(32000ms);
  hear("a", heartbeat(1, 0), 32100ms);
  hear("b", heartbeat(2, 0), 32100ms);
  time(33000ms);
  EXPECT_THAT(lines("node_lost"), IsEmpty());
  EXPECT_EQ(run_->next_time(), at(34100ms));
}

TEST_F(LiveFaults, ThatDoesNotComeBackIsGivenUp) {
  FaultSpec kill = fault_of(FaultKind::kKillWorker, {NodeId{0}, NodeId{1}}, 1);
  kill.restart_after = emu_seconds(30);
  start({kill});
  time(1100ms);
  time(3200ms);
  // The restart is at 31 s, which is 4100 ms. Then the worker has 15 s to return.
  time(19000ms);
  EXPECT_THAT(journal_, Not(HasSubstr("leaving")));
  time(19100ms);
  EXPECT_THAT(journal_, HasSubstr("its worker did not come back"));
  EXPECT_THAT(journal_, HasSubstr("every node was lost"));
}

TEST_F(LiveFaults, AHeartbeatThatCameTwiceOrWasOvertakenChangesNothing) {
  start({});
  auto beat = [&](std::int64_t sequence, std::int64_t last_command) {
    wire::Heartbeat made;
    made.incarnation = 1;
    made.sequence = sequence;
    made.last_command = last_command;
    if (last_command > 0) made.containers = {{ContainerId{0}, CoreTime(0), EmuBytes(0), 0}};
    hear("a", made, 1100ms);
  };
  beat(1, 0);
  beat(3, 1);
  journal_.clear();
  // The heartbeat was made before its container was launched, so the container is not lost.
  beat(2, 0);
  EXPECT_TRUE(last_.send.empty());
  beat(3, 1);
  EXPECT_TRUE(last_.send.empty());
  EXPECT_EQ(journal_, "");
}

}  // namespace heddle::master::live_faults_test
