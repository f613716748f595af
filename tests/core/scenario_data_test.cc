// Data that phases read, pass on and write, skew, and pauses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/scenario/yaml/writer.h"
#include "tests/support/scenario_texts.h"

namespace heddle::scenario_data_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Dist = Drawn::Dist;

ScenarioText with_words(const std::string& words) {
  ScenarioText text;
  text.jobs = one_phase("name: m, request: {cores: 1, memory: 1GiB}, " + words);
  return text;
}

std::string errors_with(const std::string& words) { return errors_of(with_words(words).text()); }

TEST(PhaseData, EveryWord) {
  const PhaseSpec phase =
      scenario_of(
          with_words(
              "tasks: 4, cpu: 1s, input: 128MiB, shuffle: {dist: normal, mean: "
              "1MiB, cv: 0.5}, output: 3kB, skew: {heading: 0.25, trailing: 1.38, "
              "zipf: 0.5}, start_spread: 5s, spill_penalty: 80%, idle: {count: 3, length: {dist: "
              "exponential, mean: 2s}}")
              .text())
          .jobs[0]
          .phases[0];
  EXPECT_EQ(phase.input, (Drawn{Dist::kConstant, 128.0 * (1 << 20), 0}));
  EXPECT_EQ(phase.shuffle, (Drawn{Dist::kNormal, 1 << 20, 0.5}));
  EXPECT_EQ(phase.output, (Drawn{Dist::kConstant, 3000, 0}));
  EXPECT_EQ(phase.skew, (Skew{0.25, 1.38, 0.5}));
  EXPECT_EQ(phase.start_spread, emu_seconds(5));
  EXPECT_EQ(phase.spill_penalty, 0.8);
  EXPECT_EQ(phase.pauses, 3);
  EXPECT_EQ(phase.pause, (Drawn{Dist::kExponential, 2e6, 0}));
}

TEST(PhaseData, IsWorkByItself) {
  for (const char* words : {"input: 1MiB", "output: 1MiB"}) EXPECT_EQ(errors_with(words), "none");
  const PhaseSpec phase = scenario_of(with_words("input: 1MiB").text()).jobs[0].phases[0];
  EXPECT_EQ(phase.skew, Skew{});
  EXPECT_EQ(phase.pauses, 0);
  EXPECT_EQ(phase.spill_penalty, 0.5);
}

TEST(PhaseData, ReadsBackEqual) {
  ScenarioText text;
  text.jobs =
      "jobs:\n- name: j\n  phases:\n"
      "  - {name: a, request: {cores: 1, memory: 1GiB}, input: 17B, shuffle: {dist: lognormal, "
      "mean: 3MB, cv: 1/3}, skew: {heading: 1/3, zipf: 1.1}, start_spread: 1234567us, "
      "spill_penalty: 1/3}\n"
      "  - {name: b, kind: reduce, after: [a], request: {cores: 1, memory: 1GiB}, cpu: 1s, output: "
      "1TiB, idle: {count: 1000, length: 3us}, skew: {trailing: 1000}}\n";
  const Scenario scenario = scenario_of(text.text());
  const std::string written = write_scenario(scenario);
  EXPECT_EQ(scenario_of(written), scenario) << written;
  EXPECT_EQ(scenario.jobs[0].phases[0].skew.heading, 1.0 / 3);
}

TEST(PhaseData, ShuffleThatNobodyReadsIsWarnedOf) {
  auto read = read_text(with_words("shuffle: 1MiB").text());
  ASSERT_TRUE(read);
  EXPECT_THAT(read->warnings,
              ElementsAre("s.yaml:7: jobs.wc.phases.m.shuffle: is not read by any phase: no phase "
                          "of kind: reduce has this phase in its after"));
  ScenarioText text = with_words("shuffle: 1MiB");
  text.jobs +=
      "  - {name: r, kind: reduce, after: [m], request: {cores: 1, memory: 1GiB}, cpu: 1s}\n";
  EXPECT_THAT(read_text(text.text())->warnings, IsEmpty());
}

TEST(PhaseData, WrongSkew) {
  const std::string at = "s.yaml:7: jobs.wc.phases.m.skew";
  EXPECT_EQ(errors_with("cpu: 1s, skew: 0.5"),
            at + ": is a single value; expected a map with heading, trailing, zipf");
  EXPECT_EQ(errors_with("cpu: 1s, skew: {tailing: 2}"),
            at + ".tailing: unknown key; expected one of heading, trailing, zipf; did you mean "
                 "\"trailing\"?");
  EXPECT_EQ(errors_with("cpu: 1s, skew: {heading: 0}"),
            at + ".heading: \"0\" is out of range; expected 0.001 to 1000");
  EXPECT_EQ(errors_with("cpu: 1s, skew: {trailing: 1001}"),
            at + ".trailing: \"1001\" is out of range; expected 0.001 to 1000");
  EXPECT_EQ(errors_with("cpu: 1s, skew: {zipf: 2.1}"),
            at + ".zipf: \"2.1\" is out of range; expected 0 to 2");
}

TEST(PhaseData, WrongIdle) {
  const std::string at = "s.yaml:7: jobs.wc.phases.m.idle";
  EXPECT_EQ(errors_with("cpu: 1s, idle: {count: 3}"),
            at + ".length: is missing; expected duration or distribution");
  EXPECT_EQ(errors_with("cpu: 1s, idle: {length: 3s}"),
            at + ".count: is missing; expected whole number");
  EXPECT_EQ(errors_with("cpu: 1s, idle: {count: 1001, length: 3s}"),
            at + ".count: \"1001\" is out of range; expected 1 to 1000");
  EXPECT_EQ(errors_with("sleep: 1s, idle: {count: 1, length: 3s}"),
            at + ": needs cpu, which it interrupts; expected cpu in the same place");
}

TEST(PhaseData, WrongSizesAndSpread) {
  const std::string at = "s.yaml:7: jobs.wc.phases.m.";
  EXPECT_EQ(errors_with("input: 128"),
            at + "input: \"128\" has no unit; expected bytes such as 700MiB, 1.5GiB or 2GB");
  EXPECT_EQ(errors_with("output: [1MiB]"),
            at + "output: is a list; expected bytes or distribution");
  EXPECT_EQ(errors_with("cpu: 1s, start_spread: 5"),
            at + "start_spread: \"5\" has no unit; expected a duration such as 12s, 500ms, 2min or "
                 "1h");
}

TEST(PhaseData, WrongSpillPenalty) {
  const std::string at = "s.yaml:7: jobs.wc.phases.m.spill_penalty: ";
  EXPECT_EQ(errors_with("cpu: 1s, spill_penalty: much"),
            at + "\"much\" is not a number; expected a fraction such as 1/64, 0.05 or 5%");
  EXPECT_EQ(errors_with("cpu: 1s, spill_penalty: 101"),
            at + "\"101\" is out of range; expected 0 to 100");
  EXPECT_EQ(errors_with("kind: command, command: [\"true\"], cpu: 1s, spill_penalty: 1"),
            at + "does not apply to phases of kind: command, whose containers are never made "
                 "smaller; expected kind: map or reduce");
}

TEST(PhaseData, InputKnowsItsNodes) {
  EXPECT_EQ(errors_with("input: 1MiB, prefer: [n1]"),
            "s.yaml:7: jobs.wc.phases.m.prefer: a phase with input prefers the nodes that hold its "
            "blocks; expected only one of input and prefer");
}

TEST(PhaseData, ProgramsHaveTheirOwnFiles) {
  EXPECT_EQ(errors_with("kind: command, command: [\"true\"], cpu: 1s, input: 1MiB"),
            "s.yaml:7: jobs.wc.phases.m.input: does not apply to phases of kind: command, whose "
            "program reads and writes files of its own; expected kind: map or reduce");
}

TEST(Nodes, HaveDisksAndNetworksByDefault) {
  const NodeSpec node = scenario_of(ScenarioText{}.text()).cluster.nodes[0];
  EXPECT_EQ(node.disk_bytes_per_s, 200e6);
  EXPECT_EQ(node.network_bits_per_s, 1e9);
}

}  // namespace heddle::scenario_data_test
