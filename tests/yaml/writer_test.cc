#include <algorithm>
#include <filesystem>

#include "core/policy/registry.h"
#include "core/resolve.h"
#include "core/scenario/draw.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/sanitized.h"
#include "tests/support/scenario_texts.h"
#include "yaml/sections.h"
#include "yaml/write.h"

namespace heddle::writer_test {

TEST(Writer, WritesEverythingOut) {
  tests::expect_messages_of("yaml/writer.yaml", "written", [](const std::string& text) {
    return write_scenario(scenario_of(text));
  });
}

// Nodes are written together only if they are equal and a count gives them these names.
TEST(Writer, EqualNodesAreWrittenTogether) {
  std::vector<NodeSpec> nodes;
  for (const char* name : {"n1", "n2", "n3", "n5", "a1", "b11", "b12", "c01", "c02", "1", "2"})
    nodes.push_back({.name = name, .capacity = {Millicores(1000), EmuBytes(1 << 30)}});
  nodes[2].speed = 0.5;
  std::vector<std::pair<std::string, int>> written;
  for (const WrittenNode& one : written_nodes(nodes))
    written.emplace_back(one.node.name, one.count);
  using Written = std::pair<std::string, int>;
  EXPECT_THAT(written,
              ElementsAre(Written("n", 2), Written("n3", 0), Written("n5", 0), Written("a1", 0),
                          Written("b1", 2), Written("c0", 2), Written("1", 0), Written("2", 0)));
}

// Values that YAML would read as something else are quoted.
TEST(Writer, OptionsOfAProgramReadBackEqual) {
  Scenario scenario = scenario_of(ScenarioText().text());
  scenario.policy = *parse_policy(
      "exec:./srw.py+arg.ageing=0.10+arg.empty=+arg.list=[1\\, 2]+arg.none=null+arg.quote=a\"b: c");
  EXPECT_THAT(write_scenario(scenario),
              HasSubstr("arg: {ageing: 0.10, empty: \"\", list: \"[1, 2]\", none: \"null\", quote: "
                        "\"a\\\"b: c\"}}"));
  expect_round_trip(scenario);
}

TEST(Writer, ReadsBackEqual) {
  ScenarioText text;
  expect_round_trip(scenario_of(text.text()));
  text.head +=
      "seed: 9223372036854775807\n"
      "emulation: {time_scale: 0.3, core_fraction: 1/3, memory_scale: 1/64, data_scale: 1/1000, "
      "cpu_limit: shares, pacing: none, swap: true, overhead: 1234567B, control_reserve: {cpu: 7%, "
      "memory: 0B}, suspend_with: freezer}\n"
      "storage: {block_size: 256MiB, replicas: 2}\nsimulation: {ideal: true, launch_delay: 1234us, "
      "message_delay: 1min, saturation: all}\n"
      "policy: fifo+strict_order=true+node_order=most-free\nqueues: [{name: null-queue}, "
      "{name: \"null\", parent: null-queue, capacity: 1/3, max_capacity: 50%, user_limit: 1/7, "
      "max_am_share: 0, weight: 2.5, min: {cores: 1}}, {name: b, parent: null-queue}, {name: c, "
      "parent: null-queue}]\n"
      "accounts: [{name: \"null\", parent: null-account, shares: 0, users: {\"NULL\": parent, b: "
      "7}}, {name: null-account, shares: parent}]\n"
      "partitions: [{name: \"null\", nodes: [\"null\"], max_time: 90.5s, priority: 7, default: "
      "true}]\nqos: [{name: \"null\", priority: 3, max_jobs_per_user: 2, usage_factor: 0.25}]\n";
  text.cluster =
      "cluster: {heartbeat: 250ms, dispatch: immediate, node_timeout: 1min, walltime_grace: 3ms, "
      "unfit_jobs: cancel, unit: {cores: 0.5, memory: 512MiB}, normalise: true, overcommit: true, "
      "nodes: [{name: "
      "\"null\", cores: 4.125, "
      "memory: 8GB, allowance: {cores: 8, memory: 9GB}, system: {cores: 1, memory: 1GB}, speed: "
      "0.75, rack: r1, disk: 200MB/s, network: 2.5Gbit/s}]}\n";
  text.jobs =
      "jobs:\n- name: j\n  count: 5\n  submit: {poisson: 1.7s}\n  queue: \"null\"\n  user: "
      "\"NULL\"\n  account: \"null\"\n  qos: \"null\"\n  "
      "priority: -3\n  application_master: {cores: 0.3, memory: 1B}\n  max_am_attempts: 1\n"
      "  weight: 2.5\n  walltime: 90.5s\n  max_attempts: 1\n  gang: true\n  phases:\n"
      "  - {name: \"null\", after: [b], request: {cores: 1.3, memory: 1000001B}, cpu: {dist: "
      "uniform, "
      "mean: 1.234567s, cv: 0.57}, sleep: {dist: exponential, mean: 3us}, prefer: [\"null\"]}\n"
      "  - {name: b, request: {cores: 1, memory: 1GiB}, cpu: {dist: normal, mean: 3min, cv: 1/7}, "
      "memory: {dist: lognormal, mean: 999MB, cv: 3}}\n"
      "  - {name: c, after: [\"null\", b], request: {cores: 1, memory: 1GiB}, cpu: 0s, memory: "
      "[[1/3, 1B]]}\n";
  Scenario scenario = scenario_of(text.text());
  expect_round_trip(scenario);
  // The tasks' work is the same, too.
  Scenario again = scenario_of(write_scenario(scenario));
  TaskId task{{JobId{4}, 2}, 0};
  EXPECT_EQ(draw_work(again, task), draw_work(scenario, task));
}

/// Returns the paths of the shipped scenarios; with sanitizers, of every fourth one.
std::vector<std::string> shipped() {
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(HEDDLE_SOURCE_DIR "/scenarios"))
    // Files in experiments/ are comparisons of scenarios, not scenarios.
    if (entry.path().extension() == ".yaml" &&
        entry.path().parent_path().filename() != "experiments")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  if (!kSanitized) return paths;
  std::vector<std::string> some;
  for (std::size_t i = 0; i < paths.size(); i += 4) some.push_back(paths[i]);
  return some;
}

// All shipped scenarios are valid, cause no warning, and are equal after being written and read.
TEST(Writer, ShippedScenarios) {
  ASSERT_GE(shipped().size(), 4U);
  for (const std::string& path : shipped()) {
    SCOPED_TRACE(path);
    auto read = workloads::read_scenario(path);
    ASSERT_TRUE(read) << read.error().text;
    EXPECT_THAT(read->warnings, IsEmpty());
    expect_round_trip(read->scenario);
    expect_round_trip(resolve_simulated(read->scenario));
  }
}

TEST(Writer, WritesTypicalRequests) {
  ScenarioText text;
  text.head +=
      "typical_requests: [{cores: 4, gpu: 1, where: {model: [V100]}, count: 12}, {cores: 1}]\n";
  text.cluster =
      "cluster: {resources: {gpu: {devices: true}}, nodes: [{name: n, cores: 8, memory: 8GiB, gpu: "
      "2}]}\n";
  const Scenario scenario = scenario_of(text.text());
  EXPECT_THAT(write_scenario(scenario),
              HasSubstr("\ntypical_requests:\n"
                        "  - {cores: 4, memory: 0B, where: {model: [V100]}, count: 12, gpu: 1}\n"
                        "  - {cores: 1, memory: 0B, count: 1}\n"));
  EXPECT_EQ(scenario_of(write_scenario(scenario)), scenario);
}

// Shipped scenarios run on a laptop of 2 CPUs without a warning, except those of scenarios/large.
TEST(Writer, ShippedScenariosFitALaptop) {
  for (const std::string& path : shipped()) {
    SCOPED_TRACE(path);
    if (path.find("/scenarios/large/") != std::string::npos) continue;
    auto read = workloads::read_scenario(path);
    ASSERT_TRUE(read) << read.error().text;
    auto resolved = resolve(read->scenario, {{2.0}, real::Bytes(4LL << 30)});
    ASSERT_TRUE(resolved) << resolved.error().text;
    // Experiments at the size of the papers' clusters are for simulation.
    std::int64_t cores = 0;
    for (const NodeSpec& node : read->scenario.cluster.nodes) cores += node.capacity.cores.count();
    if (cores <= 40'000) {
      EXPECT_THAT(resolved->warnings, IsEmpty());
    }
    expect_round_trip(resolved->scenario);
  }
}

}  // namespace heddle::writer_test
