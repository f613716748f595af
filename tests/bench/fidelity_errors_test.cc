#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "bench/fidelity.h"
#include "sim/simulation.h"
#include "tests/bench/failure.h"

namespace heddle::bench::fidelity_errors_test {

Scenario crowded() {
  return fidelity_scenario({FidelityKind::kCrowded, 0.1, 4, 1, 2, 1, true}, "");
}

report::AttemptRow task(std::int64_t id, double started_s, double ended_s, double cores = 0.5) {
  report::AttemptRow task;
  task.container = ContainerId{id};
  task.phase = {JobId{0}, 0};
  task.task = static_cast<int>(id);
  task.held = {Millicores(static_cast<std::int64_t>(cores * 1000)), EmuBytes(256 << 20)};
  task.started = emu_seconds(started_s);
  task.ended = emu_seconds(ended_s);
  task.end = ContainerEnded{};
  return task;
}

FidelityRun run_of(std::vector<report::AttemptRow> tasks) {
  FidelityRun run;
  run.history.scenario = crowded();
  run.history.attempts = std::move(tasks);
  return run;
}

TEST(SimulatedEnds, TwoCoresAmongFourThreads) {
  // All four run at once with half a core each, so 2 core-seconds take 4 s.
  EXPECT_EQ(simulated_ends(crowded(), {task(0, 1, 0), task(1, 1, 0), task(2, 1, 0), task(3, 1, 0)}),
            std::vector<EmuTime>(4, emu_seconds(5)));
}

TEST(SimulatedEnds, FromTheirOwnStarts) {
  // Two have a core each for 1 s, then all four have half a core. At 1 s the first two have 1
  // core-second left, so they end at 3 s. The others then have 1 core-second left and get a core
  // each.
  EXPECT_EQ(simulated_ends(crowded(), {task(0, 0, 0), task(1, 1, 0), task(2, 0, 0), task(3, 1, 0)}),
            (std::vector<EmuTime>{emu_seconds(3), emu_seconds(4), emu_seconds(3), emu_seconds(4)}));
}

TEST(FidelityErrors, ContendedAreAgainstTheSimulator) {
  const FidelityRun run =
      run_of({task(0, 1, 5.04), task(1, 1, 4.96), task(2, 1, 5), task(3, 1, 5.4)});
  const auto errors = errors_of({FidelityKind::kCrowded, 0.1, 4, 1, 2, 1, true}, run);
  ASSERT_EQ(errors.size(), 4U);
  EXPECT_NEAR(errors[0], 0.01, 1e-9);
  EXPECT_NEAR(errors[1], 0.01, 1e-9);
  EXPECT_NEAR(errors[2], 0, 1e-9);
  EXPECT_NEAR(errors[3], 0.1, 1e-9);
}

report::UsageSample sample(double at_s, std::vector<double> cpu_s) {
  report::UsageSample sample;
  sample.at = emu_seconds(at_s);
  for (std::size_t i = 0; i < cpu_s.size(); ++i)
    sample.containers.push_back(
        {ContainerId{static_cast<std::int64_t>(i)}, core_seconds(cpu_s[i]), {}, 0});
  return sample;
}

TEST(FidelityErrors, WeightsByWhatWasGotWhileAllWereHungry) {
  FidelityRun run = run_of({task(0, 0, 4, 1), task(1, 0.1, 4, 3)});
  // Samples from before the second task started or after the first ended do not count.
  run.samples = {sample(0.05, {0.2}), sample(1, {1, 1}), sample(2, {2, 4}), sample(3, {3, 7.12}),
                 sample(4.1, {9, 9})};
  const FidelityCase weights{FidelityKind::kWeights, 0.1, 4, 1, 4, 1, true};
  const auto errors = errors_of(weights, run);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_NEAR(errors[0], 0.02, 1e-9);  // 6.12 / 2 = 3.06
  run.samples.resize(2);
  EXPECT_EQ(failure_of([&] { errors_of(weights, run); }), "the run has no values to measure");
}

TEST(FidelityErrors, CommandsAgainstTheirFraction) {
  const FidelityRun run = run_of({task(0, 1, 4.6), task(1, 1, 5)});
  const auto errors = errors_of({FidelityKind::kCommand, 0.1, 4, 1, 2, 1, false}, run);
  EXPECT_NEAR(errors[0], 0.1, 1e-9);
  EXPECT_NEAR(errors[1], 0, 1e-9);
}

/// Writes the journal and the samples of a simulation to files.
class Simulated {
 public:
  explicit Simulated(const Scenario& scenario) {
    std::filesystem::create_directory(path_);
    std::ofstream journal(path_ + "/journal.jsonl"), samples(path_ + "/samples.jsonl");
    sim::Simulation simulation(
        scenario, {true, {}}, [&](std::string_view lines) { journal << lines; },
        [&](std::string_view lines) { samples << lines; });
    while (simulation.advance(1'000'000)) {
    }
  }
  ~Simulated() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = ::testing::TempDir() + "/heddle-fidelity-" + std::to_string(::getpid());
};

// In virtual time every task takes its ideal time, contended or not.
TEST(MeasureFidelity, SimulatedRunsHaveNoError) {
  for (const FidelityCase& one : fidelity_cases({{0.08}, {1}, false}, 2)) {
    const Scenario scenario = fidelity_scenario(one, "/usr/bin/burn");
    const wire::Json row = measure_fidelity(one, scenario, Simulated(scenario).path(), 4e9);
    EXPECT_EQ(row.at("case"), name_of(one));
    EXPECT_TRUE(row.at("memory").is_null()) << "a simulation charges memory at once";
    const int tasks = one.kind == FidelityKind::kWeights ? 2
                      : is_contended(one.kind)           ? 16
                                                         : one.nodes * one.cores * one.waves;
    EXPECT_EQ(row.at("tasks"), tasks) << name_of(one.kind);
    // Samples give CPU in whole microseconds.
    EXPECT_LT(row.at("error").at("max"), 1e-4) << name_of(one.kind);
    EXPECT_EQ(row.at("lost"), 0);
    EXPECT_TRUE(row.at("foreign_cpu").is_null());
  }
}

TEST(MeasureFidelity, ATaskThatFailedIsTold) {
  const FidelityCase one{FidelityKind::kAlone, 0.1, 1, 1, 1, 1, true};
  Scenario scenario = fidelity_scenario(one, "");
  scenario.jobs[0].phases[0].memory = {{0, {Drawn::Dist::kConstant, 1e12, 0}}};
  EXPECT_THAT(failure_of([&] { measure_fidelity(one, scenario, Simulated(scenario).path(), 4e9); }),
              ::testing::HasSubstr("a task oom_killed"));
}

}  // namespace heddle::bench::fidelity_errors_test
