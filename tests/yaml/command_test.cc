// Phases of kind command: how a command is read, and how the resolved scenario writes it.

#include "core/resolve.h"
#include "core/scenario/draw.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"
#include "yaml/write.h"

namespace heddle::command_test {

std::string with_words(const std::string& words) {
  return text_with_jobs(
      one_phase("name: m, kind: command, request: {cores: 1, memory: 1GiB}" + words));
}

PhaseSpec phase_of(const std::string& words) {
  return scenario_of(with_words(words)).jobs[0].phases[0];
}

std::string error_of(const std::string& words) {
  std::string error = errors_of(with_words(words));
  std::string where = "s.yaml:7: jobs.wc.phases.m.command";
  return error.starts_with(where) ? error.substr(where.size()) : error;
}

TEST(CommandPhase, ProgramAndArguments) {
  PhaseSpec phase = phase_of(", tasks: 3, command: [sort, -n, 5, 'true', \"\", 'a b']");
  EXPECT_EQ(phase.kind, PhaseKind::kCommand);
  EXPECT_THAT(phase.command, ElementsAre("sort", "-n", "5", "true", "", "a b"));
  EXPECT_EQ(phase.tasks, 3);
  EXPECT_THAT(phase_of(", command: [/bin/true]").command, ElementsAre("/bin/true"));
}

TEST(CommandPhase, WhatAnArgumentMayNotBe) {
  EXPECT_EQ(error_of(", command: [sort, " + std::string(4097, 'x') + "]"),
            "[1]: is longer than 4 KiB; expected a shorter text");
}

TEST(CommandPhase, Bounds) {
  std::string arguments = "/bin/true";
  for (int i = 1; i < 256; ++i) arguments += ", x";
  EXPECT_EQ(phase_of(", command: [" + arguments + "]").command.size(), 256U);
  EXPECT_EQ(error_of(", command: [" + arguments + ", x]"),
            ": has 257 arguments; expected at most 256");
  const std::string text(4096, 'x');
  EXPECT_EQ(error_of(", command: [a, " + text + ", " + text + ", " + text + ", " + text + "]"),
            ": has 16385 bytes; expected at most 16384 (a longer script goes into a file)");
}

TEST(CommandPhase, TheKeyIsOnlyForThisKind) {
  EXPECT_EQ(errors_of(text_with_jobs(
                one_phase("name: m, request: {cores: 1, memory: 1GiB}, cpu: 1s, command: [sort]"))),
            "s.yaml:7: jobs.wc.phases.m.command: applies only to phases with kind: command; "
            "expected kind: command, or no such key");
}

TEST(CommandPhase, OutputLimit) {
  EXPECT_EQ(phase_of(", command: [sort]").output_limit, real::Bytes(64 << 20));
  EXPECT_EQ(phase_of(", command: [sort], output_limit: 4KiB").output_limit, real::Bytes(4096));
  const std::string where = "s.yaml:7: jobs.wc.phases.m.output_limit: ";
  for (const char* bytes : {"4095B", "1025GiB"})
    EXPECT_THAT(errors_of(with_words(", command: [sort], output_limit: " + std::string(bytes))),
                AllOf(HasSubstr(where), HasSubstr("4KiB"), HasSubstr("1TiB")));
  EXPECT_EQ(
      errors_of(text_with_jobs(
          one_phase("name: m, request: {cores: 1, memory: 1GiB}, cpu: 1s, output_limit: 1MiB"))),
      where + "applies only to phases with kind: command; expected kind: command, or no such key");
}

TEST(CommandPhase, IsWrittenAndReadAgain) {
  Scenario scenario = scenario_of(
      with_words(", cpu: 2s, memory: 100MiB, output_limit: 3MiB, command: [sh, -c, \"echo "
                 "\\\"$0\\\"\\n\\ttab \\\\ back # no: [x] {task} "
                 "\\x7f \\e \u00e9 \u2028\", 'null', '- a', \"'\", \"\"]"));
  expect_round_trip(scenario);
  EXPECT_THAT(write_scenario(scenario), HasSubstr("kind: command"));
}

TEST(CommandPhase, DrawsWhatASimulationIsToAssume) {
  Scenario scenario =
      scenario_of(with_words(", command: [sort], sleep: 3s, cpu: 2s, memory: 100MiB"));
  TaskWork work = draw_work(scenario, TaskId{PhaseId{JobId{0}, 0}, 0});
  EXPECT_EQ(work.sleep, emu_seconds(3));
  EXPECT_EQ(work.cpu, core_seconds(2));
  ASSERT_EQ(work.memory.size(), 1U);
  EXPECT_THAT(unknown_work(scenario), IsEmpty());
}

TEST(CommandPhase, UnknownWorkIsWarnedOf) {
  EXPECT_THAT(unknown_work(scenario_of(with_words(", command: [sort], memory: 100MiB"))),
              ElementsAre("job \"wc\", phase \"m\": runs a command without cpu or sleep, so in the "
                          "simulation it ends at once"));
}

TEST(ScenarioCommand, Messages) {
  tests::expect_messages_of("yaml/command.yaml", "errors", error_of);
}

}  // namespace heddle::command_test
