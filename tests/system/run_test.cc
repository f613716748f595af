// Tests whole runs that end by themselves: results, limits in force, out-of-memory kills.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "common/file.h"
#include "tests/system/leftovers.h"
#include "tests/system/process.h"

namespace heddle::run_test {

using ::testing::HasSubstr;
using Json = nlohmann::json;

/// Returns a scenario with one node of 4 cores and the given jobs.
std::string one_node(const std::string& jobs, const std::string& node = "") {
  return "heddle: 1\nname: test\n"
         "emulation: {time_scale: 0.1, core_fraction: 0.1, memory_scale: 1/64}\n"
         "cluster:\n  nodes:\n    - {name: n, cores: 4, memory: 8GiB" +
         node + "}\njobs:\n" + jobs;
}

struct Outcome {
  int status;
  Json summary;
  std::string output, errors;
};

Outcome run(const std::string& path, const Scratch& scratch, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"run", path, "--out", scratch / "out"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Process process(heddle(arguments), scratch);
  int status = process.wait();
  EXPECT_EQ(replay_trouble(scratch / "out"), "");
  return {status, read_json(scratch / "out/summary.json"), process.output(), process.errors()};
}

TEST(Run, QuickstartEndsWithResults) {
  Scratch scratch;
  Process process(heddle({"run", scenario("quickstart"), "--out", scratch / "out"}), scratch);
  ASSERT_EQ(process.wait(), 0) << process.errors();
  EXPECT_THAT(process.output(), HasSubstr("makespan"));
  EXPECT_THAT(process.output(), HasSubstr(scratch / "out"));
  Json summary = read_json(scratch / "out/summary.json");
  for (const Json& job : summary["jobs"]) EXPECT_EQ(job["state"], "completed") << job["name"];
  EXPECT_EQ(summary["mode"], "real");
  EXPECT_GT(summary["makespan_s"], 0);
  EXPECT_EQ(read_journal(scratch / "out").front()["type"], "run");
  EXPECT_TRUE(read_file(scratch / "out/scenario.yaml"));
  EXPECT_TRUE(read_file(scratch / "out/samples.jsonl"));
  EXPECT_THAT(left_of(run_id(scratch / "out")), ::testing::IsEmpty());
  EXPECT_EQ(replay_trouble(scratch / "out"), "");
}

TEST(Run, ForecastComesBeforeTheRunAndIsComparedWithIt) {
  Scratch scratch;
  const Outcome outcome = run(scenario("lone-task"), scratch, {"--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  // The task has 20 core-seconds.
  EXPECT_THAT(outcome.errors, HasSubstr("heddle: forecast: makespan 20."));
  EXPECT_THAT(outcome.errors, HasSubstr("heddle: forecast: tasks use up to 0.10 of "));
  EXPECT_LT(outcome.errors.find("forecast: makespan"), outcome.errors.find("jobs 0 of 1 done"));
  EXPECT_THAT(outcome.errors, HasSubstr("heddle: forecast 20."));
  EXPECT_THAT(outcome.errors, HasSubstr("; real time: forecast "));
  EXPECT_FALSE(Json::parse(outcome.output, nullptr, false).is_discarded());
}

TEST(Run, NoForecastIfTheUserWantsNone) {
  for (const char* option : {"--no-forecast", "--quiet"}) {
    Scratch scratch;
    const Outcome outcome = run(scenario("lone-task"), scratch, {option});
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_THAT(outcome.errors, ::testing::Not(HasSubstr("forecast")));
  }
}

TEST(Run, SyncedJournalIsAsAnyOther) {
  Scratch scratch;
  const Outcome outcome = run(scenario("lone-task"), scratch, {"--durability", "fsync"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  Process wrong(heddle({"run", scenario("lone-task"), "--durability", "perhaps"}), scratch);
  EXPECT_EQ(wrong.wait(), 2);
}

// The resolved scenario can be run again, with the same draws.
TEST(Run, ResolvedScenarioRunsAgain) {
  Scratch scratch;
  std::string first = scratch.file(
      "s.yaml",
      one_node("  - name: j\n    phases:\n      - {name: map, kind: map, tasks: 2, "
               "request: {cores: 1, memory: 1GiB}, cpu: {dist: lognormal, mean: 2s, cv: 0.5}}\n"));
  ASSERT_EQ(run(first, scratch).status, 0);
  Process again(heddle({"run", scratch / "out/scenario.yaml", "--out", scratch / "again"}),
                scratch);
  ASSERT_EQ(again.wait(), 0) << again.errors();
  EXPECT_EQ(replay_trouble(scratch / "again"), "");
  std::vector<std::string> works[2];
  for (int i = 0; i < 2; ++i)
    for (const Json& line : read_journal(scratch / (i ? "again" : "out")))
      if (line["type"] == "launch") works[i].push_back(line["work"].dump());
  EXPECT_EQ(works[0].size(), 2U);
  EXPECT_EQ(works[0], works[1]);
}

TEST(Run, LoneTaskTakesItsIdealTime) {
  Scratch scratch;
  Outcome outcome = run(scenario("lone-task"), scratch);
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const Json& job = outcome.summary["jobs"][0];
  // The task has 20 core-seconds on one core. The bound is generous, as CI machines are shared.
  EXPECT_NEAR(job["finish_s"].get<double>() - job["start_s"].get<double>(), 20, 1.0);
}

TEST(Run, KernelShowsLimitsAndEveryTaskInItsOwnGroup) {
  Scratch scratch;
  std::string path = scratch.file(
      "s.yaml", one_node("  - name: j\n    phases:\n      - {name: map, kind: map, tasks: 3, "
                         "request: {cores: 1, memory: 1GiB}, cpu: 20s}\n"));
  Process process(heddle({"run", path, "--out", scratch / "out"}), scratch);
  ASSERT_TRUE(eventually([&] { return descendants(process.pid(), "heddle-task").size() == 3; }))
      << process.errors();
  std::set<std::string> groups;
  for (pid_t pid : descendants(process.pid(), "heddle-task")) {
    std::string cpu = group_of_pid(pid, "cpu"), memory = group_of_pid(pid, "memory");
    EXPECT_THAT(cpu, HasSubstr("heddle-" + run_id(scratch / "out")));
    groups.insert(cpu);
    // 1 GiB / 64, and 1 MiB of overhead.
    auto limit = read_file(memory + "/memory.limit_in_bytes");
    if (!limit) limit = read_file(memory + "/memory.max");
    ASSERT_TRUE(limit);
    EXPECT_EQ(*limit, std::to_string(17 << 20) + "\n");
    // The quota is 1.2 x 0.1 CPU, rounded down.
    auto quota = read_file(cpu + "/cpu.cfs_quota_us");
    double share = 0;
    if (quota) {
      share = std::stod(*quota) / std::stod(*read_file(cpu + "/cpu.cfs_period_us"));
    } else {
      std::istringstream max(*read_file(cpu + "/cpu.max"));
      double most = 0, period = 0;
      max >> most >> period;
      share = most / period;
    }
    EXPECT_NEAR(share, 0.12, 0.002);
  }
  EXPECT_EQ(groups.size(), 3U);
  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(replay_trouble(scratch / "out"), "");
}

TEST(Run, TaskOverItsOwnRequestIsOomKilledRetriedAndCounted) {
  Scratch scratch;
  Outcome outcome = run(scenario("faults/container-overrun"), scratch);
  EXPECT_EQ(outcome.status, 1) << outcome.errors;
  const Json& job = outcome.summary["jobs"][0];
  EXPECT_GE(outcome.summary["oom_kills"]["container"], 2);
  EXPECT_EQ(outcome.summary["oom_kills"]["node"], 0);
  EXPECT_GE(job["attempts"], 2);
  EXPECT_EQ(job["state"], "failed");
  EXPECT_GT(outcome.summary["crash_fraction"], 0);
}

TEST(Run, NodeOverItsCapacityIsASaturationKill) {
  Scratch scratch;
  Outcome outcome = run(scenario("faults/memory-saturation"), scratch);
  EXPECT_TRUE(outcome.status == 0 || outcome.status == 1) << outcome.errors;
  EXPECT_GE(outcome.summary["oom_kills"]["node"], 1);
  EXPECT_EQ(outcome.summary["oom_kills"]["container"], 0);
}

TEST(Run, TwoRunsSideBySideDoNotMeet) {
  Scratch scratch;
  std::string path = scratch.file(
      "s.yaml", one_node("  - name: j\n    phases:\n      - {name: map, kind: map, tasks: 2, "
                         "request: {cores: 1, memory: 1GiB}, cpu: 5s}\n"));
  Process one(heddle({"run", path, "--out", scratch / "one"}), scratch);
  Process two(heddle({"run", path, "--out", scratch / "two"}), scratch);
  EXPECT_EQ(one.wait(), 0) << one.errors();
  EXPECT_EQ(two.wait(), 0) << two.errors();
  EXPECT_NE(run_id(scratch / "one"), run_id(scratch / "two"));
  for (const char* name : {"one", "two"}) {
    Json summary = read_json(scratch / (std::string(name) + "/summary.json"));
    EXPECT_EQ(summary["jobs"][0]["state"], "completed");
    EXPECT_EQ(summary["attempts_total"], 2);
    EXPECT_EQ(replay_trouble(scratch / name), "");
  }
}

// A task that fails by itself (here: killed from outside) is distinguished from Heddle's own kills
// and retried.
TEST(Run, TaskKilledFromOutsideIsRetried) {
  Scratch scratch;
  std::string path = scratch.file(
      "s.yaml", one_node("  - name: j\n    phases:\n      - {name: map, kind: map, tasks: 1, "
                         "request: {cores: 1, memory: 1GiB}, cpu: 10s}\n"));
  Process process(heddle({"run", path, "--out", scratch / "out"}), scratch);
  ASSERT_TRUE(eventually([&] { return !descendants(process.pid(), "heddle-task").empty(); }));
  ::kill(descendants(process.pid(), "heddle-task")[0], SIGSEGV);
  ASSERT_EQ(process.wait(), 0) << process.errors();
  std::vector<std::string> outcomes;
  for (const Json& line : read_journal(scratch / "out"))
    if (line["type"] == "container_ended") outcomes.push_back(line["outcome"]);
  EXPECT_EQ(outcomes, (std::vector<std::string>{"failed", "completed"}));
  EXPECT_EQ(replay_trouble(scratch / "out"), "");
}

}  // namespace heddle::run_test
