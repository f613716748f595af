#include "cli/leftovers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "cgroup/recording_driver.h"
#include "cli/run_dir.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Sweep : public ::testing::Test {
 protected:
  Sweep() {
    std::string pattern = fs::temp_directory_path() / "heddle-test-XXXXXX";
    scratch_ = ::mkdtemp(pattern.data());
    bases_ = {scratch_ + "/heddle"};
  }
  ~Sweep() override { fs::remove_all(scratch_); }
  RunDir make() { return RunDir::create(bases_[0]).value(); }

  std::string scratch_;
  std::vector<std::string> bases_;
};

TEST_F(Sweep, RunThatWasKilledBeforeItStartedAnythingIsRemoved) {
  std::string path = make().path();
  Swept swept = sweep_dead_runs(bases_);
  EXPECT_EQ(swept.removed.size(), 1U);
  EXPECT_THAT(swept.failed, IsEmpty());
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(Sweep, LiveRunIsCountedAndLeftAlone) {
  RunDir live = make();
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
  auto leave = [&](const ProcessMark& left) {
    RunDir dir = make();
    EXPECT_TRUE(dir.write({dir.run(), "", "/out", {left}}));
  };
  ProcessMark other = mark;
  ++other.start_time;  // of an earlier process with this id
  leave(other);
  EXPECT_THAT(sweep_dead_runs(bases_).failed, IsEmpty());
  EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), 0);
  leave(mark);
  EXPECT_THAT(sweep_dead_runs(bases_).failed, IsEmpty());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST_F(Sweep, DamagedRecordIsToldAndKept) {
  std::string path;
  {
    RunDir dir = make();
    path = dir.path();
    ASSERT_TRUE(dir.write({dir.run(), "nonsense;", "/out", {}}));
  }
  Swept swept = sweep_dead_runs(bases_);
  EXPECT_THAT(swept.removed, IsEmpty());
  EXPECT_EQ(swept.failed.size(), 1U);
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(Sweep, StrayGroupsAreThoseThatNoRunKnows) {
  RunDir live = make();
  cgroup::RecordingDriver driver;
  for (const std::string& group :
       {"heddle-stray"s, "heddle-stray/n1"s, "heddle-" + live.run(), "other"s})
    driver.groups[group];
  Swept swept;
  sweep_stray_groups(driver, bases_, swept);
  EXPECT_THAT(swept.removed, ElementsAre("control group heddle-stray"));
  EXPECT_THAT(swept.failed, IsEmpty());
  EXPECT_TRUE(driver.exists("heddle-" + live.run()));
  EXPECT_TRUE(driver.exists("other"));
  EXPECT_FALSE(driver.exists("heddle-stray"));
  EXPECT_FALSE(driver.exists("heddle-stray/n1"));
}

// Started by itself, so that neither its directory nor its command line bears the run's name.
TEST_F(Sweep, GroupsOfAWorkerStartedByItselfAreKnown) {
  RunDir worker = make();
  ASSERT_TRUE(worker.write({"elsewhere", "v2:/nowhere", "", {}, "n1"}));
  cgroup::RecordingDriver driver;
  driver.groups["heddle-elsewhere"];
  Swept swept;
  sweep_stray_groups(driver, bases_, swept);
  EXPECT_THAT(swept.removed, IsEmpty());
}

TEST(RunInCommandLine, OfControlProcessesOnly) {
  EXPECT_EQ(run_in_command_line("/opt/heddle-worker\0--run\0abc\0--node\0n1\0"s), "abc");
  EXPECT_EQ(run_in_command_line("heddle-master\0s.yaml\0--run\0r-7\0"s), "r-7");
  EXPECT_EQ(run_in_command_line("heddle-worker\0--run\0"s), std::nullopt);
  EXPECT_EQ(run_in_command_line("heddle-worker\0"s), std::nullopt);
  EXPECT_EQ(run_in_command_line("vim\0--run\0abc\0"s), std::nullopt);
  EXPECT_EQ(run_in_command_line(""), std::nullopt);
}

}  // namespace
}  // namespace heddle
