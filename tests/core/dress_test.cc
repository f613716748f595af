#include <algorithm>
#include <cmath>

#include "tests/core/virtual_cluster.h"
#include "tests/support/matchers.h"

namespace heddle::dress_test {

class Dressed : public FinishedRun {
 public:
  using FinishedRun::FinishedRun;
  using FinishedRun::notes;
  /// Returns the notes about that, in the order of time.
  std::vector<std::string> notes(const std::string& about) const {
    std::vector<std::string> found;
    for (const std::string& note : notes())
      if (note.find(" " + about + " ") != std::string::npos) found.push_back(note);
    return found;
  }
};

/// Returns the notes that were made at one of these times, such as "0.0".
std::vector<std::string> made_at(const std::vector<std::string>& times,
                                 const std::vector<std::string>& notes) {
  std::vector<std::string> found;
  for (const std::string& note : notes)
    if (std::count(times.begin(), times.end(), note.substr(0, note.find(' '))) > 0)
      found.push_back(note);
  return found;
}

/// Fixes the ratio (delta) for the whole run.
void fix_ratio(Scenario& scenario, const char* ratio) {
  set_policy(scenario, "min_ratio", ratio);
  set_policy(scenario, "max_ratio", ratio);
}

// There are ten places. Job `first` fills them at 0 s, and no small job has requests, so nothing is
// reserved. At 10 s all ten become free. Job `second` wants 12 and does not fit. Job `small` wants
// 1 and gets it: the ratio rises to 0.1. From 15 s on no job wants it, and it returns to 0. The
// ratio is noted at every update, once per second.
TEST(Dress, ASmallJobDoesNotWaitBehindALargeOne) {
  Scenario scenario = cluster_of(1, 10, 10, "dress");
  scenario.jobs = {job_of("first", 0, 10, 1, 1, 10), job_of("second", 1, 12, 1, 1, 10),
                   job_of("small", 2, 1, 1, 1, 5)};
  const Dressed dressed(scenario);
  EXPECT_EQ(dressed.wait_s("small"), 8);
  EXPECT_EQ(dressed.wait_s("second"), 9);
  EXPECT_EQ(dressed.makespan_s(), 30);
  EXPECT_THAT(dressed.notes("dress.job"),
              ElementsAre("0.0 dress.job job 0 category 1 of 2 demand 1",
                          "1.0 dress.job job 1 category 1 of 2 demand 1.2",
                          "2.0 dress.job job 2 category 0 of 2 demand 0.1"));
  const std::vector<std::string> ratios = dressed.notes("dress.ratio");
  EXPECT_EQ(ratios.size(), 30U);
  EXPECT_THAT(made_at({"0.0", "1.0", "2.0", "3.0", "10.0", "11.0", "15.0"}, ratios),
              ElementsAre("0.0 dress.ratio ratios 0 available 1 free 0.1/0.9 expected 0/0 wanted "
                          "0/1 used 0/0",
                          "1.0 dress.ratio ratios 0 available 0 free 0/0 expected 0/0 wanted 0/1.2 "
                          "used 0/1",
                          "2.0 dress.ratio ratios 0 available 0 free 0/0 expected 0/0 wanted "
                          "0.1/1.2 used 0/1",
                          "3.0 dress.ratio ratios 0 available 0 free 0/0 expected 0/0 wanted "
                          "0.1/1.2 used 0/1",
                          "10.0 dress.ratio ratios 0.1 available 1 free 0/1 expected 0/0 wanted "
                          "0.1/1.2 used 0/0",
                          "11.0 dress.ratio ratios 0.1 available 0 free 0/0 expected 0/0 wanted "
                          "0/0.3 used 0.1/0.9",
                          "15.0 dress.ratio ratios 0 available 0.1 free 0.1/0 expected 0/0 wanted "
                          "0/0.3 used 0/0.9"));
}

// The same under fifo: the small job waits until `second` has had its turn.
TEST(Dress, WhichFifoHasItDo) {
  Scenario scenario = cluster_of(1, 10, 10);
  scenario.jobs = {job_of("first", 0, 10, 1, 1, 10), job_of("second", 1, 12, 1, 1, 10),
                   job_of("small", 2, 1, 1, 1, 5)};
  const FinishedRun cluster(scenario);
  EXPECT_EQ(cluster.wait_s("small"), 18);
  EXPECT_EQ(cluster.makespan_s(), 30);
}

// The tasks of a job are requested over 6 s. ps_first, ps_last and gamma of the job allow a
// prediction: its 12 tasks of 20 s began 0.5 s apart, so 1 / 5.5 of the cluster is released per
// second.
TEST(Dress, ExpectsReleasesAsTasksHaveStarted) {
  Scenario scenario = cluster_of(1, 12, 12, "dress");
  scenario.jobs = {job_of("spread", 0, 12, 1, 1, 20), job_of("waits", 7, 30, 1, 1, 10)};
  scenario.jobs[0].phases[0].start_spread = emu_seconds(6);
  const Dressed dressed(scenario);
  const std::vector<std::string> phases = dressed.notes("dress.phase");
  ASSERT_GE(phases.size(), 3U);
  EXPECT_EQ(phases[0], "1.0 dress.phase job 0 phase 1 first_start 0");
  EXPECT_EQ(phases[1],
            "16.0 dress.phase job 0 phase 1 first_start 0 last_start 5.5 spread 5.5 share 1");
  EXPECT_EQ(phases[2],
            "20.0 dress.phase job 0 phase 1 first_start 0 last_start 5.5 spread 5.5 share 1 "
            "release 20");
  // The forecast is made at 23 s for the next second and settled at 24 s. It is 1 / 5.5 = 0.1818.
  // The tasks that end at 23.5 and 24 s are 2 / 12 = 0.1667.
  EXPECT_THAT(dressed.notes("dress.release"),
              Contains("24.0 dress.release made 23 until 24 predicted 0/0.1818 actual 0/0.1667"));
}

// The same without the other job. The last task and the run end at 25.5 s, within the horizon of
// the forecast of 25 s. Only that task runs then: 1 / 12 = 0.0833.
TEST(Dress, TheReleasesOfTheLastHorizonCount) {
  Scenario scenario = cluster_of(1, 12, 12, "dress", {job_of("spread", 0, 12, 1, 1, 20)});
  scenario.jobs[0].phases[0].start_spread = emu_seconds(6);
  const std::vector<std::string> releases = Dressed(scenario).notes("dress.release");
  // The forecasts are until 20, 21, 22, 23, 24 and 25 s and to the end. The first releases 1 task,
  // the others 2 each, the last 1.
  ASSERT_EQ(releases.size(), 7U);
  EXPECT_EQ(releases[0], "20.0 dress.release made 19 until 20 predicted 0/0 actual 0/0.08333");
  EXPECT_EQ(releases[1], "21.0 dress.release made 20 until 21 predicted 0/0.1818 actual 0/0.1667");
  EXPECT_EQ(releases[6],
            "25.5 dress.release made 25 until 26 predicted 0/0.08333 actual 0/0.08333");
}

// There are ten places. Job `first` begins a task every 0.5 s from 0 to 4.5 s; these end from 20 to
// 24.5 s. Job `second` wants 12 places (1.2) and `small` 4 (0.4).
//
// With a horizon of 10 s, all of `first` is expected at 20 s: 0.1 is free, and min(0.9, 1.0) is to
// come. 1.2 does not fit 1.0, so the 0.4 for `small` is taken from it, and `small` starts. Its last
// task starts at 21.5 s, and the first task of `second` at 22 s.
//
// With the default of 1 s, 1 / 4.5 = 0.22 is expected. 0.32 is less than 0.4, here and at all later
// updates, and so is 0.1 without an estimate. Job `second` takes all that comes until 24.5 s. Its
// last two tasks start at 30 and 30.5 s, when its own tasks begin to end. From 31 s on it has no
// requests.
TEST(Dress, HowFarReleasesAreExpectedDecidesWhatFits) {
  Scenario scenario = cluster_of(1, 10, 10, "dress+dress_indicator=0.4");
  scenario.jobs = {job_of("first", 0, 10, 1, 1, 20), job_of("second", 6, 12, 1, 1, 10),
                   job_of("small", 7, 4, 1, 1, 5)};
  scenario.jobs[0].phases[0].start_spread = emu_seconds(5);
  const auto starts = [&] {
    const Dressed dressed(scenario);
    return std::pair(6 + dressed.wait_s("second"), 7 + dressed.wait_s("small"));
  };
  EXPECT_EQ(starts(), std::pair(20.0, 31.0));
  set_policy(scenario, "release_horizon", "10");
  EXPECT_EQ(starts(), std::pair(22.0, 20.0));
  set_policy(scenario, "release_estimate", "off");
  EXPECT_EQ(starts(), std::pair(20.0, 31.0));
  const Dressed without(scenario);
  EXPECT_TRUE(without.notes("dress.release").empty());
  for (const std::string& note : without.notes("dress.ratio"))
    EXPECT_THAT(note, HasSubstr(" expected 0/0 "));
}

TEST(Dress, EveryCategoryHasAPoolOfItsOwn) {
  Scenario scenario = cluster_of(1, 20, 20, "dress+categories=[0.05, 0.2]");
  scenario.jobs = {job_of("large", 0, 30, 1, 1, 10), job_of("more", 0, 30, 1, 1, 10),
                   job_of("middle", 1, 4, 1, 1, 10), job_of("small", 2, 1, 1, 1, 10)};
  const Dressed dressed(scenario);
  EXPECT_THAT(dressed.notes("dress.job"),
              ElementsAre("0.0 dress.job job 0 category 2 of 3 demand 1.5",
                          "0.0 dress.job job 1 category 2 of 3 demand 1.5",
                          "1.0 dress.job job 2 category 1 of 3 demand 0.2",
                          "2.0 dress.job job 3 category 0 of 3 demand 0.05"));
  EXPECT_EQ(dressed.wait_s("small"), 8);
  EXPECT_EQ(dressed.wait_s("middle"), 9);
}

TEST(Dress, OneIndicatorIsOneBoundOfCategories) {
  Scenario scenario = cluster_of(2, 10, 10, "dress+dress_indicator=0.15");
  scenario.jobs = {job_of("a", 0, 25, 1, 1, 7), job_of("b", 1, 2, 1, 1, 5),
                   job_of("c", 2, 30, 1, 1, 3), job_of("d", 9, 1, 1, 1, 11)};
  const Dressed one(scenario);
  scenario.policy.options.clear();
  set_policy(scenario, "categories", "[0.15]");
  const Dressed many(scenario);
  EXPECT_EQ(one.log(), many.log());
  EXPECT_EQ(one.notes(), many.notes());
}

// Six of twenty places are free when `second` comes. Its 0.2 is at most half of the cluster, and
// more than half of the free 0.3.
TEST(Dress, SmallCanBeMeantOfWhatIsFree) {
  Scenario scenario = cluster_of(1, 20, 20, "dress+dress_indicator=0.5");
  scenario.jobs = {job_of("first", 0, 14, 1, 1, 10), job_of("second", 1, 4, 1, 1, 10)};
  EXPECT_EQ(Dressed(scenario).notes("dress.job")[1],
            "1.0 dress.job job 1 category 0 of 2 demand 0.2");
  set_policy(scenario, "indicator_base", "available");
  EXPECT_EQ(Dressed(scenario).notes("dress.job")[1],
            "1.0 dress.job job 1 category 1 of 2 demand 0.2");
}

// A request counts by its dominant resource: 2 of 20 GiB, three times. The first wave is the phases
// that follow no other; application masters are not in it.
TEST(Dress, ADemandIsTheDominantShareOfTheFirstWave) {
  Scenario scenario = cluster_of(1, 20, 20, "dress");
  scenario.jobs = {job_of("deep", 0, 3, 1, 2, 10), job_of("thin", 0, 2, 1, 1, 10)};
  add_reduces(scenario.jobs[1], 9, 1, 1, 10);
  add_master(scenario.jobs[1], 1, 1);
  EXPECT_THAT(Dressed(scenario).notes("dress.job"),
              ElementsAre("0.0 dress.job job 0 category 1 of 2 demand 0.3",
                          "0.0 dress.job job 1 category 0 of 2 demand 0.1"));
}

TEST(Dress, TheRatioIsMovedOnceAnInterval) {
  Scenario scenario = cluster_of(1, 10, 10, "dress+ratio_interval=4");
  scenario.jobs = {job_of("first", 0, 10, 1, 1, 10), job_of("second", 1, 12, 1, 1, 10),
                   job_of("small", 2, 1, 1, 1, 5)};
  const Dressed dressed(scenario);
  for (const std::string& note : dressed.notes("dress.ratio"))
    EXPECT_EQ(std::fmod(std::stod(note), 4), 0) << note;
  for (double at : dressed.remembered_s()) EXPECT_EQ(std::fmod(at, 4), 0) << at;
  // At 8 s nothing is free, and at 10 s `second` takes everything. At 20 s it leaves 8 places.
  EXPECT_EQ(dressed.wait_s("small"), 18);
}

// Two of ten places are reserved. The large job's tasks take three each. 1, 0.7 and 0.4 are more
// than the reserve, so three tasks start, and the last one overshoots the reserve by a place. The
// small job gets the last place at 1 s and a second one at 10 s, before the large job's turn. Then
// nothing is reserved.
TEST(Dress, OneLaunchMayOvershootTheReserve) {
  Scenario scenario = cluster_of(1, 10, 10, "dress");
  fix_ratio(scenario, "0.2");
  set_policy(scenario, "dress_indicator", "0.2");
  scenario.jobs = {job_of("large", 0, 4, 3, 3, 10), job_of("small", 1, 2, 1, 1, 20)};
  EXPECT_THAT(by_time(Dressed(scenario).log()),
              ElementsAre("0.0 large.map.0 on n1, large.map.1 on n1, large.map.2 on n1",
                          "1.0 small.map.0 on n1", "10.0 small.map.1 on n1, large.map.3 on n1"));
}

// Tasks of one place stop exactly at the reserve. Places that a small job uses are no longer
// reserved.
TEST(Dress, TheLargePoolLeavesTheReserve) {
  Scenario scenario = cluster_of(2, 5, 5, "dress");
  fix_ratio(scenario, "0.3");
  set_policy(scenario, "dress_indicator", "0.2");
  scenario.jobs = {job_of("large", 0, 20, 1, 1, 10), job_of("small", 1, 2, 1, 1, 2)};
  const Dressed dressed(scenario);
  EXPECT_THAT(made_at({"1.0", "2.0"}, dressed.notes("dress.ratio")),
              ElementsAre("1.0 dress.ratio ratios 0.3 available 0.3 free 0.3/0 expected 0/0 wanted "
                          "0.2/1.3 used 0/0.7",
                          "2.0 dress.ratio ratios 0.3 available 0.1 free 0.1/0 expected 0/0 wanted "
                          "0/1.3 used 0.2/0.7"));
  EXPECT_EQ(dressed.wait_s("small"), 0);
}

// The small pool may start something while it holds less than 0.1, even a gang of 0.3.
TEST(Dress, OneGangMayOvershootItsPool) {
  Scenario scenario = cluster_of(1, 10, 10, "dress");
  fix_ratio(scenario, "0.1");
  set_policy(scenario, "dress_indicator", "0.3");
  scenario.jobs = {job_of("gang", 0, 3, 1, 1, 10), job_of("next", 0, 1, 1, 1, 10)};
  scenario.jobs[0].phases[0].gang = true;
  const Dressed dressed(scenario);
  EXPECT_EQ(dressed.wait_s("gang"), 0);
  EXPECT_EQ(dressed.wait_s("next"), 10);
}

// There are twenty cores and GiB. Tasks of a take 4 cores and 1 GiB, those of b 1 core and 4 GiB,
// 0.2 each. One pool has 0.2. If the large pool is capped, it has 0.8: two tasks of a and two of b.
// Otherwise it continues while more than 0.2 is free: with two tasks of a and one, two, three of b,
// 11, 10, 9 cores and 14, 10, 6 GiB are free, so all four of b start.
TEST(Dress, TheLargePoolHasTheRestOrIsCapped) {
  Scenario scenario = cluster_of(1, 20, 20, "dress");
  fix_ratio(scenario, "0.2");
  scenario.jobs = {job_of("a", 0, 2, 4, 1, 10), job_of("b", 0, 4, 1, 4, 10)};
  EXPECT_EQ(Dressed(scenario).makespan_s(), 10);
  set_policy(scenario, "large_pool", "capped");
  EXPECT_EQ(Dressed(scenario).makespan_s(), 20);
}

// The whole cluster is reserved for small jobs, and there are none. One task runs at a time,
// because the first request may start if none is running.
TEST(Dress, AnIdleClusterIsHeldUpByNoReserve) {
  Scenario scenario = cluster_of(1, 10, 10, "dress");
  fix_ratio(scenario, "1");
  scenario.jobs = {job_of("large", 0, 3, 1, 1, 10)};
  EXPECT_THAT(Dressed(scenario).log(),
              ElementsAre("0.0 launch large.map.0 on n1", "10.0 launch large.map.1 on n1",
                          "20.0 launch large.map.2 on n1"));
}

// The same if there is a small job that can't start: its master waits for the large job's master,
// the only one that max_am_share permits.
TEST(Dress, NorByAPoolThatCanStartNothing) {
  Scenario scenario = cluster_of(1, 10, 10, "dress");
  fix_ratio(scenario, "1");
  scenario.jobs = {job_of("large", 0, 3, 1, 1, 10), job_of("small", 1, 1, 1, 1, 10)};
  add_master(scenario.jobs[0], 1, 1);
  add_master(scenario.jobs[1], 1, 1);
  const Dressed dressed(scenario);
  EXPECT_EQ(dressed.finish_s("large"), 30);
  EXPECT_EQ(dressed.wait_s("small"), 29);
}

// There are two nodes of five places. Without n2, each place is a fifth of the cluster: the large
// job still holds all of it, and its requests count twice as much.
TEST(Dress, SharesAreOfTheLiveNodes) {
  Scenario scenario = cluster_of(2, 5, 5, "dress", {job_of("large", 0, 12, 1, 1, 10)});
  VirtualCluster cluster(scenario);
  cluster.lose_node(NodeId{1}, 4.5);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.notes(),
              IsSupersetOf({"4.0 dress.ratio ratios 0 available 0 free 0/0 expected 0/0 "
                            "wanted 0/0.2 used 0/1",
                            "5.0 dress.ratio ratios 0 available 0 free 0/0 expected 0/0 "
                            "wanted 0/1.4 used 0/1"}));
}

}  // namespace heddle::dress_test
