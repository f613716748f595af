#include "core/randomness.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

const Drawn kConstant{Drawn::Dist::kConstant, 10, 0}, kLognormal{Drawn::Dist::kLognormal, 10, 0.5};

Scenario with(const PhaseSpec& phase) {
  JobSpec job;
  job.phases = {phase};
  Scenario scenario;
  scenario.jobs = {job};
  return scenario;
}

TEST(Randomness, WorkThatIsDrawn) {
  PhaseSpec phase;
  phase.cpu = kConstant;
  phase.memory = {{0, kConstant}};
  EXPECT_FALSE(depends_on_chance(with(phase)));
  phase.cpu = kLognormal;
  EXPECT_TRUE(depends_on_chance(with(phase)));
  phase.cpu = kConstant;
  phase.memory = {{0, kLognormal}};
  EXPECT_TRUE(depends_on_chance(with(phase)));
  phase.memory = {};
  TaskSpec task;
  task.sleep = kLognormal;
  phase.each = {task};
  EXPECT_TRUE(depends_on_chance(with(phase)));
}

// Blocks and copies are on drawn nodes. Intermediate data stays where it is written.
TEST(Randomness, PlacesOfData) {
  PhaseSpec phase;
  phase.shuffle = kConstant;
  EXPECT_FALSE(depends_on_chance(with(phase)));
  phase.input = kConstant;
  EXPECT_TRUE(depends_on_chance(with(phase)));
  phase.input = {};
  phase.output = kConstant;
  EXPECT_TRUE(depends_on_chance(with(phase)));
}

TEST(Randomness, FaultsAndPolicies) {
  Scenario scenario;
  FaultSpec fault;
  fault.share = 1;
  scenario.faults = {fault};
  EXPECT_FALSE(depends_on_chance(scenario));
  scenario.faults[0].share = 0.5;
  EXPECT_TRUE(depends_on_chance(scenario));
  scenario.faults.clear();
  scenario.policy.options = {{"prediction_noise", "0.1"}};
  EXPECT_TRUE(depends_on_chance(scenario));
  scenario.policy = {};
  scenario.policy.external = ExternalSpec{};
  EXPECT_TRUE(depends_on_chance(scenario));
}

}  // namespace
}  // namespace heddle
