#include "core/policy/reduces/early_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/policy/registry.h"
#include "tests/core/virtual_cluster.h"

namespace heddle::early_start_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Returns the log lines that contain `word`.
std::vector<std::string> lines_with(const VirtualCluster& cluster, const std::string& word) {
  std::vector<std::string> lines;
  for (const std::string& line : cluster.log())
    if (line.find(word) != std::string::npos) lines.push_back(line);
  return lines;
}

Resources amount(int cores, int gib) {
  return {Millicores(cores * 1000), EmuBytes(std::int64_t{gib} << 30)};
}

/// Returns the ramp of a job that can reach 100 cores and 1000 GiB. At least one of its maps waits
/// and one runs.
Ramp ramp_of_job(double maps_completed, const Resources& maps, const Resources& reduces) {
  return {0.5, maps_completed, 1, 1, maps, reduces, amount(100, 1000)};
}

// A fifth of the maps is complete, so the ramp's part is 20 cores and 200 GiB. Maps want 90 cores,
// more than the other 80, so reduces may hold only the ramp's part.
TEST(RampAllows, TheRampsPartWhereMapsWantTheRest) {
  const Ramp ramp = ramp_of_job(0.2, amount(90, 900), amount(18, 180));
  EXPECT_TRUE(ramp_allows(ramp, amount(2, 20)));
  EXPECT_FALSE(ramp_allows(ramp, amount(3, 20)));
  EXPECT_FALSE(ramp_allows(ramp, amount(2, 21)));
}

// Maps want 60 of the other 80 cores and 600 of the other 800 GiB, so reduces may hold 40 and 400.
TEST(RampAllows, WhatMapsLeaveWhereTheyNeedLessThanTheRest) {
  const Ramp ramp = ramp_of_job(0.2, amount(60, 600), amount(38, 380));
  EXPECT_TRUE(ramp_allows(ramp, amount(2, 20)));
  EXPECT_FALSE(ramp_allows(ramp, amount(3, 20)));
  EXPECT_FALSE(ramp_allows(ramp, amount(2, 21)));
}

// Maps leave 910 GiB of memory, but want more cores than the other 80. In the second case they
// leave 91 cores, and want more memory than the other 800 GiB.
TEST(RampAllows, TheResourceThatBindsDecides) {
  const Ramp cores_bind = ramp_of_job(0.2, amount(90, 90), amount(18, 18));
  EXPECT_TRUE(ramp_allows(cores_bind, amount(2, 2)));
  EXPECT_FALSE(ramp_allows(cores_bind, amount(3, 3)));
  const Ramp memory_binds = ramp_of_job(0.2, amount(9, 900), amount(2, 180));
  EXPECT_TRUE(ramp_allows(memory_binds, amount(1, 20)));
  EXPECT_FALSE(ramp_allows(memory_binds, amount(1, 21)));
}

// Nine tenths of the maps are complete, but the limit is half of the reach: 50 cores and 500 GiB.
TEST(RampAllows, TheLimitBoundsTheRampsPart) {
  Ramp ramp = ramp_of_job(0.9, amount(90, 900), amount(48, 480));
  EXPECT_TRUE(ramp_allows(ramp, amount(2, 20)));
  EXPECT_FALSE(ramp_allows(ramp, amount(3, 20)));
  ramp.limit = 0;  // only what maps leave, 10 and 100
  ramp.reduces = amount(8, 80);
  EXPECT_TRUE(ramp_allows(ramp, amount(2, 20)));
  EXPECT_FALSE(ramp_allows(ramp, amount(3, 20)));
  ramp.maps = amount(200, 200);  // more cores than the job reaches
  ramp.reduces = {};
  EXPECT_FALSE(ramp_allows(ramp, amount(1, 1)));
}

TEST(RampAllows, AnythingOnceEveryMapHasAContainerAndNothingWhileNoneRuns) {
  Ramp ramp = ramp_of_job(0.9, amount(10, 10), amount(1000, 1000));
  ramp.maps_pending = 0;
  EXPECT_TRUE(ramp_allows(ramp, amount(1000, 1000)));
  ramp = ramp_of_job(0.9, amount(1, 1), {});
  ramp.maps_running = 0;
  EXPECT_FALSE(ramp_allows(ramp, amount(1, 1)));
}

JobSpec map_reduce(int maps, int reduces) {
  JobSpec job = job_of("j", 0, maps, 1, 1, 10);
  add_reduces(job, reduces, 1, 1, 10);
  return job;
}

/// Returns the reduces that are requested once `completed` maps are complete.
int asked(const JobSpec& spec, double early_start, int completed) {
  Scenario scenario = cluster_of(1, 1, 1);
  scenario.jobs = {spec};
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
  PhaseSpec more = job.phases[0];
  more.name = "more";
  more.tasks = 30;
  job.phases.insert(job.phases.begin() + 1, more);
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
  Scenario scenario = cluster_of(1, cores, gib);
  scenario.jobs = {map_reduce(40, 8)};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.refused(), 0);
  EXPECT_THAT(lines_with(cluster, "j.reduce"),
              ElementsAre("10.0 launch j.reduce.0 on n1", "10.0 launch j.reduce.1 on n1",
                          "20.0 launch j.reduce.2 on n1", "20.0 launch j.reduce.3 on n1",
                          "30.0 launch j.reduce.4 on n1", "60.0 launch j.reduce.5 on n1",
                          "60.0 launch j.reduce.6 on n1", "60.0 launch j.reduce.7 on n1"));
  // Containers 0 to 47 are in the order of their launches: 0-9 are maps, 10 is the next map, 11 and
  // 12 are reduces …
  EXPECT_THAT(lines_with(cluster, "inputs"),
              ElementsAre("70.0 inputs ready for 11", "70.0 inputs ready for 12",
                          "70.0 inputs ready for 21", "70.0 inputs ready for 22",
                          "70.0 inputs ready for 29", "70.0 inputs ready for 45",
                          "70.0 inputs ready for 46", "70.0 inputs ready for 47"));
  EXPECT_EQ(cluster.finish_s("j"), 80);
}
INSTANTIATE_TEST_SUITE_P(EarlyStart, RampOfAWholeJob,
                         testing::Values(std::pair(10, 10), std::pair(10, 40), std::pair(40, 10)));

TEST(EarlyStart, OneMeansAfterAllMaps) {
  Scenario scenario = cluster_of(1, 10, 10);
  scenario.jobs = {map_reduce(15, 2)};
  set_policy(scenario, "reduce_early_start", "1");
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(lines_with(cluster, "j.reduce"),
              ElementsAre("20.0 launch j.reduce.0 on n1", "20.0 launch j.reduce.1 on n1"));
  EXPECT_THAT(lines_with(cluster, "inputs"), IsEmpty());
}

// The second map fails at 10 s and runs again. The reduces that started by then wait until 20 s.
TEST(EarlyStart, ARetriedMapIsWaitedFor) {
  Scenario scenario = cluster_of(1, 4, 4);
  scenario.jobs = {map_reduce(2, 2)};
  VirtualCluster cluster(scenario);
  cluster.make_fail({{JobId{0}, 0}, 1}, 1, Outcome::kFailed);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(),
              ElementsAre("0.0 launch j.map.0 on n1", "0.0 launch j.map.1 on n1",
                          "10.0 launch j.map.1 on n1", "10.0 launch j.reduce.0 on n1",
                          "10.0 launch j.reduce.1 on n1", "20.0 inputs ready for 3",
                          "20.0 inputs ready for 4"));
  EXPECT_EQ(cluster.finish_s("j"), 30);
}

TEST(EarlyStart, OnlyWhatStartsEarlyIsToldToWait) {
  Scenario scenario = cluster_of(1, 3, 3);
  scenario.jobs = {map_reduce(2, 3)};
  Engine engine(scenario, make_policy(scenario), [](TaskId) { return TaskWork{}; });
  auto ended = [](int s, int container) {
    return Event{
        emu_seconds(s),
        ContainerEnded{ContainerId{container}, Outcome::kCompleted, OomCause::kNone, 0, "", {}}};
  };
  auto waits = [](const Action& action) { return std::get<Launch>(action.what).work.waits; };
  std::vector<Event> events = {{EmuTime(0), NodeRegistered{NodeId{0}}},
                               {EmuTime(0), JobSubmitted{JobId{0}}}};
  Step step = engine.step(EmuTime(0), events);
  ASSERT_EQ(step.actions.size(), 2U);
  EXPECT_FALSE(waits(step.actions[0]));
  events = {ended(1, 0)};
  step = engine.step(emu_seconds(1), events);  // two reduces beside the last map
  ASSERT_EQ(step.actions.size(), 2U);
  EXPECT_TRUE(waits(step.actions[0]));
  EXPECT_TRUE(waits(step.actions[1]));
  EXPECT_EQ(engine.state().waiting_jobs().size(), 1U);
  events = {ended(2, 1)};
  step = engine.step(emu_seconds(2), events);
  ASSERT_EQ(step.actions.size(), 3U);
  EXPECT_EQ(std::get<InputsReady>(step.actions[0].what).container, ContainerId{2});
  EXPECT_EQ(std::get<InputsReady>(step.actions[1].what).container, ContainerId{3});
  EXPECT_FALSE(waits(step.actions[2]));
  EXPECT_TRUE(engine.state().waiting_jobs().empty());
}

/// Returns a scenario with one node of 4. Three maps of 10 s complete, and one, "slow", fails after
/// 30 s. From 10 s on, the reduces wait in the other three places. When slow fails, a job of higher
/// priority takes its place.
Scenario stuck_maps() {
  Scenario scenario = cluster_of(1, 4, 4);
  JobSpec job = job_of("j", 0, 3, 1, 1, 10);
  job.phases.push_back(job.phases[0]);
  job.phases[1].name = "slow";
  job.phases[1].tasks = 1;
  job.phases[1].sleep.mean = 30e6;
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
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.refused(), 0);
  EXPECT_THAT(
      std::vector(cluster.log().begin() + 4, cluster.log().end()),
      ElementsAre("10.0 launch j.reduce.0 on n1", "10.0 launch j.reduce.1 on n1",
                  "10.0 launch j.reduce.2 on n1", "30.0 launch thief.map.0 on n1", "30.0 kill 6",
                  "30.0 launch j.slow.0 on n1", "55.0 launch j.reduce.2 on n1",
                  "60.0 inputs ready for 4", "60.0 inputs ready for 5", "60.0 inputs ready for 9",
                  "60.0 launch j.reduce.3 on n1"));
  EXPECT_EQ(cluster.finish_s("j"), 70);
}

TEST(EarlyStart, ARetriedMapThatHoldsTheNodeGetsRoomToo) {
  VirtualCluster cluster(stuck_maps());  // fifo reserves
  cluster.make_fail({{JobId{0}, 1}, 0}, 1, Outcome::kFailed);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.refused(), 0);
  EXPECT_THAT(lines_with(cluster, "30.0"),
              ElementsAre("30.0 launch thief.map.0 on n1", "30.0 reserve n1 for j.slow",
                          "30.0 kill 6", "30.0 launch j.slow.0 on n1"));
  EXPECT_EQ(cluster.finish_s("j"), 70);
}

// The map slow needs 3 places, so two reduces must go, one after the other, and no more.
TEST(EarlyStart, AsManyAsItTakesOneAfterTheOther) {
  Scenario scenario = cluster_of(1, 6, 6);
  scenario.jobs = {stuck_maps().jobs[0], job_of("thief", 15, 1, 2, 2, 25)};
  scenario.jobs[0].phases[1].request = {Millicores(3000), EmuBytes(3LL << 30)};
  scenario.jobs[1].priority = 1;
  VirtualCluster cluster(scenario);
  cluster.make_fail({{JobId{0}, 1}, 0}, 1, Outcome::kFailed);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.refused(), 0);
  EXPECT_THAT(lines_with(cluster, " kill"), ElementsAre("30.0 kill 6", "30.0 kill 5"));
}

}  // namespace heddle::early_start_test
