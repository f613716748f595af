#include "core/policy/scheduler/haste/map_stages.h"
#include "tests/core/virtual_cluster.h"
#include "tests/sim/random_scenario.h"
#include "tests/support/matchers.h"

namespace heddle::haste_test {

TEST(Haste, WithoutUrgencyAndInitialAssignmentItIsFfdDp) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Scenario scenario = sim::random_scenario(seed, "ffd-dp");
    // On a tie, ffd-dp serves the job that holds least. Requests of different sizes do not tie, but
    // those that do not fit the node do: gangs, and requests that can reserve it.
    std::int64_t number = 0;
    for (JobSpec& job : scenario.jobs)
      for (PhaseSpec& phase : job.phases) {
        phase.request += Resources{Millicores(++number), EmuBytes(number << 20)};
        phase.gang = false;
      }
    set_policy(scenario, "ffd-dp+reserve=false");
    const std::vector<std::string> expected = log_of(scenario);
    set_policy(scenario, "haste+initial_assignment=none+urgency=none+reserve=false");
    EXPECT_EQ(log_of(scenario), expected);
  }
}

/// Returns an iterative job for HaSTE-A: maps, a reduce, and a second pass of maps.
JobSpec loop() {
  JobSpec job = job_of("loop", 0, 2, 1, 1, 10);
  job.iterative = true;
  add_reduces(job, 1, 1, 1, 10);
  job.phases.push_back(job.phases[0]);
  job.phases[2].name = "again";
  job.phases[2].after = {1};
  return job;
}

TEST(MapStagesTest, AMapBeginsAStageAndItsReducesBelongToIt) {
  const MapStages stages(loop());
  EXPECT_EQ(stages.count(), 2);
  EXPECT_EQ(MapStages(job_of("maps", 0, 2, 1, 1, 1)).count(), 1);
  JobSpec chain = loop();  // a reduce after a reduce is a stage too
  chain.phases[2].kind = PhaseKind::kReduce;
  EXPECT_EQ(MapStages(chain).count(), 2);
  JobSpec join = job_of("join", 0, 2, 1, 1, 1);
  join.phases.push_back(join.phases[0]);
  add_reduces(join, 2, 1, 1, 1);
  join.phases[2].after = {0, 1};
  EXPECT_EQ(MapStages(join).count(), 1);
  std::swap(join.phases[0], join.phases[2]);  // the order of the phases does not matter
  join.phases[0].after = {1, 2};
  add_master(join, 1, 1);
  EXPECT_EQ(MapStages(join).count(), 1);
}

}  // namespace heddle::haste_test
