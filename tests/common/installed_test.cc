#include "common/installed.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace heddle::installed_test {

namespace fs = std::filesystem;

/// A directory with the files that the test names.
class InstalledTest : public ::testing::Test {
 protected:
  void make(const std::string& file) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << "x";
  }
  std::string at(const std::string& file) const { return root_ / file; }

  tests::TemporaryDirectory scratch_;
  const fs::path root_ = scratch_.path();
};

TEST_F(InstalledTest, ProgramsOfABuildTreeAreInOneDirectory) {
  make("build/bin/heddle-task");
  make("build/CMakeCache.txt");
  make("scenarios/quickstart.yaml");
  EXPECT_EQ(program_path(root_ / "build/bin", "heddle-task"), at("build/bin/heddle-task"));
  EXPECT_EQ(data_path(root_ / "build/bin", "scenarios"), at("scenarios"));
}

TEST_F(InstalledTest, InstalledProgramsFindEachOtherAndTheirData) {
  make("opt/bin/heddle");
  make("opt/libexec/heddle/heddle-task");
  make("opt/share/heddle/scenarios/quickstart.yaml");
  EXPECT_EQ(program_path(root_ / "opt/bin", "heddle-task"), at("opt/libexec/heddle/heddle-task"));
  EXPECT_EQ(program_path(root_ / "opt/libexec/heddle", "heddle"), at("opt/bin/heddle"));
  EXPECT_EQ(data_path(root_ / "opt/bin", "scenarios/quickstart.yaml"),
            at("opt/share/heddle/scenarios/quickstart.yaml"));
  EXPECT_EQ(data_path(root_ / "opt/libexec/heddle", "scenarios"), at("opt/share/heddle/scenarios"));
}

TEST_F(InstalledTest, AnInstallationDoesNotUseFilesBesideItsPrefix) {
  make("home/opt/bin/heddle");
  make("home/python/heddle_policy/__init__.py");
  EXPECT_EQ(data_path(root_ / "home/opt/bin", "python"), "");
}

TEST_F(InstalledTest, ThePlacesOfDataDependOnTheDirectory) {
  EXPECT_EQ(data_places(root_ / "opt/bin", "python"),
            (std::vector<std::string>{at("opt/share/heddle/python"), at("share/heddle/python")}));
  make("build/bin/heddle");
  make("build/CMakeCache.txt");
  EXPECT_EQ(data_places(root_ / "build/bin", "python"), std::vector<std::string>{at("python")});
}

// This test is a program of a build tree.
TEST_F(InstalledTest, MissingDataIsNamedWithItsPlaces) {
  const std::string text = missing_data("no-such"), end =
                                                        "/no-such does not exist; install "
                                                        "Heddle again, or run it where it was "
                                                        "built";
  EXPECT_TRUE(text.starts_with("no-such of Heddle is missing: /")) << text;
  EXPECT_TRUE(text.ends_with(end)) << text;
}

TEST_F(InstalledTest, AMissingProgramIsNamedBesideThisOne) {
  EXPECT_EQ(program_path(root_ / "opt/bin", "heddle-none"), at("opt/bin/heddle-none"));
}

}  // namespace heddle::installed_test
