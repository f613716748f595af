// Tests jobs whose tasks read, hand over and write data, with real processes and bytes.

#include <algorithm>
#include <csignal>
#include <fstream>

#include "tests/support/matchers.h"
#include "tests/system/real_run.h"

namespace heddle::data_test {

using nlohmann::json;

constexpr std::int64_t kMiB = 1 << 20;

class Data : public RealRun {
 protected:
  /// Returns the containers that were launched for the phase.
  std::vector<std::int64_t> containers(int phase) const {
    std::vector<std::int64_t> ids;
    for (const json& launch : lines("launch"))
      if (launch["phase"] == phase) ids.push_back(launch["container"]);
    return ids;
  }
  /// Returns the container_ended lines of the phase's completed attempts.
  std::vector<json> completed(int phase) const {
    const std::vector<std::int64_t> ids = containers(phase);
    std::vector<json> ends = lines("container_ended");
    std::erase_if(ends, [&](const json& end) {
      return end["outcome"] != "completed" ||
             std::find(ids.begin(), ids.end(), end["container"]) == ids.end();
    });
    return ends;
  }
};

std::int64_t read_of(const json& end) {
  return end.value("read_local", std::int64_t{0}) + end.value("read_remote", std::int64_t{0});
}

// Six maps hand over 1.5 GiB, which takes the network about 16 s, or 3.2 s real.
const ScenarioText kShuffle = {
    .emulation = "time_scale: 0.2, core_fraction: 0.1, memory_scale: 1/64",
    .cluster = "nodes: [{name: n, count: 3, cores: 4, memory: 8GiB, network: 250Mbit/s}]",
    .jobs = maps(6, "cpu: 1s, input: 64MiB, shuffle: 256MiB", "    application_master: none\n") +
            "      - {name: reduce, kind: reduce, after: [map], tasks: 3, request: {cores: 1, "
            "memory: 1GiB}, cpu: 1s, output: 16MiB}\n"};

TEST_F(Data, MapsWhoseOutputsAreLostRunAgain) {
  auto run = start(kShuffle);
  ASSERT_TRUE(eventually([&] { return completed(0).size() == 6; })) << run->errors();
  ASSERT_EQ(workers_of(*run).size(), 3U);
  ::kill(workers_of(*run)[0], SIGKILL);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  EXPECT_GT(completed(0).size(), 6U);  // maps that had completed ran again
  // Every reduce must have read each partition's bytes exactly once.
  std::int64_t bytes = 0;
  for (const json& end : completed(1)) bytes += read_of(end);
  EXPECT_EQ(completed(1).size(), 3U);
  EXPECT_EQ(bytes, 6 * 256 * kMiB);
  expect_nothing_left();
}

// How much later work and transfers end depends on who shares this machine, so the upper bounds
// only exclude nonsense.
TEST_F(Data, WorkAndTransfersAreComparedWithTheirIdealTimes) {
  run(kShuffle);
  for (const json& end : lines("container_ended")) {
    ASSERT_EQ(end["work_times"].size(), 1U) << end;
    EXPECT_EQ(end["work_times"][0][0], 1);
    EXPECT_GT(end["work_times"][0][1], 0.99);
    std::int64_t bytes = 0;
    for (const json& transfer : end["transfers"]) bytes += transfer[1].get<std::int64_t>();
    EXPECT_EQ(bytes, read_of(end) + end["written"].get<std::int64_t>());
  }
  const json fidelity = summary()["fidelity"];
  EXPECT_TRUE(fidelity["median_error"].is_null()) << "no task has only work";
  const json& work = fidelity["work"];
  EXPECT_EQ(work["parts"], 6 + 3);
  EXPECT_LT(work["median_error"], 5);
  const json& transfers = fidelity["transfers"];
  // Six blocks, six map outputs, three parts of each map output, and three outputs.
  EXPECT_EQ(transfers["transfers"], 6 + 6 + 6 * 3 + 3);
  EXPECT_GT(transfers["median_error"], 0);
  EXPECT_LT(transfers["median_error"], 5);
  EXPECT_GE(transfers["p99_error"], transfers["median_error"]);
}

TEST_F(Data, EarlyReduceHoldsItsMemoryAndBurnsNothingUntilTheLastMap) {
  run({.emulation = "time_scale: 0.1, core_fraction: 0.1, memory_scale: 1/16",
       .cluster = "nodes: [{name: n, cores: 3, memory: 8GiB}]",
       .more = "policy: {preset: fifo, reduce_early_start: 0.05}\n",
       .jobs = maps(8, "cpu: 8s, shuffle: 8MiB", "    application_master: none\n") +
               "      - {name: reduce, kind: reduce, after: [map], tasks: 1, request: {cores: 1, "
               "memory: 1GiB}, cpu: 2s, memory: 512MiB}\n"});
  const std::int64_t reduce = containers(1).at(0);
  double started = -1, read = -1;
  for (const json& line : lines("container_started"))
    if (line["container"] == reduce) started = line["t"];
  for (const json& line : lines("inputs_read"))
    if (line["container"] == reduce) read = line["t"];
  double last_map = 0;
  for (const json& end : completed(0)) last_map = std::max(last_map, end["t"].get<double>());
  ASSERT_GE(started, 0);
  EXPECT_GT(last_map - started, 5);
  EXPECT_GE(read, last_map);
  // Samples of the waiting reduce's group, as the kernel charged it: [container, CPU s, bytes,
  // progress]. The reduce fills its memory first, which takes as long as the machine needs.
  const auto full = [](const json& use) {
    return std::abs(use[2].get<double>() - 512 * kMiB) <= 64 * kMiB;
  };
  std::ifstream samples(out() + "/samples.jsonl");
  std::vector<double> cpu;
  for (std::string line; std::getline(samples, line);) {
    const json sample = json::parse(line);
    if (sample["t"] < started || sample["t"] > last_map) continue;
    for (const json& use : sample["containers"]) {
      if (use[0] != reduce || (cpu.empty() && !full(use))) continue;
      cpu.push_back(use[1]);
      EXPECT_TRUE(full(use)) << use;
      EXPECT_EQ(use[3], 0);
    }
  }
  ASSERT_GE(cpu.size(), 5U);
  // The first two samples may come while the reduce still fills its last 64 MiB.
  EXPECT_LT(cpu.back() - cpu[2], 0.1);
}

TEST_F(Data, WorkloadsRunSideBySideAsPredicted) {
  run({.cluster = "nodes: [{name: n, count: 2, cores: 6, memory: 16GiB}]",
       .jobs =
           "  - {name: words, workload: wordcount, input: 1GiB, submit: 0s}\n"
           "  - {name: ranks, workload: pagerank, framework: spark, input: 512MiB, submit: 2s,\n"
           "     executors: {count: 2}}\n"});
  const json summary = RealRun::summary();
  for (const json& job : summary["jobs"]) EXPECT_EQ(job["state"], "completed") << job;
  EXPECT_GT(summary["locality"]["local"], 0);
  EXPECT_GT(summary["overhead"]["data_cpu_s"], 0);
  EXPECT_GT(summary["fidelity"]["work"]["parts"], lines("run_part").size() / 2);
  EXPECT_THAT(lines("run_part"), Not(IsEmpty()));
  const Ended verify = call({"verify", out(), "--json"}, scratch_);
  EXPECT_EQ(verify.status, 0) << verify.errors;
  // No task ends sooner than it can. How much later one ends depends on who shares this machine.
  const double error = json::parse(verify.output)["makespan_s"]["error"];
  EXPECT_LT(error, 0.15);
  EXPECT_GT(error, -0.9);
}

}  // namespace heddle::data_test
