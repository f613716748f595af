#include "core/policy/reduces/early_start.h"

#include "tests/core/stepped_engine.h"
#include "tests/core/virtual_cluster.h"
#include "tests/support/events.h"
#include "tests/support/matchers.h"
#include "tests/support/text.h"

namespace heddle::early_start_test {

/// Returns the ramp of a job that can reach 100 cores and 1000 GiB. At least one of its maps waits
/// and one runs.
Ramp ramp_of_job(double maps_completed, const Resources& maps, const Resources& reduces) {
  return {0.5, maps_completed, 1, 1, maps, reduces, size_of(100, 1000)};
}

// A fifth of the maps is complete, so the ramp's part is 20 cores and 200 GiB. Maps want 90 cores,
// more than the other 80, so reduces may hold only the ramp's part.
TEST(RampAllows, TheRampsPartWhereMapsWantTheRest) {
  const Ramp ramp = ramp_of_job(0.2, size_of(90, 900), size_of(18, 180));
  EXPECT_TRUE(ramp_allows(ramp, size_of(2, 20)));
  EXPECT_FALSE(ramp_allows(ramp, size_of(3, 20)));
  EXPECT_FALSE(ramp_allows(ramp, size_of(2, 21)));
}

// Maps want 60 of the other 80 cores and 600 of the other 800 GiB, so reduces may hold 40 and 400.
TEST(RampAllows, WhatMapsLeaveWhereTheyNeedLessThanTheRest) {
  const Ramp ramp = ramp_of_job(0.2, size_of(60, 600), size_of(38, 380));
  EXPECT_TRUE(ramp_allows(ramp, size_of(2, 20)));
  EXPECT_FALSE(ramp_allows(ramp, size_of(3, 20)));
  EXPECT_FALSE(ramp_allows(ramp, size_of(2, 21)));
}

// Maps leave 910 GiB of memory, but want more cores than the other 80. In the second case they
// leave 91 cores, and want more memory than the other 800 GiB.
TEST(RampAllows, TheResourceThatBindsDecides) {
  const Ramp cores_bind = ramp_of_job(0.2, size_of(90, 90), size_of(18, 18));
  EXPECT_TRUE(ramp_allows(cores_bind, size_of(2, 2)));
  EXPECT_FALSE(ramp_allows(cores_bind, size_of(3, 3)));
  const Ramp memory_binds = ramp_of_job(0.2, size_of(9, 900), size_of(2, 180));
  EXPECT_TRUE(ramp_allows(memory_binds, size_of(1, 20)));
  EXPECT_FALSE(ramp_allows(memory_binds, size_of(1, 21)));
}

// Nine tenths of the maps are complete, but the limit is half of the reach: 50 cores and 500 GiB.
TEST(RampAllows, TheLimitBoundsTheRampsPart) {
  Ramp ramp = ramp_of_job(0.9, size_of(90, 900), size_of(48, 480));
  EXPECT_TRUE(ramp_allows(ramp, size_of(2, 20)));
  EXPECT_FALSE(ramp_allows(ramp, size_of(3, 20)));
  ramp.limit = 0;  // only what maps leave, 10 and 100
  ramp.reduces = size_of(8, 80);
  EXPECT_TRUE(ramp_allows(ramp, size_of(2, 20)));
  EXPECT_FALSE(ramp_allows(ramp, size_of(3, 20)));
  ramp.maps = size_of(200, 200);  // more cores than the job reaches
  ramp.reduces = {};
  EXPECT_FALSE(ramp_allows(ramp, size_of(1, 1)));
}

TEST(RampAllows, AnythingOnceEveryMapHasAContainerAndNothingWhileNoneRuns) {
  Ramp ramp = ramp_of_job(0.9, size_of(10, 10), size_of(1000, 1000));
  ramp.maps_pending = 0;
  EXPECT_TRUE(ramp_allows(ramp, size_of(1000, 1000)));
  ramp = ramp_of_job(0.9, size_of(1, 1), {});
  ramp.maps_running = 0;
  EXPECT_FALSE(ramp_allows(ramp, size_of(1, 1)));
}

JobSpec map_reduce(int maps, int reduces) {
  JobSpec job = job_of("j", 0, maps, 1, 1, 10);
  add_reduces(job, reduces, 1, 1, 10);
  return job;
}

/// Returns the reduces that are requested once `completed` maps are complete.
int asked(const JobSpec& spec, double early_start, int completed) {
  Scenario scenario = cluster_of(1, 1, 1, {spec});
  Job job(scenario, JobId{0}, early_start);
  job.submit();
  job.on_time(EmuTime(0));
  for (int i = 0; i < completed; ++i) {
    job.take(0, i);
    job.started(0, i, EmuTime(0));
    job.ended(0, i, Outcome::kCompleted, "");
  }
  job.on_time(EmuTime(0));
  return job.pending(static_cast<int>(spec.phases.size()) - 1);
}

// The number is ceil(0.05 x maps): 1 of 1, 1 of 20, 2 of 21, 2 of 40, 3 of 41, 5 of 100.
TEST(EarlyStart, ReducesAreAskedForOnceTheShareOfMapsIsComplete) {
  for (auto [maps, needed] : {std::pair(1, 1), std::pair(20, 1), std::pair(21, 2), std::pair(40, 2),
                              std::pair(41, 3), std::pair(100, 5)}) {
    EXPECT_EQ(asked(map_reduce(maps, 3), 0.05, needed - 1), 0) << maps;
    EXPECT_EQ(asked(map_reduce(maps, 3), 0.05, needed), 3) << maps;
  }
  EXPECT_EQ(asked(map_reduce(10, 3), 0, 0), 3);
  EXPECT_EQ(asked(map_reduce(10, 3), 1, 9), 0);
  EXPECT_EQ(asked(map_reduce(10, 3), 1, 10), 3);
}

TEST(EarlyStart, AllMapPhasesBeforeItCountTogether) {
  JobSpec job = map_reduce(10, 3);
  job.phases.insert(job.phases.begin() + 1, phase_of("more", 30));
  job.phases[2].after = {0, 1};
  EXPECT_EQ(asked(job, 0.05, 1), 0);  // 2 of 40 are needed
  EXPECT_EQ(asked(job, 0.05, 2), 3);
}

TEST(EarlyStart, NotForGangsNorMapsNorAfterReduces) {
  JobSpec gang = map_reduce(4, 2);
  gang.phases[1].gang = true;
  EXPECT_EQ(asked(gang, 0, 3), 0);
  EXPECT_EQ(asked(gang, 0, 4), 2);
  JobSpec maps = map_reduce(4, 2);
  maps.phases[1].kind = PhaseKind::kMap;
  EXPECT_EQ(asked(maps, 0, 3), 0);
  EXPECT_EQ(asked(maps, 0, 4), 2);
  JobSpec chain = map_reduce(4, 2);
  chain.phases[0].kind = PhaseKind::kReduce;
  EXPECT_EQ(asked(chain, 0, 3), 0);
  EXPECT_EQ(asked(chain, 0, 4), 2);
}

// Maps of a phase that itself waits can't be complete, so reduces after them can't start.
TEST(EarlyStart, NotBeforeTheMapsMayBegin) {
  JobSpec chained = map_reduce(4, 2);
  chained.phases.insert(chained.phases.begin(), chained.phases[0]);
  chained.phases[0].name = "first";
  chained.phases[1].after = {0};
  chained.phases[2].after = {1};
  EXPECT_EQ(asked(chained, 0, 3), 0);
  EXPECT_EQ(asked(chained, 0, 4), 2);
}

// There are 10 containers, 40 maps and 8 reduces, of one container and 10 s each. At 10 s, 10 of 40
// maps are complete, so reduces may hold 10 x 10/40 = 2.5 containers, which is 2. No reduce starts
// before a map runs again, so one map goes first, and maps get the other 7 places.
// At 20 s, 18 are complete, which is 4.5: two more reduces and 6 maps. At 30 s, 24, which is .6 of
// all, but the limit is half: 5, so one more reduce and 5 maps. At 40 s, 29: 5 maps. At 50 s, 34: 5
// maps, all but the last. At 60 s, 39: the last map starts, and then the last 3 reduces, because no
// map waits any more. At 70 s, all reduces get their inputs.
// With four times as much of either resource, the result is the same.
class RampOfAWholeJob : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(RampOfAWholeJob, ByTheResourceThatBinds) {
  const auto [cores, gib] = GetParam();
  const FinishedRun cluster(cluster_of(1, cores, gib, {map_reduce(40, 8)}));
  EXPECT_THAT(by_time(lines_with(cluster.log(), "j.reduce")),
              ElementsAre("10.0 j.reduce.0 on n1, j.reduce.1 on n1",
                          "20.0 j.reduce.2 on n1, j.reduce.3 on n1", "30.0 j.reduce.4 on n1",
                          "60.0 j.reduce.5 on n1, j.reduce.6 on n1, j.reduce.7 on n1"));
  // Containers 0 to 47 are in the order of their launches: 0-9 are maps, 10 is the next map, 11 and
  // 12 are reduces …
  EXPECT_THAT(by_time(lines_with(cluster.log(), "inputs")),
              ElementsAre("70.0 inputs ready for 11, inputs ready for 12, inputs ready for 21, "
                          "inputs ready for 22, inputs ready for 29, inputs ready for 45, inputs "
                          "ready for 46, inputs ready for 47"));
  EXPECT_EQ(cluster.finish_s("j"), 80);
}
INSTANTIATE_TEST_SUITE_P(EarlyStart, RampOfAWholeJob,
                         testing::Values(std::pair(10, 10), std::pair(10, 40), std::pair(40, 10)));

TEST(EarlyStart, OneMeansAfterAllMaps) {
  const FinishedRun cluster(cluster_of(1, 10, 10, "reduce_early_start=1", {map_reduce(15, 2)}));
  EXPECT_THAT(by_time(lines_with(cluster.log(), "j.reduce")),
              ElementsAre("20.0 j.reduce.0 on n1, j.reduce.1 on n1"));
  EXPECT_THAT(lines_with(cluster.log(), "inputs"), IsEmpty());
}

// The second map fails at 10 s and runs again. The reduces that started by then wait until 20 s.
TEST(EarlyStart, ARetriedMapIsWaitedFor) {
  Scenario scenario = cluster_of(1, 4, 4, {map_reduce(2, 2)});
  VirtualCluster cluster(scenario);
  cluster.make_fail({{JobId{0}, 0}, 1}, 1, Outcome::kFailed);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(by_time(cluster.log()),
              ElementsAre("0.0 j.map.0 on n1, j.map.1 on n1",
                          "10.0 j.map.1 on n1, j.reduce.0 on n1, j.reduce.1 on n1",
                          "20.0 inputs ready for 3, inputs ready for 4"));
  EXPECT_EQ(cluster.finish_s("j"), 30);
}

TEST(EarlyStart, OnlyWhatStartsEarlyIsToldToWait) {
  Scenario scenario = cluster_of(1, 3, 3, {map_reduce(2, 3)});
  SteppedEngine engine(scenario);
  const auto waits = [](const Step& step) {
    std::vector<bool> all;
    for (const Launch& launch : actions_of<Launch>(step)) all.push_back(launch.work.waits);
    return all;
  };
  EXPECT_THAT(waits(engine.begin()), ElementsAre(false, false));
  // Two reduces start beside the last map.
  EXPECT_THAT(waits(engine.step(1, {ended(0)})), ElementsAre(true, true));
  EXPECT_EQ(engine.state().waiting_jobs().size(), 1U);
  const Step step = engine.step(2, {ended(1)});
  const std::vector<InputsReady> ready = actions_of<InputsReady>(step);
  ASSERT_EQ(ready.size(), 2U);
  EXPECT_EQ(ready[0].container, ContainerId{2});
  EXPECT_EQ(ready[1].container, ContainerId{3});
  EXPECT_THAT(waits(step), ElementsAre(false));
  EXPECT_TRUE(engine.state().waiting_jobs().empty());
}

/// Returns a scenario with one node of 4. Three maps of 10 s complete, and one, "slow", fails after
/// 30 s. From 10 s on, the reduces wait in the other three places. When slow fails, a job of higher
/// priority takes its place.
Scenario stuck_maps() {
  Scenario scenario = cluster_of(1, 4, 4);
  JobSpec job = job_of("j", 0, 3, 1, 1, 10);
  job.phases.push_back(phase_of("slow", 1, size_of(1, 1), 30));
  add_reduces(job, 4, 1, 1, 10);
  job.phases[2].after = {0, 1};
  JobSpec thief = job_of("thief", 15, 1, 1, 1, 25);
  thief.priority = 1;
  scenario.jobs = {job, thief};
  return scenario;
}

// The youngest of the waiting reduces (containers 4, 5, 6) makes room. It starts again at 55 s,
// when thief has gone. The fourth reduce starts at 60 s, when slow is done.
TEST(EarlyStart, TheYoungestWaitingReduceMakesRoomForAMap) {
  Scenario scenario = stuck_maps();
  set_policy(scenario, "reserve", "false");
  VirtualCluster cluster(scenario);
  cluster.make_fail({{JobId{0}, 1}, 0}, 1, Outcome::kFailed);
  cluster.finish();
  EXPECT_THAT(
      by_time(std::vector(cluster.log().begin() + 4, cluster.log().end())),
      ElementsAre(
          "10.0 j.reduce.0 on n1, j.reduce.1 on n1, j.reduce.2 on n1",
          "30.0 thief.map.0 on n1, kill 6, j.slow.0 on n1", "55.0 j.reduce.2 on n1",
          "60.0 inputs ready for 4, inputs ready for 5, inputs ready for 9, j.reduce.3 on n1"));
  EXPECT_EQ(cluster.finish_s("j"), 70);
}

TEST(EarlyStart, ARetriedMapThatHoldsTheNodeGetsRoomToo) {
  VirtualCluster cluster(stuck_maps());  // fifo reserves
  cluster.make_fail({{JobId{0}, 1}, 0}, 1, Outcome::kFailed);
  cluster.finish();
  EXPECT_THAT(by_time(lines_with(cluster.log(), "30.0")),
              ElementsAre("30.0 thief.map.0 on n1, reserve n1 for j.slow, kill 6, j.slow.0 on n1"));
  EXPECT_EQ(cluster.finish_s("j"), 70);
}

// The map slow needs 3 places, so two reduces must go, one after the other, and no more.
TEST(EarlyStart, AsManyAsItTakesOneAfterTheOther) {
  Scenario scenario = cluster_of(1, 6, 6, {stuck_maps().jobs[0], job_of("thief", 15, 1, 2, 2, 25)});
  scenario.jobs[0].phases[1].request = size_of(3, 3);
  scenario.jobs[1].priority = 1;
  VirtualCluster cluster(scenario);
  cluster.make_fail({{JobId{0}, 1}, 0}, 1, Outcome::kFailed);
  cluster.finish();
  EXPECT_THAT(by_time(lines_with(cluster.log(), " kill")), ElementsAre("30.0 kill 6, kill 5"));
}

}  // namespace heddle::early_start_test
