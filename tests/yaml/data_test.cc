// Data that phases read, pass on and write, skew, and pauses.

#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"

namespace heddle::data_test {

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
  const Scenario scenario = scenario_of(text_with_jobs(
      "jobs:\n- name: j\n  phases:\n"
      "  - {name: a, request: {cores: 1, memory: 1GiB}, input: 17B, shuffle: {dist: lognormal, "
      "mean: 3MB, cv: 1/3}, skew: {heading: 1/3, zipf: 1.1}, start_spread: 1234567us, "
      "spill_penalty: 1/3}\n"
      "  - {name: b, kind: reduce, after: [a], request: {cores: 1, memory: 1GiB}, cpu: 1s, output: "
      "1TiB, idle: {count: 1000, length: 3us}, skew: {trailing: 1000}}\n"));
  expect_round_trip(scenario);
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

TEST(Nodes, HaveDisksAndNetworksByDefault) {
  const NodeSpec node = scenario_of(ScenarioText{}.text()).cluster.nodes[0];
  EXPECT_EQ(node.disk_bytes_per_s, 200e6);
  EXPECT_EQ(node.network_bits_per_s, 1e9);
}

TEST(ScenarioData, Messages) { tests::expect_messages_of("yaml/data.yaml", "errors", errors_with); }

}  // namespace heddle::data_test
