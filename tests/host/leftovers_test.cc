#include "host/leftovers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>

#include "common/file.h"
#include "host/policy_mark.h"
#include "host/run_directory.h"
#include "tests/cgroup/recording_driver.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::host::leftovers_test {

namespace fs = std::filesystem;

class Sweep : public ::testing::Test {
 protected:
  RunDirectory make() { return RunDirectory::create(bases_[0]).value(); }

  /// Makes a dead run's directory with this record, and returns its path. A record without a run's
  /// name gets the directory's.
  std::string leave(RunRecord record) {
    RunDirectory dir = make();
    if (record.run.empty()) record.run = dir.run();
    EXPECT_TRUE(dir.write(record));
    return dir.path();
  }

  tests::TemporaryDirectory scratch_;
  std::vector<std::string> bases_ = {scratch_ / "heddle"};
};

TEST_F(Sweep, RunThatWasKilledBeforeItStartedAnythingIsRemoved) {
  std::string path = make().path();
  Swept swept = sweep_dead_runs(bases_);
  EXPECT_EQ(swept.removed.size(), 1U);
  EXPECT_THAT(swept.failed, IsEmpty());
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(Sweep, LiveRunIsCountedAndLeftAlone) {
  RunDirectory live = make();
  ASSERT_TRUE(live.write({live.run(), "v2:/nowhere", "/out", {*mark_of(::getpid(), "me")}}));
  Swept swept = sweep_dead_runs(bases_);
  EXPECT_EQ(swept.live, 1);
  EXPECT_THAT(swept.removed, IsEmpty());
  EXPECT_THAT(swept.failed, IsEmpty());
  EXPECT_TRUE(fs::exists(live.path() + "/run.json"));
}

TEST_F(Sweep, ProcessLeftOfADeadRunIsKilledOnlyIfItIsTheSame) {
  pid_t child = ::fork();
  if (child == 0) {
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, WUNTRACED);
  ProcessMark mark = *mark_of(child, "heddle-worker");
  ProcessMark other = mark;
  ++other.start_time;  // an earlier process with this id
  leave({"", "", "/out", {other}});
  EXPECT_THAT(sweep_dead_runs(bases_).failed, IsEmpty());
  EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), 0);
  leave({"", "", "/out", {mark}});
  EXPECT_THAT(sweep_dead_runs(bases_).failed, IsEmpty());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST_F(Sweep, DamagedRecordIsToldAndKept) {
  const std::string path = leave({"", "nonsense;", "/out", {}});
  Swept swept = sweep_dead_runs(bases_);
  EXPECT_THAT(swept.removed, IsEmpty());
  EXPECT_EQ(swept.failed.size(), 1U);
  EXPECT_TRUE(fs::exists(path));
}

// Directories stand for the groups that the run made to live in; one is still in use.
TEST_F(Sweep, EmptyHomesOfADeadRunGoWithIt) {
  const std::string empty = scratch_ / "empty", used = scratch_ / "used";
  fs::create_directory(empty);
  fs::create_directories(used + "/n1");
  std::string path;
  {
    RunDirectory dir = make();
    path = dir.path();
    for (const std::string& home : {used, scratch_ / "never-made", empty})
      ASSERT_TRUE(dir.note_home(home));
    EXPECT_THAT(dir.noted_homes(), ElementsAre(used, scratch_ / "never-made", empty));
  }
  EXPECT_THAT(sweep_dead_runs(bases_).failed, IsEmpty());
  EXPECT_FALSE(fs::exists(empty));
  EXPECT_TRUE(fs::exists(used + "/n1"));
  EXPECT_FALSE(fs::exists(path));
}

// The program has ended, and left a process in a session of its own and its directory.
TEST_F(Sweep, WhatIsLeftOfAPolicysProgramGoesWithItsRun) {
  const std::string directory = scratch_ / "program";
  fs::create_directory(directory);
  const auto start = [](const std::string& variable) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setsid();
      ::execle("/bin/sleep", "sleep", "1000", nullptr,
               std::array{variable.c_str(), static_cast<const char*>(nullptr)}.data());
      ::_exit(127);
    }
    return child;
  };
  const std::string variable = policy_variable("ipc://" + directory + "/policy.sock");
  const pid_t left = start(variable), other = start(variable + "2");
  // Until exec, the children have the environment of this process.
  for (const pid_t pid : {left, other})
    while (read_file("/proc/" + std::to_string(pid) + "/environ").value().find(variable) ==
           std::string::npos)
      ::usleep(1000);
  {
    const RunDirectory dir = make();
    ASSERT_TRUE(dir.note_program({scratch_ / "never made", ::geteuid()}));
    ASSERT_TRUE(dir.note_program({directory, ::geteuid()}));
    EXPECT_THAT(dir.noted_programs(), ElementsAre(ProgramNote{scratch_ / "never made", ::geteuid()},
                                                  ProgramNote{directory, ::geteuid()}));
  }
  EXPECT_THAT(sweep_dead_runs(bases_).failed, IsEmpty());
  EXPECT_FALSE(fs::exists(directory));
  int status = 0;
  ASSERT_EQ(::waitpid(left, &status, 0), left);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(::waitpid(other, &status, WNOHANG), 0) << "it has another value";
  ::kill(other, SIGKILL);
  ::waitpid(other, &status, 0);
}

TEST_F(Sweep, ProcessesOfOtherUsersDoNotBelongToAProgram) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execle(
        "/bin/sleep", "sleep", "1000", nullptr,
        std::array{"HEDDLE_POLICY_ENDPOINT=ipc:///x", static_cast<const char*>(nullptr)}.data());
    ::_exit(127);
  }
  EXPECT_TRUE(kill_processes_with("HEDDLE_POLICY_ENDPOINT=ipc:///x", ::geteuid() + 1));
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, WNOHANG), 0);
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
}

TEST_F(Sweep, RecordWithAPathForANameIsToldAndKept) {
  const std::string path = leave({"y/../../victim", "v2:/nowhere", "", {}, "n1"});
  Swept swept = sweep_dead_runs(bases_);
  EXPECT_THAT(swept.removed, IsEmpty());
  ASSERT_EQ(swept.failed.size(), 1U);
  EXPECT_THAT(swept.failed[0], HasSubstr("run \"y/../../victim\", node \"n1\": expected names"));
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(Sweep, StrayGroupsAreRemovedIfTheyAreMarkedAndNobodyHoldsThem) {
  RunDirectory live = make();
  cgroup::RecordingDriver driver;
  driver.leave({"heddle-stray", "heddle-stray/n1", "heddle-" + live.run()});
  driver.groups["other"];
  Swept swept;
  sweep_stray_groups(driver, bases_, swept);
  EXPECT_THAT(swept.removed, ElementsAre("control group heddle-stray"));
  EXPECT_THAT(swept.failed, IsEmpty());
  EXPECT_THAT(swept.left, IsEmpty());
  EXPECT_TRUE(driver.exists("heddle-" + live.run()));
  EXPECT_TRUE(driver.exists("other"));
  EXPECT_FALSE(driver.exists("heddle-stray"));
  EXPECT_FALSE(driver.exists("heddle-stray/n1"));
}

// Nothing shows who made the groups: a build without marks, or anybody.
TEST_F(Sweep, StrayGroupsWithoutAMarkAreLeftAndNamed) {
  cgroup::RecordingDriver driver;
  for (const char* group : {"heddle-old", "heddle-old/n1", "heddle-old/n1/c0"})
    driver.groups[group];
  driver.groups["heddle-old/n1/c0"].members = {12, 7};
  Swept swept;
  sweep_stray_groups(driver, bases_, swept);
  EXPECT_THAT(
      swept.left,
      ElementsAre("control group heddle-old: nothing shows that a dead run of this user made it; "
                  "processes in it, to be ended first: 7, 12; if nobody needs it, remove it with: "
                  "find /fake/heddle-old -depth -type d -exec rmdir {} \\;"));
  EXPECT_THAT(swept.removed, IsEmpty());
  EXPECT_THAT(swept.failed, IsEmpty());
  EXPECT_THAT(driver.groups["heddle-old/n1/c0"].members, ElementsAre(7, 12));
  for (const std::string& call : driver.calls) {
    EXPECT_THAT(call, Not(StartsWith("kill")));
    EXPECT_THAT(call, Not(StartsWith("set_cpu")));
    EXPECT_THAT(call, Not(StartsWith("remove")));
  }
}

// The worker belongs to a login with other run directories.
TEST_F(Sweep, StrayGroupsThatALivingProcessHoldsAreLeft) {
  cgroup::RecordingDriver driver;
  driver.leave({"heddle-live", "heddle-live/n1"});
  std::vector<Fd> held = *driver.hold("heddle-live/n1");
  Swept swept;
  sweep_stray_groups(driver, bases_, swept);
  EXPECT_THAT(swept.held, ElementsAre("control group heddle-live/n1: in use by a living process, "
                                      "perhaps in another login or container"));
  EXPECT_THAT(swept.left, IsEmpty());
  EXPECT_TRUE(driver.exists("heddle-live/n1"));
  held.clear();
  sweep_stray_groups(driver, bases_, swept);
  EXPECT_THAT(swept.removed, ElementsAre("control group heddle-live"));
}

// A stand-alone worker's directory does not bear the run's name.
TEST_F(Sweep, GroupsOfAWorkerStartedByItselfAreKnown) {
  RunDirectory worker = make();
  ASSERT_TRUE(worker.write({"elsewhere", "v2:/nowhere", "", {}, "n1"}));
  cgroup::RecordingDriver driver;
  driver.leave({"heddle-elsewhere", "heddle-elsewhere/n1"});
  Swept swept;
  sweep_stray_groups(driver, bases_, swept);
  EXPECT_THAT(swept.removed, IsEmpty());
  EXPECT_TRUE(driver.exists("heddle-elsewhere/n1"));
}

}  // namespace heddle::host::leftovers_test
