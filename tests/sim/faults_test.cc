// Results of faults in virtual time, as literal values, and a check that engines survive any
// faults.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "common/text.h"
#include "core/resolve.h"
#include "tests/core/every_scheduler.h"
#include "tests/sim/properties.h"
#include "tests/sim/random_scenario.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"

namespace heddle::sim::faults_test {

using wire::Json;

const std::map<std::string, std::string> kPhases = {
    {"four", "  - {name: map, tasks: 4, request: {cores: 1, memory: 1GiB}, cpu: 10s}\n"},
    {"large",
     "  - {name: map, tasks: 1, request: {cores: 2, memory: 1GiB}, cpu: 8s, threads: 2}\n"},
    {"one", "  - {name: map, tasks: 1, request: {cores: 1, memory: 1GiB}, cpu: 10s, sleep: 10s}\n"},
    {"shuffle",
     "  - {name: map, tasks: 4, request: {cores: 1, memory: 1GiB}, cpu: 10s, shuffle: 8MiB}\n"
     "  - {name: red, kind: reduce, after: [map], request: {cores: 1, memory: 1GiB}, cpu: 5s}\n"}};

/// Returns a scenario with two nodes of 2 cores, a heartbeat per second and a timeout of 5 s,
/// simulated without delays.
Scenario machine(const std::string& faults, const std::string& phases) {
  return resolve_simulated(scenario_of(
      "heddle: 1\nname: test\nsimulation: {ideal: true}\nfaults: [" + faults +
      "]\ncluster: {node_timeout: 5s, nodes: [{name: n, count: 2, cores: 2, memory: 8GiB}]}\n"
      "jobs:\n- name: j\n  phases:\n" +
      kPhases.at(phases)));
}

/// Returns words such as "12 lost 1": when a container ended, how, and on which node. Words such as
/// "12 node_lost 1" do the same for nodes.
std::string story(const Scenario& scenario) {
  const Simulated outcome = simulate(scenario);
  check_replay(scenario, outcome.records());
  std::vector<std::string> story;
  std::map<std::int64_t, std::int64_t> node_of;
  for (const Json& line : outcome.records()) {
    const std::string type = line["type"];
    auto add = [&](const std::string& what, std::int64_t node) {
      story.push_back(fmt::format("{:.0f} {} {}", line["t"].get<double>(), what, node));
    };
    if (type == "launch") node_of[line["container"]] = line["node"];
    if (type == "container_ended") add(line["outcome"], node_of.at(line["container"]));
    if (type == "node_lost") add(line.contains("returns") ? "node_away" : type, line["node"]);
    if (type == "node_registered" && line["t"] > 0) add("node_back", line["node"]);
    if (type == "job_finished") add(line["state"], -1);
  }
  return join(story);
}

TEST(SimulatedFaults, HaveTheResultsInTheTable) {
  for (const char* kind :
       {"killed-workers", "frozen-workers", "partitions", "heartbeats", "machines", "tasks"})
    tests::expect_messages("sim/faults.yaml", kind,
                           [](const auto& row) { return story(machine(row[0], row[1])); });
}

TEST(SimulatedFaults, MayComeAtOnceOrDelayTheEnd) {
  const std::string crash = story(machine("{fault: crash-task, progress: 0}", "one"));
  EXPECT_TRUE(crash.starts_with("0 failed 0, ")) << crash;
  const std::string delay = story(machine("{fault: delay-heartbeats, delay: 2s}", "four"));
  EXPECT_TRUE(delay.ends_with(", 12 completed -1")) << delay;
}

TEST(SimulatedFaults, ARunWithoutNodesIsAborted) {
  const Simulated over = simulate(machine("{fault: kill-worker, at: 2500ms}", "large"));
  EXPECT_EQ(over.status, RunStatus::kAborted);
  EXPECT_EQ(over.reason, "every node was lost");
}

// Two tasks of one core start on each node at 0 and run until their worker is killed at 2.5 s.
TEST(SimulatedFaults, SayWhatLostTasksHadUsed) {
  const Simulated outcome = simulate(machine("{fault: kill-worker, node: n2, at: 2500ms}", "four"));
  std::vector<double> used;
  for (const Json& line : outcome.records())
    if (line["type"] == "container_ended" && line["outcome"] == "lost")
      used.push_back(line["cpu_core_s"]);
  EXPECT_EQ(used, (std::vector<double>{2.5, 2.5}));
}

TEST(SimulatedFaults, WhatALostNodeHandedOverIsMadeAgain) {
  const Scenario scenario =
      machine("{fault: kill-worker, node: n2, at: 11500ms, restart_after: 1s}", "shuffle");
  const Simulated outcome = simulate(scenario);
  EXPECT_EQ(outcome.status, RunStatus::kDone) << outcome.reason;
  check_replay(scenario, outcome.records());
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
