// Tasks that follow a usage curve, and phases whose tasks differ.

#include "core/scenario/usage.h"

#include <gtest/gtest.h>

#include "core/scenario/draw.h"
#include "core/scenario/fidelity_limits.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"
#include "yaml/write.h"

namespace heddle::usage_test {

constexpr EmuBytes mib(std::int64_t n) { return EmuBytes(n << 20); }

std::string phase_of(const std::string& words) {
  return text_with_jobs(one_phase("name: map, request: {cores: 1, memory: 1GiB}, " + words));
}
Scenario scenario_with(const std::string& words) { return scenario_of(phase_of(words)); }
PhaseSpec read_phase(const std::string& words) { return scenario_with(words).jobs[0].phases[0]; }
std::string error_of(const std::string& words) { return errors_of(phase_of(words)); }
TaskWork work_of(const Scenario& scenario, int task) {
  return draw_work(scenario, {{JobId{0}, 0}, task});
}

const std::string kUsage = "usage: [[0s, 0.8, 300MiB], [10s, 1.5, 900MiB], [31s, 0, 850MiB]]";
const std::vector<UsageCorner> kCorners = {{emu_seconds(0), Millicores(800), mib(300)},
                                           {emu_seconds(10), Millicores(1500), mib(900)},
                                           {emu_seconds(31), Millicores(0), mib(850)}};

TEST(Usage, IsReadWithWhatItLeavesOut) {
  const PhaseSpec phase = read_phase(kUsage);
  EXPECT_EQ(phase.usage, kCorners);
  EXPECT_EQ(phase.cpu, Drawn{});
  EXPECT_EQ(phase.threads, std::nullopt);
  const std::vector<UsageCorner> short_form = {{emu_seconds(0), Millicores(1000), mib(0)},
                                               {emu_seconds(1), Millicores(0), mib(20)},
                                               {emu_seconds(2), Millicores(2000), mib(20)},
                                               {emu_seconds(3), Millicores(0), mib(20)}};
  EXPECT_EQ(read_phase("usage: [[0s, 1], [1s, 0, 20MiB], [2s, 2], [3s]], threads: 5").usage,
            short_form);
}

TEST(Usage, BecomesPiecesThatTakeAsLong) {
  const TaskWork work = work_of(scenario_with(kUsage), 0);
  TaskWork expected;
  expected.threads = 2;
  expected.pieces = {{core_seconds(8), emu_seconds(6)}, {core_seconds(31.5), emu_seconds(5.25)}};
  expected.cpu = core_seconds(39.5);
  expected.memory = {{0, mib(300)}, {10.0 / 31, mib(900)}, {1, mib(850)}};
  EXPECT_EQ(work, expected);
  EXPECT_EQ(ideal_time(work, Millicores(2000), 1, false), emu_seconds(31));
  EXPECT_EQ(piece_ends(work)[0].rested, work.memory[1].progress);
}

TEST(Usage, PiecesOfOddLengthsAreExact) {
  TaskWork work;
  work.threads = 3;
  follow({{EmuTime(0), Millicores(1), {}},
          {EmuTime(1), Millicores(2999), {}},
          {EmuTime(1000002), Millicores(333), {}},
          {EmuTime(3333335), Millicores(0), {}}},
         work);
  ASSERT_EQ(work.pieces.size(), 3U);
  const std::int64_t lengths[] = {1, 1000001, 2333333};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(work.pieces[i].cpu.count() % 3, 0);
    EXPECT_GE(work.pieces[i].pause, EmuTime(0));
    EXPECT_EQ(work.pieces[i].cpu.count() / 3 + work.pieces[i].pause.count(), lengths[i]);
  }
  EXPECT_EQ(ideal_time(work, Millicores(3000), 1, false), EmuTime(3333335));
  EXPECT_NEAR(to_core_seconds(work.cpu), 2.999 * 1.000001 + 0.333 * 2.333333, 1e-5);
  EXPECT_TRUE(work.memory.empty());
}

TEST(Usage, ThreadsAreWhatItTakes) {
  EXPECT_EQ(threads_for(kCorners), 2);
  EXPECT_EQ(threads_for({{{}, Millicores(0), {}}, {EmuTime(1), {}, {}}}), 1);
  EXPECT_EQ(threads_for({{{}, Millicores(3000), {}}, {EmuTime(1), {}, {}}}), 3);
  EXPECT_EQ(work_of(scenario_with(kUsage + ", threads: 4"), 0).threads, 4);
  const TaskWork slow = work_of(scenario_with(kUsage + ", threads: 4"), 0);
  EXPECT_EQ(ideal_time(slow, Millicores(4000), 1, false), emu_seconds(31));
}

TEST(Usage, MostlyWaitingOnOneThread) {
  const TaskWork work = work_of(scenario_with("usage: [[0s, 0.25, 1MiB], [4s]]"), 0);
  EXPECT_EQ(work.threads, 1);
  EXPECT_EQ(work.pieces, (std::vector<WorkPiece>{{core_seconds(1), emu_seconds(3)}}));
}

TEST(Usage, ErrorsNameTheCorner) {
  std::string many = "usage: [";
  for (int i = 0; i < 65; ++i) many += "[" + std::to_string(i) + "s, 0], ";
  EXPECT_EQ(error_of(many + "]"),
            "s.yaml:7: jobs.wc.phases.map.usage: has 65 corners; expected 2 to 64, the last where "
            "the work ends");
}

TEST(Each, SaysWhatEveryTaskDoes) {
  const PhaseSpec phase = read_phase(
      "cpu: 12s, threads: 3, memory: 600MiB, idle: {count: 2, length: 1s}, each: [{}, {cpu: 9s, "
      "memory: 1GiB}, {sleep: 2s, threads: 1}, {" +
      kUsage + "}, {idle: {count: 4, length: 2s}}]");
  EXPECT_EQ(phase.tasks, 5);
  ASSERT_EQ(phase.each.size(), 5U);
  EXPECT_EQ(phase.each[0], static_cast<const TaskSpec&>(phase));
  EXPECT_EQ(phase.each[1].cpu.mean, 9e6);
  EXPECT_EQ(phase.each[1].memory[0].second.mean, 1024.0 * (1 << 20));
  EXPECT_EQ(phase.each[1].pauses, 2);
  EXPECT_EQ(phase.each[2].cpu.mean, 12e6);
  EXPECT_EQ(phase.each[2].sleep.mean, 2e6);
  EXPECT_EQ(phase.each[2].threads, 1);
  TaskSpec curve;
  curve.threads = 3;
  curve.usage = kCorners;
  EXPECT_EQ(phase.each[3], curve);
  EXPECT_EQ(phase.each[4].pauses, 4);
}

TEST(Each, MayReplaceThePhasesUsage) {
  const PhaseSpec phase =
      read_phase(kUsage + ", each: [{}, {cpu: 3s, memory: 5MiB}, {sleep: 1s}, {threads: 7}]");
  EXPECT_EQ(phase.each[0].usage, kCorners);
  EXPECT_TRUE(phase.each[1].usage.empty());
  EXPECT_EQ(phase.each[1].memory.size(), 1U);
  EXPECT_TRUE(phase.each[2].usage.empty());
  EXPECT_EQ(phase.each[3].usage, kCorners);
  EXPECT_EQ(phase.each[3].threads, 7);
}

TEST(Each, IsDrawnForEveryTaskByItself) {
  const Scenario scenario = scenario_with(
      "sleep: 1s, each: [{cpu: 5s}, {cpu: {dist: exponential, mean: 8s}, memory: 7MiB}, {" +
      kUsage + "}]");
  EXPECT_EQ(work_of(scenario, 0).cpu, core_seconds(5));
  EXPECT_EQ(work_of(scenario, 0).sleep, emu_seconds(1));
  EXPECT_EQ(work_of(scenario, 1).memory, (std::vector<MemoryPoint>{{0, mib(7)}}));
  EXPECT_EQ(work_of(scenario, 2).cpu, core_seconds(39.5));
  EXPECT_EQ(work_of(scenario, 2).sleep, emu_seconds(0));
  // Values in `each` are drawn as if they were in the phase.
  const Scenario plain = scenario_with("tasks: 3, cpu: {dist: exponential, mean: 8s}");
  EXPECT_EQ(work_of(scenario, 1).cpu, work_of(plain, 1).cpu);
}

TEST(Each, IsBoundedOverAllJobs) {
  ScenarioText text;
  std::string entries;
  for (int i = 0; i < 1001; ++i) entries += "{}, ";
  text.jobs =
      "jobs:\n- name: wc\n  count: 1000\n  phases:\n  - {name: map, request: {cores: 1, "
      "memory: 1GiB}, cpu: 1s, each: [" +
      entries + "]}\n";
  EXPECT_EQ(errors_of(text.text()),
            "s.yaml:5: jobs.wc: makes 1001000 tasks of each in all; expected at most 1000000");
}

void expect_written_back(const std::string& words) { expect_round_trip(scenario_with(words)); }

TEST(Each, IsWrittenBack) {
  expect_written_back(kUsage);
  expect_written_back(kUsage + ", threads: 3");
  expect_written_back("each: [{cpu: 3s}, {" + kUsage + "}, {sleep: 0.123456s, cpu: 0s}]");
  expect_written_back(
      "cpu: 12s, threads: 3, memory: 600MiB, idle: {count: 2, length: 1s}, each: [{}, {cpu: 9s, "
      "memory: [[0, 1MiB], [0.25, 2MiB]]}, {sleep: 2s, threads: 4}, {" +
      kUsage + "}, {idle: {count: 4, length: {dist: exponential, mean: 2s}}}]");
  expect_written_back(kUsage +
                      ", each: [{}, {cpu: 0s, sleep: 1s}, {cpu: 3s, memory: 5MiB, idle: "
                      "{count: 1, length: 1s}}, {sleep: 1s}, {threads: 7}, {usage: [[0s, "
                      "0.001, 1B], [0.000001s]]}]");
  expect_written_back("sleep: 1s, each: [{cpu: 0s, idle: {count: 1, length: 1s}}]");
  const std::string written = write_scenario(scenario_with("cpu: 1s, each: [{}, {cpu: 2s}]"));
  EXPECT_NE(written.find("each: [{}, {cpu: 2s}]}"), std::string::npos) << written;
}

std::optional<double> seconds_of(const std::string& words) {
  Scenario scenario = scenario_with(words);
  scenario.emulation.time_scale = 1;
  return ideal_real_seconds(scenario, scenario.jobs[0], scenario.jobs[0].phases[0]);
}

TEST(Each, TheShortestTaskIsTheOneThatCounts) {
  EXPECT_DOUBLE_EQ(*seconds_of("each: [{cpu: 3s}, {sleep: 2s}, {cpu: 5s}]"), 2);
  // On the request's core, the task takes 8 + 6 and 31.5 + 5.25 s.
  EXPECT_DOUBLE_EQ(*seconds_of(kUsage), 50.75);
  EXPECT_DOUBLE_EQ(*seconds_of("each: [{" + kUsage + "}, {cpu: 99s}]"), 50.75);
}

TEST(ScenarioUsage, Messages) { tests::expect_messages_of("yaml/usage.yaml", "errors", error_of); }

}  // namespace heddle::usage_test
