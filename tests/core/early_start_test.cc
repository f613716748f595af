#include "core/policy/reduces/early_start.h"

#include <gtest/gtest.h>

#include "core/jobs/job.h"
#include "tests/support/job.h"

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
  Job job(scenario, JobId{0}, {.early_start = early_start});
  job.submit(EmuTime(0));
  job.on_time(EmuTime(0));
  for (int i = 0; i < completed; ++i) {
    job.take(0, i);
    job.started(0, i, EmuTime(0));
    job.ended(0, i, Outcome::kCompleted, OomCause::kNone, "");
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

}  // namespace heddle::early_start_test
