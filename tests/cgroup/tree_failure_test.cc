#include "cgroup/tree.h"
#include "tests/cgroup/tree_fixture.h"
#include "tests/support/matchers.h"

/// Tests that nothing is left behind when each call to the kernel fails once, in turn.
namespace heddle::cgroup::tree_failure_test {

using std::chrono::milliseconds;

class TreeFailure : public testing::TestWithParam<Version> {};

INSTANTIATE_TEST_SUITE_P(, TreeFailure, testing::Values(Version::kV1, Version::kV2),
                         [](const auto& version) {
                           return version.param == Version::kV1 ? "V1" : "V2";
                         });

TEST_P(TreeFailure, OfCreateLeavesNothing) {
  std::size_t calls = 0;
  {
    RecordingDriver driver(GetParam());
    ASSERT_TRUE(NodeTree::create(driver, "r", "n1", node_caps()));
    calls = driver.calls.size();
  }
  ASSERT_GE(calls, 7u);
  for (std::size_t failing = 0; failing < calls; ++failing) {
    RecordingDriver driver(GetParam());
    driver.fail_call(failing);
    Result<std::unique_ptr<NodeTree>> tree = NodeTree::create(driver, "r", "n1", node_caps());
    ASSERT_FALSE(tree) << failing;
    EXPECT_THAT(tree.error().text, HasSubstr("make the control group of node n1: "));
    EXPECT_TRUE(driver.groups.empty()) << failing << ": " << testing::PrintToString(names(driver));
  }
}

TEST_P(TreeFailure, OfCreateLeavesOtherNodesAlone) {
  RecordingDriver driver(GetParam());
  Result<std::unique_ptr<NodeTree>> other = NodeTree::create(driver, "r", "n0", node_caps());
  ASSERT_TRUE(other);
  driver.calls.clear();
  driver.fail_call(4);  // after the groups of run and node are made
  EXPECT_FALSE(NodeTree::create(driver, "r", "n1", node_caps()));
  EXPECT_THAT(names(driver), ElementsAre("heddle-r", "heddle-r/n0"));
}

TEST_P(TreeFailure, OfAcquireLeavesNothing) {
  std::size_t calls = 0;
  {
    RecordingDriver driver(GetParam());
    auto tree = make_tree(driver);
    acquire(*tree);
    calls = driver.calls.size();
  }
  ASSERT_GE(calls, 9u);
  for (std::size_t failing = 0; failing < calls; ++failing) {
    RecordingDriver driver(GetParam());
    auto tree = make_tree(driver);
    driver.fail_call(failing);
    EXPECT_FALSE(tree->acquire(container_caps())) << failing;
    EXPECT_THAT(names(driver), ElementsAre("heddle-r", "heddle-r/n1")) << failing;
    driver.refuse = nullptr;
    EXPECT_EQ(acquire(*tree), 0) << failing;  // the slot isn't lost
  }
}

TEST_P(TreeFailure, OfReuseKeepsTheGroupForTheNext) {
  std::size_t calls = 0;
  for (std::size_t failing = 0; failing == 0 || failing <= calls; ++failing) {
    RecordingDriver driver(GetParam());
    auto tree = make_tree(driver);
    acquire(*tree);
    driver.groups["heddle-r/n1/c0"].memory_stats.current = 2 * kMiB;  // the longest path
    ASSERT_TRUE(tree->release(0));
    driver.calls.clear();
    if (failing > 0) {
      driver.fail_call(failing - 1);
      EXPECT_FALSE(tree->acquire(container_caps())) << failing;
      driver.refuse = nullptr;
    }
    EXPECT_EQ(acquire(*tree), 0) << failing;
    if (failing == 0) calls = driver.calls.size();
    EXPECT_EQ(driver.groups.size(), 3u) << failing;
    EXPECT_TRUE(tree->teardown(milliseconds(5000))) << failing;
    EXPECT_TRUE(driver.groups.empty()) << failing;
  }
  EXPECT_GE(calls, 12u);
}

TEST_P(TreeFailure, OfTeardownIsMadeUpFor) {
  std::size_t calls = 0;
  for (std::size_t failing = 0; failing == 0 || failing < calls; ++failing) {
    RecordingDriver driver(GetParam());
    auto tree = make_tree(driver);
    acquire(*tree);
    acquire(*tree);
    driver.groups["heddle-r/n1/c1"].members = {7};
    driver.calls.clear();
    if (failing > 0) driver.fail_call(failing - 1);
    EXPECT_TRUE(tree->teardown(milliseconds(5000))) << failing;
    EXPECT_TRUE(driver.groups.empty()) << failing;
    if (failing == 0) calls = driver.calls.size();
  }
  ASSERT_GE(calls, 11u);
  // The last call removes the run group. If it fails, a second teardown succeeds.
  RecordingDriver driver(GetParam());
  auto tree = make_tree(driver);
  driver.refuse = [](const std::string& call) {
    return call == "remove heddle-r" ? system_error(call, EIO) : Error{};
  };
  EXPECT_FALSE(tree->teardown(milliseconds(5000)));
  driver.refuse = nullptr;
  EXPECT_TRUE(tree->teardown(milliseconds(5000)));
  EXPECT_TRUE(driver.groups.empty());
}

TEST_P(TreeFailure, TeardownLeavesTheRunToOtherNodes) {
  RecordingDriver driver(GetParam());
  auto first = make_tree(driver);
  Result<std::unique_ptr<NodeTree>> second = NodeTree::create(driver, "r", "n2", node_caps());
  ASSERT_TRUE(second);
  ASSERT_TRUE(first->teardown(milliseconds(5000)));
  EXPECT_THAT(names(driver), ElementsAre("heddle-r", "heddle-r/n2"));
  ASSERT_TRUE((*second)->teardown(milliseconds(5000)));
  EXPECT_TRUE(driver.groups.empty());
}

}  // namespace heddle::cgroup::tree_failure_test
