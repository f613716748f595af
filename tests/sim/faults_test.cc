// Results of faults in virtual time, as literal values, and a check that engines survive any
// faults.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/resolve.h"
#include "tests/core/every_scheduler.h"
#include "tests/support/scenario_texts.h"
#include "tests/sim/properties.h"
#include "tests/sim/random_scenario.h"

namespace heddle::sim::faults_test {

using ::testing::ElementsAre;
using wire::Json;

/// Returns a scenario with two nodes of 2 cores, a heartbeat per second and a timeout of 5 s,
/// simulated without delays.
Scenario machine(const std::string& faults, const std::string& phase) {
  return resolve_simulated(scenario_of(
      "heddle: 1\nname: test\nsimulation: {ideal: true}\nfaults: " + faults +
      "\ncluster: {node_timeout: 5s, nodes: [{name: n, count: 2, cores: 2, memory: 8GiB}]}\n"
      "jobs:\n- name: j\n  phases:\n" +
      phase));
}

const char* const kFour =
    "  - {name: map, tasks: 4, request: {cores: 1, memory: 1GiB}, cpu: 10s}\n";
const char* const kShuffle =
    "  - {name: map, tasks: 4, request: {cores: 1, memory: 1GiB}, cpu: 10s, shuffle: 8MiB}\n"
    "  - {name: red, kind: reduce, after: [map], request: {cores: 1, memory: 1GiB}, cpu: 5s}\n";

/// Returns lines such as "12 lost 1": when a container ended, how, and on which node. Lines such as
/// "12 node_lost 1" do the same for nodes.
std::vector<std::string> story(const Scenario& scenario) {
  const Simulated outcome = simulate(scenario);
  check_replay(scenario, outcome.records());
  std::vector<std::string> story;
  std::map<std::int64_t, std::int64_t> node_of;
  for (const Json& line : outcome.records()) {
    const std::string type = line["type"];
    auto add = [&](const std::string& what, std::int64_t node) {
      char text[64];
      std::snprintf(text, sizeof text, "%.0f %s %d", line["t"].get<double>(), what.c_str(),
                    static_cast<int>(node));
      story.emplace_back(text);
    };
    if (type == "launch") node_of[line["container"]] = line["node"];
    if (type == "container_ended") add(line["outcome"], node_of.at(line["container"]));
    if (type == "node_lost") add(line.contains("returns") ? "node_away" : type, line["node"]);
    if (type == "node_registered" && line["t"] > 0) add("node_back", line["node"]);
    if (type == "job_finished") add(line["state"], -1);
  }
  return story;
}

TEST(SimulatedFaults, AKilledWorkerIsFoundLostAfterTheTimeoutAndComesBack) {
  // The node was last heard at 3 s.
  EXPECT_THAT(
      story(machine("[{fault: kill-worker, node: n2, at: 3500ms, restart_after: 20s}]", kFour)),
      ElementsAre("8 lost 1", "8 lost 1", "8 node_away 1", "10 completed 0", "10 completed 0",
                  "20 completed 0", "20 completed 0", "20 completed -1"));
  // The worker is back before the timeout. After two seconds of silence, the new worker replaces
  // the old one.
  EXPECT_THAT(
      story(machine("[{fault: kill-worker, node: n2, at: 3500ms, restart_after: 1s}]", kFour)),
      ElementsAre("6 lost 1", "6 lost 1", "6 node_away 1", "6 node_back 1", "10 completed 0",
                  "10 completed 0", "16 completed 1", "16 completed 1", "16 completed -1"));
}

TEST(SimulatedFaults, AJobThatFitsNoOtherNodeWaitsForOneThatComesBack) {
  const std::string large =
      "  - {name: map, tasks: 1, request: {cores: 2, memory: 1GiB}, cpu: 8s, threads: 2}\n";
  EXPECT_THAT(story(machine("[{fault: kill-worker, at: 2500ms, restart_after: 10s}]", large)),
              ElementsAre("7 lost 0", "7 node_away 0", "7 node_away 1", "12 node_back 0",
                          "12 node_back 1", "17 completed 0", "17 completed -1"));
  const Simulated over = simulate(machine("[{fault: kill-worker, at: 2500ms}]", large));
  EXPECT_EQ(over.status, RunStatus::kAborted);
  EXPECT_EQ(over.reason, "every node was lost");
}

TEST(SimulatedFaults, AFrozenWorkersTasksGoOnAndAreToldOfLater) {
  // The freeze is shorter than the timeout. The tasks end at 10 s, and the master learns of it at
  // 12 s.
  EXPECT_THAT(story(machine("[{fault: freeze-worker, node: n2, at: 9s, for: 3s}]", kFour)),
              ElementsAre("10 completed 0", "10 completed 0", "10 completed 1", "10 completed 1",
                          "12 completed -1"));
  // The freeze is longer. The tasks are lost 5 s after the last message and run again elsewhere,
  // and the node rejoins.
  EXPECT_THAT(story(machine("[{fault: freeze-worker, node: n2, at: 2500ms, for: 20s}]", kFour)),
              ElementsAre("7 lost 1", "7 lost 1", "7 node_away 1", "10 completed 0",
                          "10 completed 0", "20 completed 0", "20 completed 0", "20 completed -1"));
}

TEST(SimulatedFaults, APartitionLosesNothingIfShortAndTheNodeIfLong) {
  EXPECT_THAT(story(machine("[{fault: partition, node: n2, at: 9s, for: 2500ms}]", kFour)),
              ElementsAre("10 completed 0", "10 completed 0", "10 completed 1", "10 completed 1",
                          "12 completed -1"));
  EXPECT_THAT(
      story(machine("[{fault: partition, node: n2, at: 2500ms, for: 8s}]", kFour)),
      ElementsAre("7 lost 1", "7 lost 1", "7 node_away 1", "10 completed 0", "10 completed 0",
                  "11 node_back 1", "20 completed 0", "20 completed 0", "20 completed -1"));
}

TEST(SimulatedFaults, HeartbeatsThatAreAllLostLoseTheNode) {
  const std::vector<std::string> lost =
      story(machine("[{fault: lose-heartbeats, node: n2, at: 2500ms, for: 4900ms}]", kFour));
  EXPECT_THAT(
      lost, ElementsAre("7 lost 1", "7 lost 1", "7 node_lost 1", "7 node_back 1", "10 completed 0",
                        "10 completed 0", "18 completed 1", "18 completed 1", "18 completed -1"));
  const std::vector<std::string> plain = story(machine("[]", kFour));
  EXPECT_EQ(story(machine("[{fault: duplicate-heartbeats}]", kFour)), plain);
  EXPECT_EQ(story(machine("[{fault: delay-heartbeats, delay: 2s}]", kFour)).back(),
            "12 completed -1");
}

TEST(SimulatedFaults, ASlowNodeTakesLonger) {
  EXPECT_THAT(story(machine("[{fault: slow-node, node: n2, factor: 0.5, at: 2s, for: 4s}]", kFour)),
              ElementsAre("10 completed 0", "10 completed 0", "12 completed 1", "12 completed 1",
                          "12 completed -1"));
}

TEST(SimulatedFaults, AFullDiskFailsThoseThatWrite) {
  // At 10 s, no output can be stored on n2; from 11 s on, it can.
  EXPECT_THAT(story(machine("[{fault: full-disk, node: n2, at: 9s, for: 2s}]", kShuffle)),
              ElementsAre("10 failed 1", "10 failed 1", "10 completed 0", "10 completed 0",
                          "20 completed 1", "20 completed 1", "25 completed 0", "25 completed -1"));
}

TEST(SimulatedFaults, WhatALostNodeHandedOverIsMadeAgain) {
  const Scenario scenario =
      machine("[{fault: kill-worker, node: n2, at: 11500ms, restart_after: 1s}]", kShuffle);
  const Simulated outcome = simulate(scenario);
  EXPECT_EQ(outcome.status, RunStatus::kDone) << outcome.reason;
  check_replay(scenario, outcome.records());
}

TEST(SimulatedFaults, AnAttemptCrashesWhereItIsTold) {
  const std::string one =
      "  - {name: map, tasks: 1, request: {cores: 1, memory: 1GiB}, cpu: 10s, sleep: 10s}\n";
  EXPECT_THAT(story(machine("[{fault: crash-task, progress: 0.75}]", one)),
              ElementsAre("15 failed 0", "35 completed 0", "35 completed -1"));
  EXPECT_THAT(story(machine("[{fault: crash-task, progress: 0.2}, "
                            "{fault: crash-task, progress: 1, attempt: 2}]",
                            one)),
              ElementsAre("4 failed 0", "24 failed 0", "44 completed 0", "44 completed -1"));
  EXPECT_THAT(story(machine("[{fault: crash-task, progress: 0}]", one)).front(), "0 failed 0");
}

TEST(SimulatedFaults, AStragglerHasSoManyTimesTheWork) {
  EXPECT_THAT(
      story(machine("[{fault: straggle, job: j, phase: map, task: 3, factor: 2.5}]", kFour)),
      ElementsAre("10 completed 0", "10 completed 0", "10 completed 1", "25 completed 1",
                  "25 completed -1"));
}

TEST(SimulatedFaults, AMastersDeathTakesNoEmulatedTime) {
  EXPECT_EQ(story(machine("[{fault: kill-master, at: 5s}]", kFour)), story(machine("[]", kFour)));
}

/// Draws some faults. Every killed worker comes back.
std::vector<FaultSpec> random_faults(std::uint64_t seed, const Scenario& scenario) {
  std::mt19937_64 random(seed);
  auto pick = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  std::vector<FaultSpec> faults(static_cast<std::size_t>(pick(1, 6)));
  for (FaultSpec& fault : faults) {
    fault.kind = static_cast<FaultKind>(pick(0, 10));
    fault.at = EmuTime(pick(0, 60'000'000));
    const bool of_tasks = fault.kind >= FaultKind::kCrashTask;
    if (!of_tasks && fault.kind != FaultKind::kKillMaster)
      fault.nodes = {NodeId{pick(0, static_cast<int>(scenario.cluster.nodes.size()) - 1)}};
    const EmuTime length(pick(100'000, 40'000'000));
    if (fault.kind == FaultKind::kKillWorker)
      fault.restart_after = length;
    else if (!of_tasks)
      fault.lasts = length;
    fault.factor = of_tasks ? pick(1, 5) : pick(1, 10) / 10.0;
    fault.share = pick(1, 10) / 10.0;
    fault.delay = EmuTime(pick(1'000, 5'000'000));
    fault.progress = pick(0, 10) / 10.0;
  }
  return faults;
}

class EverySchedulerWithFaults : public testing::TestWithParam<std::string> {};

TEST_P(EverySchedulerWithFaults, EndsEveryJobAndReplays) {
  for (std::uint64_t seed = 1; seed <= 8 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scenario scenario = random_scenario(seed, GetParam());
    scenario.faults = random_faults(seed, scenario);
    const Simulated outcome = simulate(scenario);
    EXPECT_TRUE(outcome.status == RunStatus::kDone || outcome.status == RunStatus::kFailed)
        << outcome.reason;
    check_replay(scenario, outcome.records());
    if (seed <= 3) check_shortcuts(scenario);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EverySchedulerWithFaults, all_schedulers(), scheduler_name);

}  // namespace heddle::sim::faults_test
