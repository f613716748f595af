#include "report/efficiency.h"

#include "tests/support/matchers.h"

namespace heddle::report::efficiency_test {

TEST(Distribution, EveryValueUpToSoMany) {
  EXPECT_EQ(distribution({}, 4).dump(), "[]");
  EXPECT_EQ(distribution({0.5}, 4).dump(), "[[0.5,1.0]]");
  EXPECT_EQ(distribution({0.1, 0.2, 0.2, 0.4}, 4).dump(),
            "[[0.1,0.25],[0.2,0.5],[0.2,0.75],[0.4,1.0]]");
  EXPECT_EQ(distribution({1, 2, 3, 4, 5, 6}, 3).dump(),
            "[[2.0,0.333333],[4.0,0.666667],[6.0,1.0]]");
}

TEST(AllocationEfficiency, ContainersJobsUsers) {
  AllocationEfficiency efficiency;
  efficiency.add("a", "ann", {1, 2, 10, 100});
  efficiency.add("a", "ann", {3, 4, 90, 100});
  efficiency.add("b", "ann", {1, 10, 50, 200});
  efficiency.add("c", "bob", {0, 0, 20, 100});  // holds no cores
  const wire::Json json = efficiency.json();
  EXPECT_EQ(json["overall"].dump(), R"({"cores":0.3125,"memory":0.34})");
  EXPECT_EQ(json["by_container"]["cores"].dump(), "[[0.1,0.333333],[0.5,0.666667],[0.75,1.0]]");
  EXPECT_EQ(json["by_container"]["memory"].dump(), "[[0.1,0.25],[0.2,0.5],[0.25,0.75],[0.9,1.0]]");
  EXPECT_EQ(json["by_job"]["cores"].dump(), "[[0.1,0.5],[0.666667,1.0]]");
  EXPECT_EQ(json["by_job"]["memory"].dump(), "[[0.2,0.333333],[0.25,0.666667],[0.5,1.0]]");
  EXPECT_EQ(json["by_user"]["cores"].dump(), "[[0.3125,1.0]]");
  EXPECT_EQ(json["by_user"]["memory"].dump(), "[[0.2,0.5],[0.375,1.0]]");
  // By nearest rank, the 90th percentile is the third of three, the fourth of four and the second
  // of two values.
  EXPECT_EQ(efficiency.summary().dump(),
            R"({"cpu":0.3125,"memory":0.34,"p90":{"container":{"cpu":0.75,"memory":0.9},)"
            R"("job":{"cpu":0.666667,"memory":0.5},"user":{"cpu":0.3125,"memory":0.375}}})");
  EXPECT_THAT(efficiency.table(),
              HasSubstr("memory       container        4  0.10  0.10  0.20  0.25  0.90\n"));
}

TEST(AllocationEfficiency, Nobody) {
  const AllocationEfficiency none;
  EXPECT_EQ(none.json().dump(),
            R"({"overall":{"cores":null,"memory":null},"by_container":{"cores":[],"memory":[]},)"
            R"("by_job":{"cores":[],"memory":[]},"by_user":{"cores":[],"memory":[]}})");
  EXPECT_EQ(none.summary()["p90"]["job"].dump(), R"({"cpu":null,"memory":null})");
  EXPECT_THAT(none.table(),
              HasSubstr("cores        user             0    -    -    -    -    -\n"));
}

}  // namespace heddle::report::efficiency_test
