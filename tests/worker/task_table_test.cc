#include "worker/task_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/worker/effect_words.h"

namespace heddle::worker::task_table_test {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr ContainerId kC{7};

real::Time at(std::int64_t ns) { return real::Time(real::Duration(ns)); }

wire::LaunchCommand launch(ContainerId container = kC) {
  wire::LaunchCommand launch;
  launch.container = container;
  launch.resources = {Millicores(1000), EmuBytes(1LL << 30)};
  return launch;
}
Kill kill(ContainerId container = kC) { return {container}; }
Suspend suspend(ContainerId container = kC) { return {container}; }
Resume resume(ContainerId container = kC) { return {container}; }

const ProcessEnd kExit0{false, 0, OomCause::kNone};
const ProcessEnd kSigkill{true, SIGKILL, OomCause::kNone};

class TaskTableTest : public testing::Test {
 protected:
  std::vector<std::string> command(const auto& what) { return words(table_.command(what, at(10))); }
  std::vector<std::string> exited(const ProcessEnd& end) {
    return words(table_.exited(kC, end, {}, at(20)));
  }
  void run_it() {
    table_.command(launch(), at(1));
    table_.started(kC, at(2));
  }
  void suspend_it() {
    run_it();
    table_.command(suspend(), at(3));
    table_.stopped(kC, at(4));
  }
  TaskTable table_;
};

TEST_F(TaskTableTest, RunsToItsEnd) {
  EXPECT_THAT(command(launch()), ElementsAre("start 7"));
  EXPECT_THAT(words(table_.started(kC, at(5))), ElementsAre("report started 7"));
  EXPECT_FALSE(table_.empty());
  AttemptUsage usage;
  usage.cpu = core_seconds(3);
  Effects effects = table_.exited(kC, kExit0, usage, at(9));
  EXPECT_THAT(words(effects), ElementsAre("report ended 7 completed", "release 7"));
  const auto& report = std::get<wire::Report>(effects[0]);
  EXPECT_EQ(report.monotonic_ns, 9);
  EXPECT_EQ(std::get<ContainerEnded>(report.what).usage.cpu, core_seconds(3));
  EXPECT_EQ(report.reason(), "");
  EXPECT_TRUE(table_.empty());
}

TEST_F(TaskTableTest, StartFailed) {
  command(launch());
  Effects effects = table_.start_failed(kC, aborted_error("exec: no such file"), at(5));
  EXPECT_THAT(words(effects), ElementsAre("release 7", "report ended 7 not_started"));
  EXPECT_EQ(std::get<wire::Report>(effects[1]).reason(), "could not start: exec: no such file");
  EXPECT_TRUE(table_.empty());
}

TEST_F(TaskTableTest, WhatCanBeStartedNowhereHasFailed) {
  command(launch());
  EXPECT_THAT(words(table_.start_failed(kC, usage_error("more than 64 threads"), at(5))),
              ElementsAre("release 7", "report ended 7 failed"));
}

TEST_F(TaskTableTest, KilledWhileRunning) {
  run_it();
  EXPECT_THAT(command(kill()), ElementsAre("kill 7"));
  EXPECT_THAT(exited(kSigkill), ElementsAre("report ended 7 killed", "release 7"));
}

TEST_F(TaskTableTest, KilledTwiceIsOneKill) {
  run_it();
  command(kill());
  EXPECT_THAT(command(kill()), IsEmpty());
  EXPECT_THAT(words(table_.kill_all()), IsEmpty());
}

TEST_F(TaskTableTest, KilledBeforeStart) {
  command(launch());
  EXPECT_TRUE(table_.start_wanted(kC));
  EXPECT_THAT(command(kill()), IsEmpty());
  EXPECT_FALSE(table_.start_wanted(kC));
  EXPECT_THAT(words(table_.start_failed(kC, aborted_error("killed before it was started"), at(5))),
              ElementsAre("release 7", "report ended 7 killed"));
}

TEST_F(TaskTableTest, KilledWhileBeingStarted) {
  command(launch());
  command(kill());
  EXPECT_THAT(words(table_.started(kC, at(5))), ElementsAre("report started 7", "kill 7"));
  EXPECT_THAT(exited(kSigkill), ElementsAre("report ended 7 killed", "release 7"));
}

TEST_F(TaskTableTest, KilledWhileSuspended) {
  suspend_it();
  EXPECT_THAT(command(kill()), ElementsAre("kill 7"));
  EXPECT_THAT(command(resume()), ElementsAre("report refused 7"));
  EXPECT_THAT(exited(kSigkill), ElementsAre("report ended 7 killed", "release 7"));
}

TEST_F(TaskTableTest, KilledWhileStopping) {
  run_it();
  command(suspend());
  EXPECT_THAT(command(kill()), ElementsAre("kill 7"));
  EXPECT_THAT(words(table_.stopped(kC, at(5))), ElementsAre("report suspended 7"));
  EXPECT_THAT(exited(kSigkill), ElementsAre("report ended 7 killed", "release 7"));
}

TEST_F(TaskTableTest, EndsBeforeItsKillArrives) {
  run_it();
  command(kill());
  EXPECT_THAT(exited(kExit0), ElementsAre("report ended 7 completed", "release 7"));
}

TEST_F(TaskTableTest, ExitBeforeStartIsKnown) {
  command(launch());
  EXPECT_THAT(exited(kExit0), ElementsAre("report ended 7 completed", "release 7"));
  EXPECT_THAT(words(table_.started(kC, at(30))), IsEmpty());
  EXPECT_TRUE(table_.empty());
}

TEST_F(TaskTableTest, SuspendAndResume) {
  run_it();
  EXPECT_THAT(command(suspend()), ElementsAre("stop 7"));
  EXPECT_THAT(words(table_.stopped(kC, at(5))), ElementsAre("report suspended 7"));
  EXPECT_THAT(command(resume()), ElementsAre("continue 7"));
  EXPECT_THAT(words(table_.continued(kC, at(6))), ElementsAre("report resumed 7"));
  EXPECT_THAT(exited(kExit0), ElementsAre("report ended 7 completed", "release 7"));
}

TEST_F(TaskTableTest, ResumeBeforeTheStopIsConfirmed) {
  run_it();
  command(suspend());
  EXPECT_THAT(command(resume()), IsEmpty());
  EXPECT_THAT(words(table_.stopped(kC, at(5))), ElementsAre("report suspended 7", "continue 7"));
  EXPECT_THAT(words(table_.continued(kC, at(6))), ElementsAre("report resumed 7"));
}

TEST_F(TaskTableTest, SuspendBeforeStart) {
  command(launch());
  EXPECT_THAT(command(suspend()), IsEmpty());
  EXPECT_THAT(words(table_.started(kC, at(5))), ElementsAre("report started 7", "stop 7"));
}

TEST_F(TaskTableTest, StopThatFailsIsRefusedAndItRunsOn) {
  run_it();
  command(suspend());
  Effects effects = table_.stop_failed(kC, "did not stop", at(5));
  EXPECT_THAT(words(effects), ElementsAre("report refused 7"));
  EXPECT_EQ(std::get<wire::Report>(effects[0]).reason(), "suspend container 7: did not stop");
  EXPECT_THAT(command(suspend()), ElementsAre("stop 7"));
}

TEST_F(TaskTableTest, StopThatFailsAfterAResumeAnswersBoth) {
  run_it();
  command(suspend());
  command(resume());
  EXPECT_THAT(words(table_.stop_failed(kC, "did not stop", at(5))),
              ElementsAre("report refused 7", "report resumed 7"));
}

TEST_F(TaskTableTest, EndsWhileStopping) {
  run_it();
  command(suspend());
  EXPECT_THAT(exited(kExit0), ElementsAre("report ended 7 completed", "release 7"));
  EXPECT_THAT(words(table_.stopped(kC, at(30))), IsEmpty());
  EXPECT_THAT(words(table_.stop_failed(kC, "late", at(30))), IsEmpty());
}

TEST_F(TaskTableTest, CommandsForAnEndedContainerAreRefused) {
  run_it();
  exited(kExit0);
  EXPECT_THAT(command(suspend()), ElementsAre("report refused 7"));
  EXPECT_THAT(command(resume()), ElementsAre("report refused 7"));
  Effects effects = table_.command(kill(), at(30));
  ASSERT_THAT(words(effects), ElementsAre("report refused 7"));
  EXPECT_EQ(std::get<wire::Report>(effects[0]).reason(),
            "kill container 7: not alive on this node");
}

TEST_F(TaskTableTest, UnknownContainerIsRefused) {
  EXPECT_THAT(command(kill(ContainerId{99})), ElementsAre("report refused 99"));
  EXPECT_THAT(words(table_.continued(ContainerId{99}, at(1))), IsEmpty());
  EXPECT_THAT(words(table_.exited(ContainerId{99}, kExit0, {}, at(1))), IsEmpty());
}

TEST_F(TaskTableTest, CommandsAskedAgainAreAnsweredAgain) {
  suspend_it();
  EXPECT_THAT(command(launch()), IsEmpty());
  EXPECT_THAT(command(suspend()), ElementsAre("report suspended 7"));
  command(resume());
  table_.continued(kC, at(6));
  EXPECT_THAT(command(resume()), ElementsAre("report resumed 7"));
}

TEST_F(TaskTableTest, KillAllKillsEachOnceInOrderOfId) {
  for (std::int64_t id : {3, 1, 2}) {
    table_.command(launch(ContainerId{id}), at(1));
    table_.started(ContainerId{id}, at(2));
  }
  table_.command(kill(ContainerId{2}), at(3));
  table_.command(launch(ContainerId{4}), at(3));
  EXPECT_THAT(table_.containers(),
              ElementsAre(ContainerId{1}, ContainerId{2}, ContainerId{3}, ContainerId{4}));
  EXPECT_THAT(words(table_.kill_all()), ElementsAre("kill 1", "kill 3"));
  EXPECT_FALSE(table_.start_wanted(ContainerId{4}));
}

struct EndCase {
  const char* name;
  ProcessEnd end;
  bool killed;
  Outcome outcome;
  OomCause oom;
  int exit_code;
  const char* reason;
};

class DescribeEnd : public testing::TestWithParam<EndCase> {};

TEST_P(DescribeEnd, TellsWhy) {
  const EndCase& c = GetParam();
  const ContainerEnded ended =
      describe_end(c.end, c.killed, EmuBytes(1LL << 30), EmuBytes(1100LL << 20));
  EXPECT_EQ(ended.outcome, c.outcome);
  EXPECT_EQ(ended.oom, c.oom);
  EXPECT_EQ(ended.exit_code, c.exit_code);
  EXPECT_EQ(ended.reason, c.reason);
}

INSTANTIATE_TEST_SUITE_P(
    Ends, DescribeEnd,
    testing::Values(
        EndCase{"OutputLimit",
                {true, SIGKILL, OomCause::kNone, "", false, false, "ended: it wrote too much"},
                false,
                Outcome::kFailed,
                OomCause::kNone,
                137,
                "ended: it wrote too much"},
        EndCase{"OutputLimitOfAKilledCommand",
                {true, SIGKILL, OomCause::kNone, "", false, false, "ended: it wrote too much"},
                true,
                Outcome::kKilled,
                OomCause::kNone,
                137,
                "ended: it wrote too much"},
        EndCase{"CommandNotExecuted",
                {false, 127, OomCause::kNone, "sort: execute it: No such file or directory"},
                false,
                Outcome::kFailed,
                OomCause::kNone,
                127,
                "could not start: sort: execute it: No such file or directory"},
        EndCase{"CommandThatTheMachineCouldNotExecute",
                {false, 127, OomCause::kNone, "sort: execute it: Too many open files", true},
                false,
                Outcome::kNotStarted,
                OomCause::kNone,
                127,
                "could not start: sort: execute it: Too many open files"},
        EndCase{"CommandKilledBeforeTheMachineCouldExecuteIt",
                {false, 127, OomCause::kNone, "sort: execute it: Too many open files", true},
                true,
                Outcome::kKilled,
                OomCause::kNone,
                127,
                "could not start: sort: execute it: Too many open files"},
        EndCase{"HeddleTaskThatGetsNoThread",
                {false, 124, OomCause::kNone, "", true},
                false,
                Outcome::kNotStarted,
                OomCause::kNone,
                124,
                "could not run: status 124 of heddle-task"},
        EndCase{"SupervisorKilledAtItsBeginning",
                {true, SIGTERM},
                true,
                Outcome::kKilled,
                OomCause::kNone,
                143,
                "killed as asked"},
        EndCase{"Completed",
                {false, 0, OomCause::kNone},
                false,
                Outcome::kCompleted,
                OomCause::kNone,
                0,
                ""},
        EndCase{"NonZero",
                {false, 3, OomCause::kNone},
                false,
                Outcome::kFailed,
                OomCause::kNone,
                3,
                "exited with status 3"},
        EndCase{"ShellWhoseProgramWasKilledBeforeIt",
                {false, 137, OomCause::kNone},
                true,
                Outcome::kKilled,
                OomCause::kNone,
                137,
                "killed as asked"},
        EndCase{"CompletedThoughKilled",
                {false, 0, OomCause::kNone},
                true,
                Outcome::kCompleted,
                OomCause::kNone,
                0,
                ""},
        EndCase{"Crash",
                {true, SIGSEGV, OomCause::kNone},
                false,
                Outcome::kFailed,
                OomCause::kNone,
                139,
                "crashed: signal 11 (Segmentation fault)"},
        EndCase{"OtherKill",
                {true, SIGKILL, OomCause::kNone},
                false,
                Outcome::kFailed,
                OomCause::kNone,
                137,
                "killed by signal 9 (Killed), not by Heddle"},
        EndCase{"OurKill",
                {true, SIGKILL, OomCause::kNone},
                true,
                Outcome::kKilled,
                OomCause::kNone,
                137,
                "killed as asked"},
        EndCase{"CrashThoughKilled",
                {true, SIGSEGV, OomCause::kNone},
                true,
                Outcome::kFailed,
                OomCause::kNone,
                139,
                "crashed: signal 11 (Segmentation fault)"},
        EndCase{"ContainerLimit",
                {true, SIGKILL, OomCause::kContainer},
                false,
                Outcome::kOomKilled,
                OomCause::kContainer,
                137,
                "killed by the kernel: over its own memory limit of 1024 MiB (peak 1100 MiB)"},
        EndCase{"NodeSaturated",
                {true, SIGKILL, OomCause::kNode},
                false,
                Outcome::kOomKilled,
                OomCause::kNode,
                137,
                "killed by the kernel: its node was out of memory (its own use: 1100 MiB of 1024 "
                "MiB)"},
        EndCase{"HostOutOfMemory",
                {true, SIGKILL, OomCause::kOther},
                false,
                Outcome::kOomKilled,
                OomCause::kOther,
                137,
                "killed by the kernel for lack of memory outside its node (the host, or a limit "
                "above ours)"},
        EndCase{"OomBeforeOurKill",
                {true, SIGKILL, OomCause::kContainer},
                true,
                Outcome::kOomKilled,
                OomCause::kContainer,
                137,
                "killed by the kernel: over its own memory limit of 1024 MiB (peak 1100 MiB)"},
        EndCase{"ChildOomKilled",
                {false, 137, OomCause::kContainer},
                false,
                Outcome::kOomKilled,
                OomCause::kContainer,
                137,
                "killed by the kernel: over its own memory limit of 1024 MiB (peak 1100 MiB)"}),
    [](const auto& test) { return test.param.name; });

}  // namespace heddle::worker::task_table_test
