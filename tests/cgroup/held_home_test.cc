#include "cgroup/held_home.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "common/file.h"
#include "tests/support/temporary_directory.h"

namespace heddle::cgroup::held_home_test {

namespace fs = std::filesystem;

/// Plain directories stand for control groups.
class HeldHomeTest : public ::testing::Test {
 protected:
  HeldHomeTest() {
    fs::create_directories(root_ + "/home/run/n1");
    fs::create_directory(root_ + "/victim");
    std::ofstream(root_ + "/victim/cgroup.procs") << "untouched";
    std::ofstream(root_ + "/home/run/n1/cpu.max") << "00";
    fs::create_directory_symlink(root_ + "/victim", root_ + "/home/run/link");
  }

  static int code(const Result<void>& result) { return result ? 0 : result.error().code; }

  tests::TemporaryDirectory scratch_;
  const std::string& root_ = scratch_.path();
  HeldHome home_{root_ + "/home"};
};

TEST_F(HeldHomeTest, WritesMakesAndOpensWhatIsInIt) {
  ASSERT_TRUE(home_.write("run/n1", "cpu.max", "42"));
  EXPECT_EQ(*read_file(root_ + "/home/run/n1/cpu.max"), "42");
  ASSERT_TRUE(home_.make("run/n1/c0"));
  ASSERT_TRUE(home_.make("run/n1/c0"));
  ASSERT_TRUE(home_.make("other"));
  EXPECT_TRUE(fs::is_directory(root_ + "/home/run/n1/c0"));
  EXPECT_TRUE(fs::is_directory(root_ + "/home/other"));
  EXPECT_TRUE(home_.open("", "", O_RDONLY | O_DIRECTORY));
  EXPECT_TRUE(home_.open("run/n1", "cpu.max", O_RDONLY));
  EXPECT_EQ(code(home_.make("none/c0")), ENOENT);
  EXPECT_EQ(home_.write("run/n1", "none", "1").error().text,
            "open " + root_ + "/home/run/n1/none: No such file or directory");
}

TEST_F(HeldHomeTest, NothingOutsideIsReached) {
  EXPECT_EQ(code(home_.write("../victim", "cgroup.procs", "1")), EXDEV);
  EXPECT_EQ(code(home_.write("run/../../victim", "cgroup.procs", "1")), EXDEV);
  EXPECT_EQ(code(home_.write(root_ + "/victim", "cgroup.procs", "1")), EXDEV);
  EXPECT_EQ(code(home_.write("run/link", "cgroup.procs", "1")), ELOOP);
  EXPECT_EQ(code(home_.make("../new")), EXDEV);
  EXPECT_EQ(code(home_.make("run/link/new")), ELOOP);
  EXPECT_EQ(*read_file(root_ + "/victim/cgroup.procs"), "untouched");
  EXPECT_FALSE(fs::exists(root_ + "/new"));
  EXPECT_FALSE(fs::exists(root_ + "/victim/new"));
}

TEST_F(HeldHomeTest, ChecksNamesForThoseWhoKnowPathsOnly) {
  EXPECT_TRUE(home_.check(""));
  EXPECT_TRUE(home_.check("run/n1"));
  EXPECT_TRUE(home_.check("run/none/c0"));
  EXPECT_EQ(code(home_.check("..")), EXDEV);
  EXPECT_EQ(code(home_.check("run/../..")), EXDEV);
  EXPECT_EQ(code(home_.check("run/link")), ELOOP);
}

TEST_F(HeldHomeTest, OneThatIsNotThereIsLookedForAgain) {
  const HeldHome later(root_ + "/later");
  EXPECT_EQ(code(later.make("a")), ENOENT);
  fs::create_directory(root_ + "/later");
  EXPECT_TRUE(later.make("a"));
}

}  // namespace heddle::cgroup::held_home_test
