// The key faults: values that are read, and when faults happen.

#include "core/scenario/draw.h"
#include "core/scenario/fault_watch.h"
#include "core/scenario/words.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"
#include "yaml/write.h"

namespace heddle::faults_test {

const char* const kJobs =
    "jobs:\n"
    "- name: wc\n"
    "  phases:\n"
    "  - {name: map, tasks: 100, request: {cores: 1, memory: 1GiB}, cpu: 12s}\n"
    "  - {name: own, kind: command, request: {cores: 1, memory: 1GiB}, command: [a], cpu: 1s}\n"
    "- {name: pi, workload: pi}\n";

std::string text_with(const std::string& faults) {
  ScenarioText text;
  text.head +=
      "emulation: {time_scale: 1, core_fraction: 1, memory_scale: 1}\nfaults: " + faults + "\n";
  text.jobs = kJobs;
  return text.text();
}

Scenario with(const std::string& faults) { return scenario_of(text_with(faults)); }

/// Returns "2 n1 slow-node" for each fault, with "over" after it where it ends.
std::vector<std::string> moments_of(const Scenario& scenario) {
  std::vector<std::string> lines;
  for (const FaultMoment& moment : fault_moments(scenario))
    lines.push_back(std::to_string(moment.at.count() / 1000000) + " " +
                    (moment.node ? "n" + std::to_string(moment.node->value + 1) : "master") + " " +
                    std::string(word_of(scenario.faults[moment.fault].kind)) +
                    (moment.ends ? " over" : ""));
  return lines;
}

TEST(Faults, AreReadWithTheirDefaults) {
  const Scenario scenario = with(
      "[{fault: kill-worker, node: n2, at: 20s, restart_after: 10s}, {fault: kill-master, at: 5s}, "
      "{fault: lose-heartbeats, for: 1min, share: 20%}, "
      "{fault: crash-task, job: wc, phase: map, task: 99, attempt: 2, progress: 0.25}, "
      "{fault: straggle, factor: 4, job: wc}]");
  ASSERT_EQ(scenario.faults.size(), 5U);
  FaultSpec kill;
  kill.nodes = {NodeId{1}};
  kill.at = emu_seconds(20);
  kill.restart_after = emu_seconds(10);
  EXPECT_EQ(scenario.faults[0], kill);
  EXPECT_THAT(scenario.faults[1].nodes, IsEmpty());
  EXPECT_EQ(scenario.faults[2].nodes, (std::vector{NodeId{0}, NodeId{1}}));
  EXPECT_EQ(scenario.faults[2].lasts, emu_seconds(60));
  EXPECT_DOUBLE_EQ(scenario.faults[2].share, 0.2);
  FaultSpec crash;
  crash.kind = FaultKind::kCrashTask;
  crash.job = JobId{0};
  crash.phase = 0;
  crash.task = 99;
  crash.attempt = 2;
  crash.progress = 0.25;
  EXPECT_EQ(scenario.faults[3], crash);
  EXPECT_EQ(scenario.faults[4].attempt, 1);
  EXPECT_EQ(scenario.faults[4].phase, std::nullopt);
}

TEST(Faults, AreWrittenBack) {
  const Scenario scenario = with(
      "[{fault: kill-worker, node: n2, at: 20s}, {fault: kill-master}, "
      "{fault: freeze-worker, for: 5s}, {fault: partition, for: 5s, node: n1}, "
      "{fault: slow-node, factor: 0.5}, {fault: full-disk, at: 1s}, {fault: lose-heartbeats}, "
      "{fault: delay-heartbeats, delay: 3s, share: 0.1}, {fault: duplicate-heartbeats}, "
      "{fault: crash-task}, {fault: straggle, job: wc, phase: map, factor: 3, share: 10%}]");
  EXPECT_THAT(write_scenario(scenario),
              HasSubstr("  - {fault: kill-worker, node: [n2], at: 20s}\n"
                        "  - {fault: kill-master, at: 0s}\n"
                        "  - {fault: freeze-worker, node: [n1, n2], at: 0s, for: 5s}\n"));
  EXPECT_THAT(write_scenario(scenario),
              HasSubstr("  - {fault: crash-task, attempt: 1, progress: 0.5}\n"
                        "  - {fault: straggle, factor: 3, share: 0.1, job: wc, phase: map, "
                        "attempt: 1}\n"));
  EXPECT_EQ(scenario_of(write_scenario(scenario)), scenario);
}

TEST(Faults, WhatIsWrong) {
  auto said = [](const std::string& fault) {
    const std::string text = errors_of(text_with("[{" + fault + "}]"));
    const std::string where = "s.yaml:4: faults[0]";
    return text.starts_with(where) ? text.substr(where.size()) : text;
  };
  tests::expect_messages_of("yaml/faults.yaml", "what is wrong", said);
  EXPECT_EQ(errors_of(text_with("{fault: kill-master}")),
            "s.yaml:4: faults: is a map; expected a list of faults such as {fault: kill-worker, "
            "node: n1, at: 20s, restart_after: 10s}, with \"- \" before each member");
}

TEST(Faults, MomentsComeInOrder) {
  EXPECT_THAT(moments_of(with("[]")), IsEmpty());
  EXPECT_THAT(
      moments_of(with("[{fault: slow-node, node: n1, factor: 0.5, at: 3s, for: 4s}, "
                      "{fault: kill-master, at: 5s}, {fault: freeze-worker, at: 3s, for: 9s}, "
                      "{fault: crash-task}]")),
      ElementsAre("3 n1 slow-node", "3 n1 freeze-worker", "3 n2 freeze-worker",
                  "5 master kill-master", "7 n1 slow-node over"));
}

TEST(Faults, ConditionsThatMeetOnANodeAddUp) {
  const Scenario scenario = with(
      "[{fault: slow-node, node: n1, factor: 0.5, at: 1s, for: 4s}, "
      "{fault: slow-node, node: n1, factor: 0.5, at: 2s, for: 1s}, "
      "{fault: full-disk, node: n1, at: 4s}, {fault: lose-heartbeats, node: n1, at: 6s}]");
  std::vector<double> speeds;
  for (const FaultMoment& moment : fault_moments(scenario))
    speeds.push_back(moment.conditions.speed);
  EXPECT_THAT(speeds, ElementsAre(0.5, 0.25, 0.5, 0.5, 1, 1));
  FaultWatch watch(scenario);
  EXPECT_EQ(watch.conditions(NodeId{0}), nullptr);
  EXPECT_EQ(watch.next_time(), emu_seconds(1));
  while (watch.take(emu_seconds(6))) {
  }
  ASSERT_NE(watch.conditions(NodeId{0}), nullptr);
  EXPECT_TRUE(watch.conditions(NodeId{0})->disk_full);
  EXPECT_EQ(watch.conditions(NodeId{0})->beats.size(), 1U);
  EXPECT_EQ(watch.conditions(NodeId{1}), nullptr);
  EXPECT_EQ(watch.next_time(), std::nullopt);
}

TEST(Faults, ARunThatIsResumedHasHadItsFirstMoments) {
  const Scenario scenario = with(
      "[{fault: slow-node, node: n1, factor: 0.5, at: 1s, for: 4s}, "
      "{fault: kill-master, at: 2s}]");
  FaultWatch watch(scenario);
  for (int had = 0; had < 2; ++had) ASSERT_NE(watch.take(emu_seconds(1'000)), nullptr);
  EXPECT_DOUBLE_EQ(watch.conditions(NodeId{0})->speed, 0.5);
  EXPECT_EQ(watch.take(emu_seconds(4)), nullptr);
  EXPECT_TRUE(watch.take(emu_seconds(5))->ends);
}

TEST(Faults, ALostNodeIsWaitedForIfItsFaultPasses) {
  const Scenario scenario = with(
      "[{fault: kill-worker, node: n1, at: 10s, restart_after: 5s}, "
      "{fault: kill-worker, node: n1, at: 50s}, {fault: partition, node: n2, at: 20s, for: "
      "30s}]");
  // No node is waited for without a fault.
  FaultWatch watch(scenario, real::Duration(0));
  EXPECT_FALSE(watch.lost(NodeId{1}, emu_seconds(12)));
  EXPECT_TRUE(watch.lost(NodeId{0}, emu_seconds(12)));
  EXPECT_TRUE(watch.lost(NodeId{1}, emu_seconds(31)));
  // The worker is given up 15 s of real time after it should be back (time_scale 1).
  while (watch.take(emu_seconds(29))) {
  }
  EXPECT_EQ(watch.next_time(), emu_seconds(30));
  EXPECT_THAT(watch.take_missing(emu_seconds(29)), IsEmpty());
  EXPECT_THAT(watch.take_missing(emu_seconds(30)), ElementsAre(NodeId{0}));
  EXPECT_TRUE(watch.awaits());
  watch.back(NodeId{1}, emu_seconds(33));
  EXPECT_FALSE(watch.awaits());
  EXPECT_FALSE(watch.lost(NodeId{0}, emu_seconds(50))) << "killed for good";
  EXPECT_THAT(planned_kills(scenario, NodeId{0}),
              ElementsAre(std::optional(emu_seconds(5)), std::nullopt));
  EXPECT_THAT(planned_kills(scenario, NodeId{1}), IsEmpty());
}

// time_scale is 1, so that the patience of a minute is an emulated minute.
TEST(Faults, ANodeThatIsLostWithoutAFaultIsWaitedForWithPatience) {
  const Scenario scenario = with("[{fault: kill-worker, node: n1, at: 100s}]");
  FaultWatch watch(scenario);
  while (watch.take(emu_seconds(200))) {
  }
  EXPECT_TRUE(watch.lost(NodeId{1}, emu_seconds(10)));
  EXPECT_EQ(watch.next_time(), emu_seconds(70));
  // The fault does not bring n1 back, although n2 is still awaited.
  EXPECT_FALSE(watch.lost(NodeId{0}, emu_seconds(120)));
  EXPECT_EQ(watch.next_time(), emu_seconds(70));
  // A node that has come back after the fault is lost without a fault.
  watch.back(NodeId{0}, emu_seconds(130));
  watch.back(NodeId{1}, emu_seconds(130));
  EXPECT_TRUE(watch.lost(NodeId{0}, emu_seconds(140)));
  // Nothing could be heard for 5 s.
  watch.note_stall(std::chrono::seconds(5));
  EXPECT_EQ(watch.next_time(), emu_seconds(205));
}

// n2 is cut off from 20 to 110 s, and expected until 125 s.
TEST(Faults, ANodeIsAwaitedUntilTheLaterOfFaultAndPatience) {
  const Scenario scenario = with(
      "[{fault: partition, node: n2, at: 20s, for: 90s}, {fault: freeze-worker, node: n1, at: "
      "140s, for: 10s}]");
  FaultWatch watch(scenario);
  while (watch.take(emu_seconds(140))) {
  }
  EXPECT_TRUE(watch.lost(NodeId{1}, emu_seconds(25)));
  EXPECT_EQ(watch.patient_until(), std::nullopt) << "a fault brings it back";
  EXPECT_TRUE(watch.lost(NodeId{0}, emu_seconds(40)));
  EXPECT_EQ(watch.next_time(), emu_seconds(100));
  EXPECT_EQ(watch.patient_until(), emu_seconds(125));
  EXPECT_THAT(watch.take_missing(emu_seconds(100)), ElementsAre(NodeId{0}));
  EXPECT_THAT(watch.take_missing(emu_seconds(124)), IsEmpty());
  EXPECT_THAT(watch.take_missing(emu_seconds(125)), ElementsAre(NodeId{1}));
  watch.back(NodeId{0}, emu_seconds(130));
  // The grace of 15 s ends at 165 s.
  EXPECT_TRUE(watch.lost(NodeId{0}, emu_seconds(142)));
  EXPECT_EQ(watch.next_time(), emu_seconds(202));
}

TEST(Faults, IfNoWorkerComesBackNoNodeIsAwaited) {
  const Scenario scenario = with("[{fault: freeze-worker, node: n1, at: 2s, for: 100s}]");
  FaultWatch watch(scenario);
  EXPECT_TRUE(watch.lost(NodeId{0}, emu_seconds(10)));
  EXPECT_TRUE(watch.lost(NodeId{1}, emu_seconds(10)));
  watch.expect_none();
  watch.note_stall(std::chrono::seconds(1));
  EXPECT_THAT(watch.take_missing(emu_seconds(11)), ElementsAre(NodeId{0}, NodeId{1}));
  EXPECT_FALSE(watch.lost(NodeId{0}, emu_seconds(12)));
}

// The freeze of n1 is over at 3 s, and its grace of 15 s at 18 s. n1 was not lost through it.
TEST(Faults, AFaultThatIsOverDoesNotCutTheWaitShort) {
  const Scenario scenario = with(
      "[{fault: freeze-worker, node: n1, at: 2s, for: 1s}, {fault: kill-worker, node: n2, at: "
      "5s}]");
  FaultWatch watch(scenario, std::chrono::seconds(100));
  while (watch.take(emu_seconds(10))) {
  }
  EXPECT_TRUE(watch.lost(NodeId{0}, emu_seconds(10)));
  EXPECT_EQ(watch.next_time(), emu_seconds(110));
  watch.back(NodeId{0}, emu_seconds(11));
  EXPECT_TRUE(watch.lost(NodeId{0}, emu_seconds(12)));
  EXPECT_EQ(watch.next_time(), emu_seconds(112));
}

TEST(Faults, WhatBecomesOfAHeartbeatIsDrawnForEachByItself) {
  const std::vector<BeatRule> rules = {{FaultKind::kLoseHeartbeats, 0.2, EmuTime(0), 7},
                                       {FaultKind::kDelayHeartbeats, 0.5, emu_seconds(3), 8},
                                       {FaultKind::kDuplicateHeartbeats, 1, EmuTime(0), 9}};
  int lost = 0, late = 0;
  for (int number = 1; number <= 1000; ++number) {
    const BeatFate fate = fate_of(rules, number);
    EXPECT_EQ(fate, fate_of(rules, number));
    EXPECT_TRUE(fate.twice);
    lost += fate.lost ? 1 : 0;
    late += fate.delay == emu_seconds(3) ? 1 : 0;
  }
  EXPECT_NEAR(lost, 200, 40);
  EXPECT_NEAR(late, 500, 50);
  EXPECT_EQ(fate_of({}, 1), BeatFate{});
  EXPECT_FALSE(fate_of({{FaultKind::kLoseHeartbeats, 0, EmuTime(0), 7}}, 1).lost);
}

TEST(Faults, TasksAreTakenByTheirPlaceAndBySeed) {
  auto at = [](int phase, int index) { return TaskId{{JobId{0}, phase}, index}; };
  const Scenario one = with("[{fault: crash-task, job: wc, phase: map, task: 3, attempt: 2}]");
  EXPECT_EQ(crash_of(one, at(0, 3), 2), 0.5);
  EXPECT_EQ(crash_of(one, at(0, 3), 1), std::nullopt);
  EXPECT_EQ(crash_of(one, at(0, 4), 2), std::nullopt);
  EXPECT_EQ(crash_of(one, {{JobId{1}, 0}, 3}, 2), std::nullopt);

  const Scenario some = with("[{fault: straggle, share: 30%, factor: 4}]");
  int slow = 0;
  for (int i = 0; i < 100; ++i) slow += straggling(some, at(0, i), 1) == 4 ? 1 : 0;
  EXPECT_NEAR(slow, 30, 15);
  EXPECT_EQ(straggling(some, at(0, 1), 2), 1);
  const Scenario all = with("[{fault: straggle, factor: 4}, {fault: crash-task}]");
  EXPECT_EQ(straggling(all, at(0, 1), 1), 4);
  EXPECT_EQ(straggling(all, at(1, 0), 1), 1) << "commands do what they do";
  EXPECT_EQ(crash_of(all, {{JobId{1}, 0}, 0}, 1), std::nullopt) << "nor are masters meant";
}

TEST(Faults, OfARack) {
  ScenarioText text;
  text.cluster =
      "cluster: {nodes: [{name: a, count: 2, cores: 4, memory: 8GiB, rack: r1}, {name: b, cores: "
      "4, "
      "memory: 8GiB, rack: r2}, {name: c, cores: 4, memory: 8GiB, rack: r1}]}\n";
  text.head +=
      "emulation: {time_scale: 1, core_fraction: 1, memory_scale: 1}\n"
      "faults: [{fault: kill-worker, node: {rack: r1}, at: 3s}]\n"
      "external_load: [{node: {rack: r2}, cores: 1}]\n";
  const Scenario scenario = scenario_of(text.text());
  EXPECT_THAT(scenario.faults[0].nodes, ElementsAre(NodeId{0}, NodeId{1}, NodeId{3}));
  EXPECT_THAT(scenario.external_load[0].nodes, ElementsAre(NodeId{2}));
  expect_round_trip(scenario);
}

}  // namespace heddle::faults_test
