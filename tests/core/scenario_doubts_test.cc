#include "core/scenario/doubts.h"
#include "tests/support/matchers.h"
#include "tests/support/scenario_texts.h"

namespace heddle::scenario_doubts_test {

CheckedScenario read_with(const std::string& jobs, const std::string& head = "") {
  ScenarioText text;
  text.head += head;
  text.jobs = jobs;
  const Result<CheckedScenario> read = read_text(text.text());
  EXPECT_TRUE(read) << read.error().text;
  return read ? *read : CheckedScenario();
}

Scenario scenario_with(const std::string& jobs) { return read_with(jobs).scenario; }

TEST(Doubts, NoneOfAPlainScenario) {
  EXPECT_THAT(doubts(scenario_with(ScenarioText().jobs)), IsEmpty());
}

TEST(Doubts, MemoryBeyondTheRequest) {
  EXPECT_THAT(
      doubts(scenario_with(
          one_phase("name: m, request: {cores: 1, memory: 1GiB}, cpu: 1s, memory: 2GiB"))),
      ElementsAre("job \"wc\", phase \"m\": its tasks use 2GiB of memory and request 1GiB, so "
                  "the kernel may kill them"));
}

TEST(Doubts, OvercommittedMemoryThatNobodyUses) {
  const std::string none =
      "jobs:\n- {name: a, phases: [{name: m, cpu: 1s, request: {cores: 1, "
      "memory: 1GiB}}]}\n- {name: b, phases: [{name: m, cpu: 1s, memory: "
      "1GiB, request: {cores: 1, memory: 1GiB}}]}\n";
  Scenario scenario = scenario_with(none);
  EXPECT_THAT(doubts(scenario), IsEmpty());
  NodeSpec& node = scenario.cluster.nodes.front();
  node.name = "n";
  node.capacity.memory = EmuBytes(4LL << 30);
  node.allowance.memory = EmuBytes(8LL << 30);
  EXPECT_THAT(
      doubts(scenario),
      ElementsAre("memory is overcommitted (node \"n\" allows containers 8GiB of 4GiB), but "
                  "the tasks of 1 of 2 jobs state no memory: they use none, and nothing is "
                  "killed for it; expected memory in their phases, or use in executors"));
  scenario.jobs.front().phases.front().kind = PhaseKind::kCommand;
  EXPECT_THAT(doubts(scenario), IsEmpty()) << "programs use what they use";
}

TEST(Doubts, JobsWithTheSameDoubtShareAWarning) {
  const std::string phase =
      "  phases: [{name: m, request: {cores: 1, memory: 1GiB}, cpu: 1s, memory: 2GiB}]\n";
  const std::string text =
      ", phase \"m\": its tasks use 2GiB of memory and request 1GiB, so the "
      "kernel may kill them";
  EXPECT_THAT(doubts(scenario_with("jobs:\n- name: a\n  count: 3\n" + phase)),
              ElementsAre("job \"a-1\" and 2 others" + text));
  EXPECT_THAT(doubts(scenario_with("jobs:\n- name: a\n" + phase + "- name: b\n" + phase)),
              ElementsAre("job \"a\" and 1 other" + text));
}

TEST(Doubts, ReducesThatWaitForNoMaps) {
  const std::string maps = "  - {name: m, request: {cores: 1, memory: 1GiB}, cpu: 1s}\n";
  const std::string head = "jobs:\n- name: wc\n  phases:\n";
  const std::string reduce =
      "  - {name: r, kind: reduce, request: {cores: 1, memory: 1GiB}, cpu: 1s";
  EXPECT_THAT(
      doubts(scenario_with(head + maps + reduce + "}\n")),
      ElementsAre("job \"wc\", phase \"r\": these reduces wait for no maps; expected after: "
                  "[NAME] of a map phase"));
  EXPECT_THAT(doubts(scenario_with(head + maps + reduce + ", after: [m]}\n")), IsEmpty());
  EXPECT_THAT(doubts(scenario_with(head + reduce + "}\n")), IsEmpty());
}

// 96 tasks of 60 core-seconds on 2 nodes of 4 cores: 96 x 60 / 8 = 720 s, 12 minutes.
TEST(Doubts, ARealSecondForEachEmulatedOne) {
  const std::string jobs =
      one_phase("name: m, tasks: 96, request: {cores: 1, memory: 1GiB}, cpu: 60s");
  EXPECT_EQ(
      unscaled_time(read_with(jobs)),
      "emulation.time_scale is not given, so an emulated second lasts a real second and the run "
      "takes at least 12 minutes; expected a time_scale such as 0.1 if that is too long");
  EXPECT_EQ(unscaled_time(read_with(jobs), 13), "");
  EXPECT_EQ(unscaled_time(read_with(jobs, "emulation: {time_scale: 1}\n")), "");
  EXPECT_EQ(unscaled_time(read_with(ScenarioText().jobs)), "");
}

}  // namespace heddle::scenario_doubts_test
