#include "cli/machine/tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace heddle::cli::tools_test {

TEST(Tools, AMissingToolNamesTheCommandThatInstallsIt) {
  const Check check = check_tool({"heddle-no-such-tool", install("a", "b", "c"), "nothing works"},
                                 Distribution::kFedora);
  EXPECT_FALSE(check.ok);
  EXPECT_FALSE(check.required);
  EXPECT_EQ(check.found, "not found");
  EXPECT_EQ(check.cost, "nothing works");
  EXPECT_EQ(check.remedy, "dnf install b");
}

TEST(Tools, AToolIsFoundInPath) {
  EXPECT_TRUE(check_tool({"sh", install("dash", "bash", "bash"), ""}, Distribution::kArch).ok);
}

TEST(Tools, PackagesOfDevelopersAreThoseThatSetupInstalls) {
  std::ifstream file(HEDDLE_SOURCE_DIR "/scripts/packages.txt");
  std::set<std::string> packages;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string group, names;
    if (line.starts_with('#') || !(words >> group >> names)) continue;
    packages.insert("apt install " + names.substr(0, names.find('|')));
  }
  ASSERT_FALSE(packages.empty());
  for (const Tool& tool : developer_tools())
    EXPECT_TRUE(packages.contains(tool.remedy.debian)) << tool.program;
}

}  // namespace heddle::cli::tools_test
