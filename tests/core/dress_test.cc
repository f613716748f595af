#include "core/policy/scheduler/dress/dress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/virtual_cluster.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

Scenario dress_cluster(int nodes, int cores, int gib) {
  Scenario scenario = cluster_of(nodes, cores, gib);
  scenario.policy.preset = "dress";
  return scenario;
}

class Dressed {
 public:
  explicit Dressed(const Scenario& scenario) : cluster(scenario) {
    EXPECT_TRUE(cluster.run());
    EXPECT_EQ(cluster.refused(), 0);
  }
  /// What was told about that, from the first to the last time.
  std::vector<std::string> notes(const std::string& about) const {
    std::vector<std::string> found;
    for (const std::string& note : cluster.notes())
      if (note.find(" " + about + " ") != std::string::npos) found.push_back(note);
    return found;
  }
  VirtualCluster cluster;
};

// Ten places. `first` fills them at 0 s, and as no small job asks, all is the large pool's. At 10 s
// all ten come free. `second` wants 12 and does not fit, `small` wants 1, and is given it: the
// ratio rises to 0.1. At 15 s nobody wants it any more, and it goes back.
TEST(Dress, ASmallJobDoesNotWaitBehindALargeOne) {
  Scenario scenario = dress_cluster(1, 10, 10);
  scenario.jobs = {job_of("first", 0, 10, 1, 1, 10), job_of("second", 1, 12, 1, 1, 10),
                   job_of("small", 2, 1, 1, 1, 5)};
  Dressed dressed(scenario);
  EXPECT_EQ(dressed.cluster.wait_s("small"), 8);
  EXPECT_EQ(dressed.cluster.wait_s("second"), 9);
  EXPECT_EQ(dressed.cluster.makespan_s(), 30);
  EXPECT_THAT(dressed.notes("dress.job"),
              ElementsAre("0.0 dress.job job 0 category 1 of 2 units 10",
                          "1.0 dress.job job 1 category 1 of 2 units 12",
                          "2.0 dress.job job 2 category 0 of 2 units 1"));
  const std::vector<std::string> ratios = dressed.notes("dress.ratio");
  ASSERT_GE(ratios.size(), 6U);
  EXPECT_THAT(std::vector<std::string>(ratios.begin(), ratios.begin() + 6),
              ElementsAre("0.0 dress.ratio ratios 0 available 10 free 1/9 expected 0/0 wanted 0/10 "
                          "used 0/0",
                          "1.0 dress.ratio ratios 0 available 0 free 0/0 expected 0/0 wanted 0/12 "
                          "used 0/10",
                          "2.0 dress.ratio ratios 0 available 0 free 0/0 expected 0/0 wanted 1/12 "
                          "used 0/10",
                          "10.0 dress.ratio ratios 0.1 available 10 free 0/10 expected 0/0 wanted "
                          "1/12 used 0/0",
                          "11.0 dress.ratio ratios 0.1 available 0 free 0/0 expected 0/0 wanted "
                          "0/3 used 1/9",
                          "15.0 dress.ratio ratios 0 available 1 free 1/0 expected 0/0 wanted 0/3 "
                          "used 0/9"));
}

// The same under fifo: the small job waits for second's turn to be over.
TEST(Dress, WhichFifoHasItDo) {
  Scenario scenario = cluster_of(1, 10, 10);
  scenario.jobs = {job_of("first", 0, 10, 1, 1, 10), job_of("second", 1, 12, 1, 1, 10),
                   job_of("small", 2, 1, 1, 1, 5)};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.wait_s("small"), 18);
  EXPECT_EQ(cluster.makespan_s(), 30);
}

// ps_first, ps_last and gamma of a job whose tasks are asked for over 6 s, and what that lets one
// expect: its 12 tasks of 20 s began 0.5 s apart, so 12 / 5.5 of them are released each second.
TEST(Dress, ExpectsReleasesAsTasksHaveStarted) {
  Scenario scenario = dress_cluster(1, 12, 12);
  scenario.jobs = {job_of("spread", 0, 12, 1, 1, 20), job_of("waits", 7, 30, 1, 1, 10)};
  scenario.jobs[0].phases[0].start_spread = emu_seconds(6);
  Dressed dressed(scenario);
  const std::vector<std::string> phases = dressed.notes("dress.phase");
  ASSERT_GE(phases.size(), 3U);
  EXPECT_EQ(phases[0], "1.0 dress.phase job 0 phase 1 first_start 0");
  EXPECT_EQ(phases[1],
            "16.0 dress.phase job 0 phase 1 first_start 0 last_start 5.5 spread 5.5 units 12");
  EXPECT_EQ(phases[2],
            "20.0 dress.phase job 0 phase 1 first_start 0 last_start 5.5 spread 5.5 units 12 "
            "release 20");
  // Said at 23 s for the second after it, and settled at 24 s: 12 / 5.5 = 2.18, and 2 came.
  EXPECT_THAT(dressed.notes("dress.release"),
              testing::Contains("24.0 dress.release made 23 predicted 0/2.182 actual 0/2"));
}

TEST(Dress, EveryCategoryHasAPoolOfItsOwn) {
  Scenario scenario = dress_cluster(1, 20, 20);
  set_policy(scenario, "categories", "[0.05, 0.2]");
  scenario.jobs = {job_of("large", 0, 30, 1, 1, 10), job_of("more", 0, 30, 1, 1, 10),
                   job_of("middle", 1, 4, 1, 1, 10), job_of("small", 2, 1, 1, 1, 10)};
  Dressed dressed(scenario);
  EXPECT_THAT(dressed.notes("dress.job"),
              ElementsAre("0.0 dress.job job 0 category 2 of 3 units 30",
                          "0.0 dress.job job 1 category 2 of 3 units 30",
                          "1.0 dress.job job 2 category 1 of 3 units 4",
                          "2.0 dress.job job 3 category 0 of 3 units 1"));
  EXPECT_EQ(dressed.cluster.wait_s("small"), 8);
  EXPECT_EQ(dressed.cluster.wait_s("middle"), 9);
}

TEST(Dress, OneIndicatorIsOneBoundOfCategories) {
  Scenario scenario = dress_cluster(2, 10, 10);
  scenario.jobs = {job_of("a", 0, 25, 1, 1, 7), job_of("b", 1, 2, 1, 1, 5),
                   job_of("c", 2, 30, 1, 1, 3), job_of("d", 9, 1, 1, 1, 11)};
  set_policy(scenario, "dress_indicator", "0.15");
  const Dressed one(scenario);
  scenario.policy.options.clear();
  set_policy(scenario, "categories", "[0.15]");
  const Dressed many(scenario);
  EXPECT_EQ(one.cluster.log(), many.cluster.log());
  EXPECT_EQ(one.cluster.notes(), many.cluster.notes());
}

// Ten free units when it comes, of which half is its indicator; of the cluster's twenty it would be
// less than that.
TEST(Dress, SmallCanBeMeantOfWhatIsFree) {
  Scenario scenario = dress_cluster(1, 20, 20);
  scenario.jobs = {job_of("first", 0, 14, 1, 1, 10), job_of("second", 1, 4, 1, 1, 10)};
  set_policy(scenario, "dress_indicator", "0.5");
  EXPECT_EQ(Dressed(scenario).notes("dress.job")[1], "1.0 dress.job job 1 category 0 of 2 units 4");
  set_policy(scenario, "indicator_base", "available");
  EXPECT_EQ(Dressed(scenario).notes("dress.job")[1], "1.0 dress.job job 1 category 1 of 2 units 4");
}

// A request counts as the most units that it needs of any resource; the first wave is what does
// not come after something else.
TEST(Dress, CountsUnitsOfTheFirstWave) {
  Scenario scenario = dress_cluster(1, 20, 20);
  scenario.jobs = {job_of("deep", 0, 3, 1, 2, 10), job_of("thin", 0, 2, 1, 1, 10)};
  add_reduces(scenario.jobs[1], 9, 1, 1, 10);
  add_master(scenario.jobs[1], 1, 1);
  EXPECT_THAT(Dressed(scenario).notes("dress.job"),
              ElementsAre("0.0 dress.job job 0 category 1 of 2 units 6",
                          "0.0 dress.job job 1 category 0 of 2 units 2"));
}

TEST(Dress, TheRatioIsMovedOnceAnInterval) {
  Scenario scenario = dress_cluster(1, 10, 10);
  set_policy(scenario, "ratio_interval", "4");
  scenario.jobs = {job_of("first", 0, 10, 1, 1, 10), job_of("second", 1, 12, 1, 1, 10),
                   job_of("small", 2, 1, 1, 1, 5)};
  Dressed dressed(scenario);
  for (const std::string& note : dressed.notes("dress.ratio"))
    EXPECT_EQ(std::fmod(std::stod(note), 4), 0) << note;
  for (double at : dressed.cluster.remembered_s()) EXPECT_EQ(std::fmod(at, 4), 0) << at;
  // Nothing is told of the pools between 8 and 12 s, and by then `second` has it all.
  EXPECT_EQ(dressed.cluster.wait_s("small"), 18);
}

// A node of less than a unit has no units to divide; nothing is held up.
TEST(Dress, NodesSmallerThanAUnit) {
  Scenario scenario = dress_cluster(2, 1, 1);
  scenario.cluster.unit = {Millicores(4000), EmuBytes(4LL << 30)};
  scenario.jobs = {job_of("a", 0, 3, 1, 1, 10), job_of("b", 1, 2, 1, 1, 10)};
  EXPECT_EQ(Dressed(scenario).cluster.makespan_s(), 30);
}

// The one unit of the cluster is the master's, by its count; the task fits all the same.
TEST(Dress, MastersDoNotHoldUpTheirTasks) {
  Scenario scenario = dress_cluster(1, 2, 2);
  scenario.cluster.unit = {Millicores(2000), EmuBytes(2LL << 30)};
  scenario.jobs = {job_of("a", 0, 2, 1, 1, 10)};
  add_master(scenario.jobs[0], 1, 1);
  EXPECT_EQ(Dressed(scenario).cluster.makespan_s(), 20);
}

}  // namespace
}  // namespace heddle
