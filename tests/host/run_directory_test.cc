#include "host/run_directory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "host/living_runs.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::host::run_directory_test {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

class RunDirTest : public ::testing::Test {
 protected:
  tests::TemporaryDirectory scratch_;
  const std::string base_ = scratch_ / "heddle";
};

TEST(RunDirBases, InOrder) {
  EXPECT_THAT(base_directories("/run/user/7", 7),
              ElementsAre("/run/user/7/heddle", "/tmp/heddle-7"));
  EXPECT_THAT(base_directories("", 0), ElementsAre("/run/heddle"));
  EXPECT_THAT(base_directories("", 7), ElementsAre("/tmp/heddle-7"));
}

TEST(RunRecordText, ReadsBack) {
  RunRecord record{"r1", "v2:/a", "/out", {{"heddle-master", 12, 345}, {"heddle-worker", 13, 346}}};
  auto back = record_from(to_text(record));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, record);
}

TEST(RunRecordText, OfAWorkerStartedByItselfHasItsNode) {
  const RunRecord record{"r", "v2:/g", "", {{"heddle-worker", 7, 9}}, "n1"};
  Result<RunRecord> back = record_from(to_text(record));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(*back, record);
}

TEST(RunRecordText, APathCanHaveAnyBytes) {
  RunRecord record{"r1", "", "/tmp/\xFF 100%", {}};
  EXPECT_EQ(record_from(to_text(record)).value().out, record.out);
}

TEST(RunRecordText, ErrorsNameTheField) {
  EXPECT_THAT(record_from("{}").error().text, HasSubstr("run"));
  EXPECT_FALSE(record_from("nonsense"));
  EXPECT_FALSE(record_from(R"({"run":"r","cgroup":"","out":"","processes":[{"pid":-1}]})"));
}

TEST(StartTime, IsField22WhateverTheName) {
  EXPECT_EQ(start_time_in("7 (a) b) c) S 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2\n"),
            987654U);
  EXPECT_FALSE(start_time_in("7 (x) S 1 2"));
  EXPECT_FALSE(start_time_in(""));
}

TEST(StartTime, OfThisProcessStaysTheSame) {
  auto mark = mark_of(::getpid(), "test");
  ASSERT_TRUE(mark);
  EXPECT_EQ(mark_of(::getpid(), "test"), mark);
}

TEST_F(RunDirTest, IsPrivateAndLocked) {
  auto dir = RunDirectory::create(base_);
  ASSERT_TRUE(dir) << dir.error().text;
  struct stat info {};
  ASSERT_EQ(::stat(dir->path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  ASSERT_EQ(::stat(base_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  EXPECT_EQ(dir->control_endpoint(), "ipc://" + base_ + "/" + dir->run() + "/control.sock");
  EXPECT_EQ(dir->run().size(), 8U);
}

TEST_F(RunDirTest, LiveRunIsNotTaken) {
  auto dir = RunDirectory::create(base_);
  ASSERT_TRUE(dir);
  int live = 0;
  auto dead = RunDirectory::take_dead(base_, &live);
  ASSERT_TRUE(dead);
  EXPECT_TRUE(dead->empty());
  EXPECT_EQ(live, 1);
  EXPECT_THAT(RunDirectory::runs(base_), ElementsAre(dir->run()));
}

TEST_F(RunDirTest, RunThatGoesOnHasItsIdAgain) {
  auto dir = RunDirectory::create_again(base_, "0a1b2c3d");
  ASSERT_TRUE(dir) << dir.error().text;
  EXPECT_EQ(dir->path(), base_ + "/0a1b2c3d");
  auto second = RunDirectory::create_again(base_, "0a1b2c3d");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().text, "run 0a1b2c3d is still running");
  ASSERT_TRUE(dir->remove());
  EXPECT_TRUE(RunDirectory::create_again(base_, "0a1b2c3d"));
}

TEST_F(RunDirTest, DeadRunIsTakenOnceAndRemoved) {
  std::string path, run;
  {
    auto dir = RunDirectory::create(base_);
    ASSERT_TRUE(dir);
    path = dir->path();
    run = dir->run();
    ASSERT_TRUE(dir->write({run, "v2:/", "/out", {}}));
  }
  int live = 0;
  auto dead = RunDirectory::take_dead(base_, &live);
  ASSERT_TRUE(dead);
  ASSERT_EQ(dead->size(), 1U);
  EXPECT_EQ((*dead)[0].run(), run);
  EXPECT_EQ((*dead)[0].read()->out, "/out");
  // A second cleaner finds the run taken.
  EXPECT_TRUE(RunDirectory::take_dead(base_, &live)->empty());
  EXPECT_TRUE((*dead)[0].remove());
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(RunDirTest, LockLivesAsLongAsAnyHolder) {
  auto dir = RunDirectory::create(base_);
  ASSERT_TRUE(dir);
  Fd inherited(::dup(dir->lock()));
  { RunDirectory gone = *std::move(dir); }
  int live = 0;
  EXPECT_TRUE(RunDirectory::take_dead(base_, &live)->empty());
  EXPECT_EQ(live, 1);
  inherited.reset();
  EXPECT_EQ(RunDirectory::take_dead(base_, &live)->size(), 1U);
}

// A cleaner that looks while runs come and go takes none of them and fails on none.
TEST_F(RunDirTest, CleanersDoNotMeetARunThatIsBeingRemoved) {
  std::atomic<bool> over = false;
  std::atomic<int> taken = 0, errors = 0;
  ASSERT_TRUE(RunDirectory::create(base_)->remove());
  std::thread cleaner([&] {
    while (!over) {
      int live = 0;
      auto dead = RunDirectory::take_dead(base_, &live);
      dead ? taken += static_cast<int>(dead->size()) : ++errors;
    }
  });
  for (int i = 0; i < 300; ++i) {
    auto run = RunDirectory::create(base_);
    if (!run || !run->remove()) ++errors;
  }
  over = true;
  cleaner.join();
  EXPECT_EQ(taken, 0);
  EXPECT_EQ(errors, 0);
}

TEST_F(RunDirTest, WithoutBaseThereAreNoRuns) {
  int live = 7;
  auto dead = RunDirectory::take_dead(base_, &live);
  ASSERT_TRUE(dead);
  EXPECT_TRUE(dead->empty());
  EXPECT_EQ(live, 0);
  EXPECT_FALSE(fs::exists(base_));
}

TEST_F(RunDirTest, BaseOpenToOthersIsRefused) {
  ASSERT_EQ(::mkdir(base_.c_str(), 0700), 0);
  ::chmod(base_.c_str(), 0755);
  auto dir = RunDirectory::create(base_);
  ASSERT_FALSE(dir);
  EXPECT_EQ(dir.error().kind, Error::Kind::kMachine);
  EXPECT_THAT(dir.error().text, HasSubstr(base_ + ": must be a directory that you own"));
}

TEST_F(RunDirTest, RunsInABaseOpenToOthersAreIgnored) {
  const Result<RunDirectory> dir = RunDirectory::create(base_);
  ASSERT_TRUE(dir);
  ::chmod(base_.c_str(), 0711);
  EXPECT_THAT(RunDirectory::runs(base_), IsEmpty());
}

TEST_F(RunDirTest, RunsInABaseOfAnotherUserAreIgnored) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a directory to another user";
  const Result<RunDirectory> dir = RunDirectory::create(base_);
  ASSERT_TRUE(dir);
  const std::optional<ProcessMark> master = mark_of(::getpid(), "heddle-master");
  ASSERT_TRUE(master);
  ASSERT_TRUE(dir->write({dir->run(), "v2:/", "/out", {*master}}));
  ASSERT_EQ(living_runs({base_}).size(), 1U);
  ASSERT_EQ(::chown(base_.c_str(), kNobody, kNobody), 0);
  EXPECT_THAT(RunDirectory::runs(base_), IsEmpty());
  EXPECT_THAT(living_runs({base_}), IsEmpty());
}

TEST_F(RunDirTest, ARecordThatIsNoFileOfThisUserIsNotRead) {
  const Result<RunDirectory> dir = RunDirectory::create(base_);
  ASSERT_TRUE(dir);
  const std::string record = dir->path() + "/run.json";
  ASSERT_EQ(::mkfifo(record.c_str(), 0600), 0);
  EXPECT_FALSE(run_record(dir->path()));  // does not wait for a writer
  EXPECT_THAT(living_runs({base_}), IsEmpty());
  fs::remove(record);
  ASSERT_TRUE(dir->write({dir->run(), "v2:/", "/out", {}}));
  EXPECT_TRUE(run_record(dir->path()));
  fs::rename(record, record + ".moved");
  fs::create_symlink(record + ".moved", record);
  EXPECT_FALSE(run_record(dir->path()));
  if (::geteuid() != 0) return;
  fs::rename(record + ".moved", record);
  ASSERT_EQ(::chown(record.c_str(), kNobody, kNobody), 0);
  EXPECT_FALSE(run_record(dir->path()));
}

TEST_F(RunDirTest, LinkIsRefused) {
  ASSERT_EQ(::mkdir((scratch_ / "elsewhere").c_str(), 0700), 0);
  fs::create_directory_symlink(scratch_ / "elsewhere", base_);
  EXPECT_FALSE(RunDirectory::create(base_));
  EXPECT_TRUE(fs::is_empty(scratch_ / "elsewhere"));
}

TEST_F(RunDirTest, PathTooLongForASocketIsRefused) {
  auto dir = RunDirectory::create(scratch_ / std::string(80, 'x'));
  ASSERT_FALSE(dir);
  EXPECT_EQ(dir.error().kind, Error::Kind::kMachine);
  EXPECT_THAT(dir.error().text, HasSubstr("too long a path for sockets (at most 107 characters"));
}

}  // namespace heddle::host::run_directory_test
