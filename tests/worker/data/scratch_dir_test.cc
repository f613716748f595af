#include "worker/data/scratch_dir.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::worker::scratch_dir_test {

namespace fs = std::filesystem;

class ScratchDirTest : public ::testing::Test {
 protected:
  ScratchDirTest() { fs::create_directory(below_); }

  Result<ScratchDir> make(const std::string& run = "r", const std::string& node = "n1") const {
    return ScratchDir::make(below_, run, node);
  }
  std::string refusal(const std::string& run = "r", const std::string& node = "n1") const {
    const Result<ScratchDir> made = make(run, node);
    return made ? "" : made.error().text;
  }

  tests::TemporaryDirectory scratch_;
  const std::string& root_ = scratch_.path();
  const std::string below_ = scratch_ / "below";
};

TEST_F(ScratchDirTest, IsForThisUserAloneAndGoesWithTheObject) {
  {
    const Result<ScratchDir> scratch = make();
    ASSERT_TRUE(scratch) << scratch.error().text;
    EXPECT_EQ(scratch->path(), below_ + "/heddle-r-n1");
    EXPECT_EQ(fs::status(scratch->path()).permissions(), fs::perms::owner_all);
    std::ofstream(scratch->path() + "/8000000000000000") << "output";
  }
  EXPECT_TRUE(fs::is_empty(below_));
}

// A master could use such names to have somebody else's directory removed.
TEST_F(ScratchDirTest, NamesThatAreNoneRemoveNothing) {
  fs::create_directories(root_ + "/victim/data");
  fs::create_directory(below_ + "/heddle-y");
  for (const auto& [run, node] :
       {std::pair{"y/../../victim", "n1"}, {"y", "/../../victim"}, {"", "n1"}, {"r", ".."}})
    EXPECT_THAT(refusal(run, node), HasSubstr("expected two names")) << run << " " << node;
  EXPECT_TRUE(fs::exists(root_ + "/victim/data"));
}

TEST_F(ScratchDirTest, ALiveWorkersIsLeft) {
  const Result<ScratchDir> live = make();
  ASSERT_TRUE(live);
  std::ofstream(live->path() + "/8000000000000000") << "output";
  EXPECT_THAT(refusal(), HasSubstr("/heddle-r-n1 is another live worker's"));
  EXPECT_TRUE(fs::exists(live->path() + "/8000000000000000"));
}

TEST_F(ScratchDirTest, WhatADeadWorkerLeftIsRemoved) {
  const std::string path = below_ + "/heddle-r-n1";
  fs::create_directories(path + "/more");
  std::ofstream(path + "/.heddle-worker") << "";
  std::ofstream(path + "/8000000000000000") << "output";
  const Result<ScratchDir> scratch = make();
  ASSERT_TRUE(scratch) << scratch.error().text;
  EXPECT_FALSE(fs::exists(path + "/8000000000000000"));
  EXPECT_FALSE(fs::exists(path + "/more"));
}

TEST_F(ScratchDirTest, OneThatCouldNotBeMarkedAnyMoreIsRemoved) {
  fs::create_directory(below_ + "/heddle-r-n1");
  EXPECT_TRUE(make());
}

TEST_F(ScratchDirTest, WhatNoWorkerMadeIsLeft) {
  fs::create_directory(below_ + "/heddle-r-n1");
  std::ofstream(below_ + "/heddle-r-n1/thesis") << "text";
  EXPECT_THAT(refusal(), HasSubstr("exists already and was not made by a worker of this user"));
  EXPECT_TRUE(fs::exists(below_ + "/heddle-r-n1/thesis"));
  // A link to a worker's directory is not followed either.
  const Result<ScratchDir> other = ScratchDir::make(root_, "r", "n1");
  ASSERT_TRUE(other);
  fs::create_directory_symlink(other->path(), below_ + "/heddle-r-n2");
  EXPECT_THAT(refusal("r", "n2"), HasSubstr("exists already"));
  EXPECT_TRUE(fs::exists(other->path()));
}

TEST_F(ScratchDirTest, AnotherUsersMarkIsNone) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  fs::create_directory(below_ + "/heddle-r-n1");
  const std::string mark = below_ + "/heddle-r-n1/.heddle-worker";
  std::ofstream(mark) << "";
  ASSERT_EQ(::chown(mark.c_str(), 54'321, 54'321), 0);
  EXPECT_THAT(refusal(), HasSubstr("was not made by a worker of this user"));
}

TEST_F(ScratchDirTest, MovesAndIsReplaced) {
  std::optional<ScratchDir> place = *make();
  place = *make("r2");
  EXPECT_FALSE(fs::exists(below_ + "/heddle-r-n1"));
  EXPECT_TRUE(fs::exists(below_ + "/heddle-r2-n1"));
  place.reset();
  EXPECT_TRUE(fs::is_empty(below_));
}

}  // namespace heddle::worker::scratch_dir_test
