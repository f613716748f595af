#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "cgroup/detect.h"
#include "tests/integration/cgroup_bench.h"
#include "tests/support/matchers.h"

namespace heddle::cgroup::cgroup_home_test {

class RealHome : public RealGroups {};

std::string own_path() {
  Result<Layout> layout = detect_here();
  return layout ? layout->hierarchies[0].path : layout.error().text;
}

TEST_F(RealHome, AnAddressOpensTheSameHome) {
  Result<Home> first = find_home(std::nullopt);
  ASSERT_TRUE(first);
  ASSERT_TRUE(first->driver->create(run_group(run())));
  for (const auto& open : {open_home(first->address), find_home(first->address)}) {
    ASSERT_TRUE(open) << open.error().text;
    EXPECT_EQ(open->version, first->version);
    EXPECT_EQ(open->driver->directories(run_group(run())),
              first->driver->directories(run_group(run())));
    EXPECT_TRUE(open->driver->exists(run_group(run())));
  }
  ASSERT_TRUE(first->driver->remove(run_group(run())));
  leave_home(*first);
}

TEST_F(RealHome, AWantedGroupThatCannotBeMadeLeavesNothing) {
  Result<Home> home = find_home("/heddle-none/below");
  ASSERT_FALSE(home);
  EXPECT_THAT(home.error().text, HasSubstr("heddle-none"));
  Result<Layout> layout = detect_here();
  ASSERT_TRUE(layout);
  for (const Hierarchy& hierarchy : layout->hierarchies)
    EXPECT_FALSE(std::filesystem::exists(hierarchy.mount + "/heddle-none"));
  EXPECT_EQ(find_home("/a/../b").error().kind, Error::Kind::kUsage);
}

TEST_F(RealHome, AWantedGroupIsMadeAndRemoved) {
  if (v1()) GTEST_SKIP() << "on v1 it lies outside of our own groups";
  std::string directory = driver().directories(run_group(run()))[0];
  Result<Home> home = find_home(directory);
  ASSERT_TRUE(home) << home.error().text;
  EXPECT_EQ(home->how, "--cgroup " + directory);
  ASSERT_TRUE(home->driver->create("heddle-x"));
  EXPECT_TRUE(home->driver->set_memory("heddle-x", {16 * kMiB, false}));
  EXPECT_TRUE(std::filesystem::exists(directory + "/heddle-x/memory.max"));
  leave_home(*home);  // stays while a run is in it
  EXPECT_TRUE(std::filesystem::exists(directory + "/heddle-x"));
  ASSERT_TRUE(home->driver->remove("heddle-x"));
}

TEST_F(RealHome, AWantedGroupIsNotedBeforeItIsMadeAndNotMadeIfItCantBe) {
  if (v1()) GTEST_SKIP() << "on v1 it lies outside of our own groups";
  const std::string wanted = driver().directories(run_group(run()))[0];
  std::vector<std::string> noted;
  Result<Home> home = find_home(wanted, [&](const std::string& directory) {
    EXPECT_FALSE(std::filesystem::exists(directory));
    noted.push_back(directory);
    return Result<void>();
  });
  ASSERT_TRUE(home) << home.error().text;
  EXPECT_EQ(noted, home->driver->directories(""));
  for (const std::string& directory : noted) EXPECT_TRUE(std::filesystem::exists(directory));
  leave_home(*home);
  for (const std::string& directory : noted) EXPECT_FALSE(std::filesystem::exists(directory));
  Result<Home> refused = find_home(
      wanted, [](const std::string&) -> Result<void> { return aborted_error("no disk"); });
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("no disk"));
  for (const std::string& directory : noted) EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST_F(RealHome, OurProcessesHaveTheLargestWeightAsWell) {
  if (!v1()) GTEST_SKIP() << "OurOwnGroupIsTakenIfItIsOursAlone has the test for v2";
  const std::string before = own_path();
  Result<Home> home = find_home(std::nullopt);
  ASSERT_TRUE(home) << home.error().text;
  std::vector<std::string> noted;
  ASSERT_TRUE(protect_this_process(*home, [&](const std::string& directory) {
    noted.push_back(directory);
    return Result<void>();
  }));
  const std::string leaf =
      home->driver->directories("")[0] + "/heddle.leaf." + std::to_string(::getpid());
  EXPECT_THAT(noted, ElementsAre(leaf));
  EXPECT_TRUE(own_path().ends_with("/heddle.leaf." + std::to_string(::getpid())));
  EXPECT_EQ(read_file(leaf + "/cpu.shares").value(), "262144\n");
  leave_home(*home);
  EXPECT_EQ(own_path(), before);
  EXPECT_FALSE(std::filesystem::exists(leaf));
}

TEST_F(RealHome, LeavingWaitsForAProcessThatIsEnding) {
  if (!v1()) GTEST_SKIP() << "OurOwnGroupIsTakenIfItIsOursAlone has the test for v2";
  Result<Home> home = find_home(std::nullopt);
  ASSERT_TRUE(home) << home.error().text;
  ASSERT_TRUE(protect_this_process(*home, {}));
  const std::string leaf =
      home->driver->directories("")[0] + "/heddle.leaf." + std::to_string(::getpid());
  const pid_t child = ::fork();
  if (child == 0) {
    ::usleep(100'000);
    ::_exit(0);
  }
  leave_home(*home);
  EXPECT_FALSE(std::filesystem::exists(leaf));
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST_F(RealHome, LeavingKeepsTheControllersThatOthersUse) {
  if (v1()) GTEST_SKIP() << "v1 has no controllers to enable";
  std::string directory = driver().directories(run_group(run()))[0];
  Result<Home> home = find_home(directory);
  ASSERT_TRUE(home) << home.error().text;
  std::filesystem::create_directory(directory + "/stranger");
  leave_home(*home);
  EXPECT_TRUE(std::filesystem::exists(directory + "/stranger/memory.max"));
  std::filesystem::remove(directory + "/stranger");
}

TEST_F(RealHome, AWantedGroupWithOthersInItIsRefused) {
  if (v1()) GTEST_SKIP() << "v1 groups may hold processes";
  ASSERT_TRUE(driver().create(run_group(run())));
  pid_t child = start(run_group(run()), [] { ::pause(); });
  Result<Home> home = find_home(driver().directories(run_group(run()))[0]);
  ASSERT_FALSE(home);
  EXPECT_EQ(home.error().kind, Error::Kind::kMachine);
  EXPECT_THAT(home.error().text,
              HasSubstr("holds other processes (such as " + std::to_string(child)));
}

/// Tests a process that is alone in its group, as in a scope of its own. Returns 0, or the line
/// that failed.
int live_in_own_group() {
  const std::string own = own_path();
  Result<Home> home = find_home(std::nullopt);
  if (!home) return __LINE__ % 100;
  if (home->address != "v2:" + own) return __LINE__ % 100;
  if (own_path() != own + "/heddle.leaf") return __LINE__ % 100;
  if (read_file(home->driver->directories("")[0] + "/heddle.leaf/cpu.weight").value() != "10000\n")
    return __LINE__ % 100;
  if (!home->driver->create("heddle-y")) return __LINE__ % 100;
  if (!home->driver->set_memory("heddle-y", {16 * kMiB, false})) return __LINE__ % 100;
  if (!home->driver->remove("heddle-y")) return __LINE__ % 100;
  leave_home(*home);
  if (own_path() != own) return __LINE__ % 100;
  Result<std::vector<std::string>> left = home->driver->children("");
  return left && left->empty() ? 0 : __LINE__ % 100;
}

TEST_F(RealHome, OurOwnGroupIsTakenIfItIsOursAlone) {
  if (v1()) GTEST_SKIP() << "v1 groups may hold processes";
  ASSERT_TRUE(driver().create(run_group(run())));
  pid_t child = start(run_group(run()), [] { ::_exit(live_in_own_group()); });
  EXPECT_EQ(await_end(child), 0) << "the number is 256 times the failing line of the function";
}

}  // namespace heddle::cgroup::cgroup_home_test
