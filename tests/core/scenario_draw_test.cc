#include <gtest/gtest.h>

#include <cmath>

#include "core/scenario/blocks.h"
#include "core/scenario/draw.h"
#include "tests/support/job.h"

namespace heddle::scenario_draw_test {

using Dist = Drawn::Dist;

struct Moments {
  double mean, cv, least, most;
};

Moments moments(const Drawn& drawn) {
  constexpr int kDraws = 40000;
  double sum = 0, squares = 0, least = 1e300, most = -1;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    double value = draw(drawn, draw_key(1, {i}));
    sum += value;
    squares += value * value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  double mean = sum / kDraws;
  return {mean, std::sqrt(squares / kDraws - mean * mean) / mean, least, most};
}

TEST(Draw, ConstantIsItsMean) { EXPECT_EQ(draw({Dist::kConstant, 7e6, 0}, 123), 7e6); }

TEST(Draw, UniformHasMeanSpreadAndEnds) {
  Moments m = moments({Dist::kUniform, 100, 0.2});
  EXPECT_NEAR(m.mean, 100, 1);
  EXPECT_NEAR(m.cv, 0.2, 0.01);
  // The bounds are 100 * (1 -+ sqrt(3) * 0.2).
  EXPECT_GE(m.least, 65.35);
  EXPECT_LE(m.most, 134.65);
  EXPECT_LT(m.least, 66);
  EXPECT_GT(m.most, 134);
}

TEST(Draw, NormalHasMeanAndSpreadAndIsNeverNegative) {
  Moments m = moments({Dist::kNormal, 100, 0.2});
  EXPECT_NEAR(m.mean, 100, 1);
  EXPECT_NEAR(m.cv, 0.2, 0.01);
  EXPECT_EQ(moments({Dist::kNormal, 100, 2}).least, 0);
}

TEST(Draw, LognormalHasMeanAndSpread) {
  Moments m = moments({Dist::kLognormal, 12e6, 0.5});
  EXPECT_NEAR(m.mean, 12e6, 0.2e6);
  EXPECT_NEAR(m.cv, 0.5, 0.03);
  EXPECT_GT(m.least, 0);
}

TEST(Draw, ExponentialHasMeanAndSpread) {
  Moments m = moments({Dist::kExponential, 5, 0});
  EXPECT_NEAR(m.mean, 5, 0.1);
  EXPECT_NEAR(m.cv, 1, 0.03);
}

TEST(Draw, SpreadOfNoneIsTheMean) {
  for (Dist dist : {Dist::kUniform, Dist::kNormal, Dist::kLognormal})
    EXPECT_NEAR(draw({dist, 100, 0}, 99), 100, 1e-9);
}

TEST(Draw, HeavyTailsStayWholeNumbers) {
  for (std::uint64_t i = 0; i < 1000; ++i)
    EXPECT_LE(draw({Dist::kLognormal, 3.6e13, 10}, draw_key(0, {i})), 4e15);
}

// Journals and resolved scenarios of earlier versions depend on these values.
TEST(DrawKey, NeverChanges) {
  EXPECT_EQ(draw_key(0, {}), 0xe220a8397b1dcdafU);  // splitmix64's first output for seed 0
  EXPECT_EQ(draw_key(7, {0, 0, 0, 1}), 0x4181a30d0496d11cU);
  EXPECT_NE(draw_key(7, {1, 2}), draw_key(7, {2, 1}));
  EXPECT_NE(draw_key(7, {0}), draw_key(7, {0, 0}));
}

Scenario two_jobs() {
  Scenario scenario;
  scenario.seed = 7;
  PhaseSpec phase = phase_of("map", 100, size_of(1.5, 1));
  phase.cpu = {Dist::kLognormal, 12e6, 0.5};
  phase.sleep = {Dist::kUniform, 2e6, 0.5};
  phase.memory = {{0, {Dist::kConstant, 1e8, 0}}, {1, {Dist::kNormal, 5e8, 0.1}}};
  scenario.jobs = {job_of("", {phase, phase}), job_of("", {phase, phase})};
  return scenario;
}

TEST(DrawWork, FirstValuesNeverChange) {
  TaskWork work = draw_work(two_jobs(), {{JobId{0}, 0}, 0});
  EXPECT_EQ(work.cpu, CoreTime(11444836));
  EXPECT_EQ(work.sleep, EmuTime(2098329));
  EXPECT_EQ(work.threads, 2);
  ASSERT_EQ(work.memory.size(), 2U);
  EXPECT_EQ(work.memory[0], (MemoryPoint{0, EmuBytes(100000000)}));
  EXPECT_EQ(work.memory[1], (MemoryPoint{1, EmuBytes(509680750)}));
  EXPECT_EQ(draw_work(two_jobs(), {{JobId{1}, 1}, 99}).cpu, CoreTime(6264720));
}

TEST(DrawWork, DependsOnNothingDrawnBefore) {
  const Scenario scenario = two_jobs();
  TaskId task{{JobId{1}, 0}, 42};
  TaskWork alone = draw_work(scenario, task);
  for (int i = 0; i < 100; ++i) draw_work(scenario, {{JobId{0}, 1}, i});
  EXPECT_EQ(draw_work(scenario, task), alone);
}

TEST(DrawWork, DiffersByJobPhaseTaskSeedAndKey) {
  Scenario scenario = two_jobs();
  CoreTime base = draw_work(scenario, {{JobId{0}, 0}, 0}).cpu;
  EXPECT_NE(draw_work(scenario, {{JobId{1}, 0}, 0}).cpu, base);
  EXPECT_NE(draw_work(scenario, {{JobId{0}, 1}, 0}).cpu, base);
  EXPECT_NE(draw_work(scenario, {{JobId{0}, 0}, 1}).cpu, base);
  scenario.seed = 8;
  EXPECT_NE(draw_work(scenario, {{JobId{0}, 0}, 0}).cpu, base);
  scenario.jobs[0].phases[0].sleep = scenario.jobs[0].phases[0].cpu;
  TaskWork work = draw_work(scenario, {{JobId{0}, 0}, 0});
  EXPECT_NE(work.sleep.count(), work.cpu.count());
}

TEST(DrawWork, AnApplicationMasterInFrontChangesNothing) {
  Scenario scenario = two_jobs();
  TaskWork without = draw_work(scenario, {{JobId{1}, 1}, 3});
  PhaseSpec master;
  master.kind = PhaseKind::kAm;
  master.threads = 1;
  auto& phases = scenario.jobs[1].phases;
  phases.insert(phases.begin(), master);
  EXPECT_EQ(draw_work(scenario, {{JobId{1}, 2}, 3}), without);
  TaskWork idle;  // for longer than any job takes
  idle.sleep = emu_seconds(50LL * 365 * 86400);
  EXPECT_EQ(draw_work(scenario, {{JobId{1}, 0}, 0}), idle);
}

TEST(DrawWork, ThreadsAreTheRequestsCoresUnlessGiven) {
  Scenario scenario = two_jobs();
  PhaseSpec& phase = scenario.jobs[0].phases[0];
  auto threads = [&] { return draw_work(scenario, {{JobId{0}, 0}, 0}).threads; };
  phase.request.cores = Millicores(500);
  EXPECT_EQ(threads(), 1);
  phase.request.cores = Millicores(3000);
  EXPECT_EQ(threads(), 3);
  phase.threads = 8;
  EXPECT_EQ(threads(), 8);
}

TEST(DrawWork, DataAndPausesOfATask) {
  Scenario scenario = two_jobs();
  scenario.cluster.nodes.resize(5);
  scenario.storage.replicas = 2;
  PhaseSpec& phase = scenario.jobs[0].phases[0];
  const TaskId task{{JobId{0}, 0}, 3};
  const TaskWork without = draw_work(scenario, task);
  phase.input = {Dist::kConstant, 1000, 0};
  phase.shuffle = {Dist::kConstant, 300, 0};
  phase.output = {Dist::kConstant, 20, 0};
  phase.pauses = 3;
  phase.pause = {Dist::kConstant, 5e6, 0};
  TaskWork work = draw_work(scenario, task);
  ASSERT_EQ(work.reads.size(), 1U);
  EXPECT_EQ(work.reads[0].object, block_object(7, task));
  EXPECT_EQ(work.reads[0].size, EmuBytes(1000));
  EXPECT_EQ(work.reads[0].source, -1);
  EXPECT_EQ(work.reads[0].from, place_block(scenario.cluster, 2, work.reads[0].object));
  const std::vector<DataWrite> writes = {{0, EmuBytes(300), true, {}},
                                         {0, EmuBytes(20), false, {}}};
  EXPECT_EQ(work.writes, writes);
  EXPECT_EQ(work.pauses, 3);
  EXPECT_EQ(work.pause, emu_seconds(5));
  // The values drawn without data stay the same.
  work.reads.clear();
  work.writes.clear();
  work.pauses = 0;
  work.pause = {};
  EXPECT_EQ(work, without);
}

TEST(DrawWork, SkewIsOfWorkAndSizesNotOfSleepAndMemory) {
  Scenario scenario = two_jobs();
  scenario.cluster.nodes.resize(1);
  PhaseSpec& phase = scenario.jobs[0].phases[0];
  phase.input = phase.shuffle = phase.output = {Dist::kConstant, 1000, 0};
  const TaskId last{{JobId{0}, 0}, 99};
  const TaskWork even = draw_work(scenario, last);
  phase.skew.heading = 0.25;
  const TaskWork skewed = draw_work(scenario, last);
  EXPECT_EQ(skewed.cpu.count(), std::llround(static_cast<double>(even.cpu.count()) / 4));
  EXPECT_EQ(skewed.sleep, even.sleep);
  EXPECT_EQ(skewed.memory, even.memory);
  EXPECT_EQ(skewed.reads[0].size, EmuBytes(250));
  EXPECT_EQ(skewed.writes[0].size, EmuBytes(250));
  EXPECT_EQ(skewed.writes[1].size, EmuBytes(250));
  const TaskId other{{JobId{0}, 0}, 98};
  EXPECT_EQ(draw_work(scenario, other).reads[0].size, EmuBytes(1000));
  // A read whose mean size is above 0 is never empty.
  phase.input.mean = 1;
  EXPECT_EQ(draw_work(scenario, last).reads[0].size, EmuBytes(1));
}

Scenario spark() {
  Scenario scenario = two_jobs();
  scenario.cluster.nodes.resize(4);
  JobSpec& job = scenario.jobs[1];
  job.framework = Framework::kSpark;
  job.phases = {phase_of("", PhaseKind::kExecutor, 1, size_of(4, 4))};
  StageSpec read;
  read.tasks = 4;
  read.cpu = {Dist::kConstant, 2e6, 0};
  read.input = {Dist::kConstant, 1000, 0};
  read.cached = true;
  read.shuffle = {Dist::kConstant, 100, 0};
  read.skew.heading = 0.5;
  StageSpec write;
  write.tasks = 2;
  write.cpu = {Dist::kLognormal, 3e6, 0.5};
  write.output = {Dist::kConstant, 70, 0};
  job.stages = {read, write, read, write};
  return scenario;
}

TEST(DrawStage, SumsItsTasks) {
  const Scenario scenario = spark();
  const StageWork first{CoreTime(4000000), EmuBytes(2000), EmuBytes(200), EmuBytes(0)};
  const StageWork rest{CoreTime(3000000), EmuBytes(1500), EmuBytes(150), EmuBytes(0)};
  EXPECT_EQ(draw_stage(scenario, JobId{1}, 0, 0, 2), first);
  EXPECT_EQ(draw_stage(scenario, JobId{1}, 0, 2, 2), rest);
  const StageWork one = draw_stage(scenario, JobId{1}, 1, 0, 1);
  const StageWork other = draw_stage(scenario, JobId{1}, 1, 1, 1);
  EXPECT_NE(one.cpu, other.cpu);
  EXPECT_EQ(draw_stage(scenario, JobId{1}, 1, 0, 2).cpu, one.cpu + other.cpu);
  EXPECT_EQ(draw_stage(scenario, JobId{1}, 1, 0, 2).output, EmuBytes(140));
  EXPECT_NE(draw_stage(scenario, JobId{1}, 3, 0, 1).cpu, one.cpu);
}

TEST(DrawStage, StagesOverOneDataSetReadTheSameBlocks) {
  Scenario scenario = spark();
  const auto reads = stage_reads(scenario, JobId{1}, 0, 1, 3);
  ASSERT_EQ(reads.size(), 3U);
  EXPECT_EQ(reads[0].size, EmuBytes(1000));
  EXPECT_EQ(reads[2].size, EmuBytes(500));
  EXPECT_NE(reads[0].object, reads[1].object);
  EXPECT_EQ(reads[0].from, place_block(scenario.cluster, 3, reads[0].object));
  EXPECT_EQ(stage_reads(scenario, JobId{1}, 2, 1, 3), reads);
  EXPECT_EQ(first_reader(scenario.jobs[1], 2), 0);
  EXPECT_EQ(stage_reads(scenario, JobId{1}, 1, 0, 2), std::vector<DataRead>{});
  scenario.jobs[1].stages[2].input.mean = 999;
  EXPECT_EQ(first_reader(scenario.jobs[1], 2), 2);
  EXPECT_NE(stage_reads(scenario, JobId{1}, 2, 1, 3)[0].object, reads[0].object);
}

TEST(DrawStage, AnApplicationMasterInFrontChangesNothing) {
  Scenario scenario = spark();
  const StageWork work = draw_stage(scenario, JobId{1}, 1, 0, 2);
  const auto reads = stage_reads(scenario, JobId{1}, 0, 0, 4);
  PhaseSpec master;
  master.kind = PhaseKind::kAm;
  auto& phases = scenario.jobs[1].phases;
  phases.insert(phases.begin(), master);
  EXPECT_EQ(draw_stage(scenario, JobId{1}, 1, 0, 2), work);
  EXPECT_EQ(stage_reads(scenario, JobId{1}, 0, 0, 4), reads);
  EXPECT_TRUE(draw_work(scenario, {{JobId{1}, 1}, 0}).executor);
}

}  // namespace heddle::scenario_draw_test
