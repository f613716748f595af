// Tests reduces that are suspended in real runs: what they hold and do while suspended, and faults
// that occur in the meantime.

#include <algorithm>
#include <csignal>
#include <map>
#include <set>
#include <sstream>

#include "tests/support/matchers.h"
#include "tests/system/real_run.h"
#include "tests/system/timeline.h"

namespace heddle::suspend_test {

using namespace std::chrono_literals;

// Maps take about 50 emulated seconds, 5 s real. However much Spark holds, starved reduces are
// suspended for nearly all of each control interval of 10 s (1 s real).
ScenarioText suspending(const std::string& with) {
  return {.emulation =
              "time_scale: 0.1, core_fraction: 0.04, memory_scale: 1/64, suspend_with: " + with,
          .cluster = "heartbeat: 1s, nodes: [{name: n, count: 2, cores: 5, memory: 12GiB}]",
          .more =
              "policy: {scheduler: fifo, reduce_adjustment: suspend, control_interval: 10,\n"
              "         suspend_power: 0.01, suspend_threshold: 0.05, reduce_early_start: 0}\n",
          .jobs =
              "  - {name: sp, framework: spark, executors: {count: 2, cores: 1, memory: 1GiB},\n"
              "     stages: [{tasks: 60, cpu: 2s}]}\n"
              "  - name: mr\n    max_attempts: 100\n    phases:\n"
              "      - {name: map, kind: map, tasks: 30, request: {cores: 1, memory: 1GiB}, "
              "cpu: 6s,\n         memory: 500MiB, shuffle: 8MiB}\n"
              "      - {name: reduce, kind: reduce, after: [map], tasks: 5,\n"
              "         request: {cores: 1, memory: 1GiB}, cpu: 3s, memory: 600MiB}\n"};
}

/// Returns the containers that are suspended according to the journal.
std::set<std::int64_t> suspended(const std::string& out) {
  std::set<std::int64_t> containers;
  for (const nlohmann::json& line : read_journal(out)) {
    const std::string type = line.at("type");
    if (type == "container_suspended") containers.insert(line.at("container").get<std::int64_t>());
    if (type == "container_resumed" || type == "resume" || type == "container_ended")
      containers.erase(line.at("container").get<std::int64_t>());
  }
  return containers;
}

/// CPU time in clock ticks, and resident pages.
struct Use {
  long ticks = 0, pages = 0;
};
Use use_of(pid_t pid) {
  Use use{cpu_ticks(pid)};
  long size = 0;
  std::istringstream(text_of("/proc/" + std::to_string(pid) + "/statm")) >> size >> use.pages;
  return use;
}

class SuspendRun : public RealRun, public ::testing::WithParamInterface<const char*> {
 protected:
  /// Starts a run and waits until a reduce is suspended, which lasts for a while.
  std::unique_ptr<Process> start_and_suspend() {
    auto run = start(suspending(GetParam()));
    EXPECT_TRUE(eventually([&] { return !suspended(out()).empty(); })) << run->errors();
    return run;
  }
  /// Returns the processes of the run's suspended tasks, by container.
  std::map<std::int64_t, pid_t> stopped_tasks(pid_t cli) {
    const std::set<std::int64_t> containers = suspended(out());
    std::map<std::int64_t, pid_t> tasks;
    for (pid_t pid : descendants(cli, "heddle-task")) {
      const std::string line = text_of("/proc/" + std::to_string(pid) + "/cmdline");
      const std::size_t end = line.find('\0');
      const std::int64_t id = end == std::string::npos ? -1 : std::atoll(line.c_str() + end + 1);
      if (containers.contains(id)) tasks[id] = pid;
    }
    return tasks;
  }
  void expect_completes(Process& run, const std::vector<pid_t>& pids = {}) {
    EXPECT_EQ(run.wait(), 0) << run.errors();
    expect_nothing_left(pids);
  }
};

// The test tests/core/suspension_test.cc checks which maps get the cores of suspended reduces. The
// number of those maps depends here on when the machine has the reduces suspended.
TEST_P(SuspendRun, MapsOfTheJobStartWhileTheyAreSuspended) {
  run(suspending(GetParam()));
  EXPECT_THAT(suspended(out()), IsEmpty());
  int stops = 0, maps = 0;
  std::set<std::int64_t> suspended_now;
  for (const nlohmann::json& line : read_journal(out())) {
    const std::string type = line.at("type");
    if (type == "container_suspended") {
      EXPECT_GT(line.at("stop_ms").get<double>(), 0);
      ++stops;
      suspended_now.insert(line.at("container").get<std::int64_t>());
    }
    if (type == "container_resumed" || type == "container_ended")
      suspended_now.erase(line.at("container").get<std::int64_t>());
    maps +=
        type == "launch" && line.at("job") == 1 && line.at("phase") == 0 && !suspended_now.empty();
  }
  EXPECT_GT(stops, 0);
  EXPECT_GT(maps, 0);
  const Json summary = RealRun::summary();
  EXPECT_EQ(summary["suspensions"]["count"], stops);
  EXPECT_GT(summary["suspensions"]["total_s"], 0);
  EXPECT_GT(summary["suspensions"]["stop_latency_ms"]["p99"], 0);
  for (const Json& job : summary["jobs"]) EXPECT_EQ(job["state"], "completed");
  const Json file = timeline_of(out());
  EXPECT_GT(slices(file, "suspended"), 0);
  EXPECT_GT(slices(file, "reading inputs"), 0);
}

TEST_P(SuspendRun, UsesNoCpuAndKeepsItsMemory) {
  auto run = start_and_suspend();
  int seen = 0;
  EXPECT_TRUE(eventually([&] {
    std::map<pid_t, Use> before;
    for (const auto& [container, pid] : stopped_tasks(run->pid())) before[pid] = use_of(pid);
    sleep_for(200ms);
    for (const auto& [container, pid] : stopped_tasks(run->pid())) {
      auto it = before.find(pid);
      if (it == before.end()) continue;
      const Use after = use_of(pid);
      EXPECT_EQ(after.ticks, it->second.ticks);
      EXPECT_GE(after.pages, it->second.pages);
      ++seen;
    }
    return seen > 0 || !run->running();
  }));
  EXPECT_GT(seen, 0);
  expect_completes(*run);
}

TEST_P(SuspendRun, GoesWithItsWorkerAndRunsAgain) {
  auto run = start_and_suspend();
  const std::vector<pid_t> pids = processes_of(*run);
  ::kill(workers_of(*run).at(0), SIGKILL);
  expect_completes(*run, pids);
}

// The worker is silent for six heartbeats, fewer than fit into node_timeout.
TEST_P(SuspendRun, OutlivesLostHeartbeats) {
  auto run = start_and_suspend();
  const std::vector<pid_t> workers = workers_of(*run);
  pid_t worker = 0;
  std::map<pid_t, Use> before;
  // Tasks need not be suspended on every node.
  EXPECT_TRUE(eventually([&] {
    for (std::size_t i = 0; i < workers.size() && before.empty(); ++i) {
      worker = workers[i];
      ::kill(worker, SIGSTOP);
      const std::vector<pid_t> its = descendants(worker, "heddle-task");
      for (const auto& [container, pid] : stopped_tasks(run->pid()))
        if (std::binary_search(its.begin(), its.end(), pid)) before[pid] = use_of(pid);
      if (before.empty()) ::kill(worker, SIGCONT);
    }
    return !before.empty() || !run->running();
  }));
  sleep_for(600ms);
  for (const auto& [pid, use] : before) {
    EXPECT_TRUE(alive(pid));
    EXPECT_EQ(use_of(pid).ticks, use.ticks);
  }
  ::kill(worker, SIGCONT);
  EXPECT_FALSE(before.empty());
  expect_completes(*run);
  EXPECT_EQ(summary()["lost"], 0);
}

TEST_P(SuspendRun, GoesWithAFrozenWorkerAndRunsAgain) {
  auto run = start_and_suspend();
  const std::vector<pid_t> pids = processes_of(*run);
  ::kill(workers_of(*run).at(0), SIGSTOP);
  expect_completes(*run, pids);
  EXPECT_GT(summary()["lost"], 0);
}

TEST_P(SuspendRun, KilledWhileItIsStoppedItRunsAgain) {
  auto run = start_and_suspend();
  std::map<std::int64_t, pid_t> tasks;
  EXPECT_TRUE(eventually([&] {
    tasks = stopped_tasks(run->pid());
    return !tasks.empty();
  }));
  for (const auto& [container, pid] : tasks) ::kill(pid, SIGKILL);
  expect_completes(*run);
  EXPECT_GT(summary()["attempts_total"], 37);
}

TEST_P(SuspendRun, InterruptedWhileTasksAreStoppedLeavesNothing) {
  auto run = start_and_suspend();
  const std::vector<pid_t> pids = processes_of(*run);
  expect_quick_end(*run, SIGINT);
  expect_nothing_left(pids);
}

INSTANTIATE_TEST_SUITE_P(With, SuspendRun, ::testing::Values("signal", "freezer"));

}  // namespace heddle::suspend_test
