#include "cgroup/tree.h"
#include "tests/cgroup/recording_driver.h"
#include "tests/support/matchers.h"

namespace heddle::cgroup::remove_tree_test {

using std::chrono::milliseconds;

TEST(RemoveTree, LiftsKillsThenRemovesChildrenFirst) {
  RecordingDriver driver;
  for (const char* group : {"heddle-r", "heddle-r/n1", "heddle-r/n1/c0"})
    ASSERT_TRUE(driver.create(group));
  driver.groups["heddle-r/n1/c0"].members = {7, 8};
  driver.calls.clear();
  ASSERT_TRUE(remove_tree(driver, "heddle-r", milliseconds(1000)));
  EXPECT_THAT(driver.calls,
              ElementsAre("children heddle-r", "children heddle-r/n1", "children heddle-r/n1/c0",
                          "set_cpu heddle-r none", "set_cpu heddle-r/n1 none",
                          "set_cpu heddle-r/n1/c0 none", "kill heddle-r", "remove heddle-r/n1/c0",
                          "remove heddle-r/n1", "remove heddle-r"));
  EXPECT_TRUE(driver.groups.empty());
}

TEST(RemoveTree, OfNothingIsDone) {
  RecordingDriver driver;
  EXPECT_TRUE(remove_tree(driver, "heddle-r", milliseconds(0)));
  EXPECT_TRUE(driver.calls.empty());
}

TEST(RemoveTree, TriesAgainWhateverFailsOnce) {
  for (std::size_t failing = 0; failing < 7; ++failing) {
    RecordingDriver driver;
    ASSERT_TRUE(driver.create("heddle-r"));
    ASSERT_TRUE(driver.create("heddle-r/n1"));
    driver.groups["heddle-r/n1"].members = {7};
    driver.calls.clear();
    driver.fail_call(failing);
    EXPECT_TRUE(remove_tree(driver, "heddle-r", milliseconds(5000))) << failing;
    EXPECT_TRUE(driver.groups.empty()) << failing;
  }
}

TEST(RemoveTree, SaysWhatStandsInTheWay) {
  RecordingDriver driver;
  ASSERT_TRUE(driver.create("heddle-r"));
  driver.groups["heddle-r"].members = {7};
  driver.immortal = {7};
  Result<void> removed = remove_tree(driver, "heddle-r", milliseconds(2));
  ASSERT_FALSE(removed);
  EXPECT_THAT(removed.error().text, HasSubstr("remove heddle-r and all in it within 2 ms: "));
  EXPECT_TRUE(driver.groups.contains("heddle-r"));
}

TEST(RunsIn, AreTheGroupsWithOurName) {
  RecordingDriver driver;
  for (const char* group : {"heddle-b", "heddle-a.1", "heddle.leaf", "other", "heddle-b/n1"})
    ASSERT_TRUE(driver.create(group));
  Result<std::vector<std::string>> runs = runs_in(driver);
  ASSERT_TRUE(runs);
  EXPECT_THAT(*runs, ElementsAre("a.1", "b"));
  EXPECT_EQ(run_group("a.1"), "heddle-a.1");
}

}  // namespace heddle::cgroup::remove_tree_test
