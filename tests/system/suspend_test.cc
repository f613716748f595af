// Tests reduces that are suspended in real runs: what they hold and do while suspended, and faults
// that occur in the meantime.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "tests/system/leftovers.h"
#include "tests/system/process.h"

namespace heddle::suspend_test {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

// Maps take about 50 emulated seconds, 5 s real. However much Spark holds, starved reduces are
// suspended for nearly all of each control interval of 10 s (1 s real).
constexpr char kScenario[] =
    "heddle: 1\nname: suspending\n"
    "emulation: {time_scale: 0.1, core_fraction: 0.04, memory_scale: 1/64, suspend_with: WITH}\n"
    "cluster:\n  heartbeat: 1s\n  nodes:\n    - {name: n, count: 2, cores: 5, memory: 12GiB}\n"
    "policy: {scheduler: fifo, reduce_adjustment: suspend, control_interval: 10,\n"
    "         suspend_power: 0.01, suspend_threshold: 0.05, reduce_early_start: 0}\n"
    "jobs:\n"
    "  - {name: sp, framework: spark, executors: {count: 2, cores: 1, memory: 1GiB},\n"
    "     stages: [{tasks: 60, cpu: 2s}]}\n"
    "  - name: mr\n    max_attempts: 100\n    phases:\n"
    "      - {name: map, kind: map, tasks: 30, request: {cores: 1, memory: 1GiB}, cpu: 6s,\n"
    "         memory: 500MiB, shuffle: 8MiB}\n"
    "      - {name: reduce, kind: reduce, after: [map], tasks: 5,\n"
    "         request: {cores: 1, memory: 1GiB}, cpu: 3s, memory: 600MiB}\n";

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
  const std::string directory = "/proc/" + std::to_string(pid);
  const std::string stat = text_of(directory + "/stat");
  std::istringstream fields(stat.substr(stat.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  long user = 0, system = 0, size = 0;
  Use use;
  fields >> user >> system;
  use.ticks = user + system;
  std::istringstream(text_of(directory + "/statm")) >> size >> use.pages;
  return use;
}

class SuspendRun : public ::testing::TestWithParam<const char*> {
 protected:
  SuspendRun() {
    std::string text = kScenario;
    text.replace(text.find("WITH"), 4, GetParam());
    path_ = scratch_.file("s.yaml", text);
  }

  std::unique_ptr<Process> start() {
    return std::make_unique<Process>(heddle({"run", path_, "--out", out_}), scratch_);
  }
  /// Starts a run and waits until two reduces are suspended, which lasts for a while.
  std::unique_ptr<Process> start_and_suspend() {
    auto run = start();
    EXPECT_TRUE(eventually([&] { return suspended(out_).size() >= 2; })) << run->errors();
    return run;
  }
  static std::vector<pid_t> all_of(pid_t cli) {
    std::vector<pid_t> pids;
    for (const char* name : {"heddle-master", "heddle-worker", "heddle-task"})
      for (pid_t pid : descendants(cli, name)) pids.push_back(pid);
    return pids;
  }
  /// Returns the processes of the run's suspended tasks, by container.
  std::map<std::int64_t, pid_t> stopped_tasks(pid_t cli) {
    const std::set<std::int64_t> containers = suspended(out_);
    std::map<std::int64_t, pid_t> tasks;
    for (pid_t pid : descendants(cli, "heddle-task")) {
      const std::string line = text_of("/proc/" + std::to_string(pid) + "/cmdline");
      const std::size_t end = line.find('\0');
      const std::int64_t id = end == std::string::npos ? -1 : std::atoll(line.c_str() + end + 1);
      if (containers.contains(id)) tasks[id] = pid;
    }
    return tasks;
  }
  void expect_nothing_left(const std::vector<pid_t>& pids) {
    EXPECT_TRUE(eventually([&] { return std::none_of(pids.begin(), pids.end(), alive); }, 5s));
    EXPECT_THAT(left_of(run_id(out_)), IsEmpty());
    EXPECT_EQ(replay_trouble(out_), "");
  }

  Scratch scratch_;
  std::string path_;
  std::string out_ = scratch_ / "out";
};

// The test tests/core/suspension_test.cc checks which maps get the cores of suspended reduces. The
// number of those maps depends here on when the machine has the reduces suspended.
TEST_P(SuspendRun, MapsOfTheJobStartWhileTheyAreSuspended) {
  auto run = start();
  EXPECT_EQ(run->wait(), 0) << run->errors();
  expect_nothing_left({});
  EXPECT_THAT(suspended(out_), IsEmpty());
  int stops = 0, maps = 0;
  std::set<std::int64_t> suspended_now;
  for (const nlohmann::json& line : read_journal(out_)) {
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
  const nlohmann::json summary = read_json(out_ + "/summary.json");
  EXPECT_EQ(summary["suspensions"]["count"], stops);
  EXPECT_GT(summary["suspensions"]["total_s"], 0);
  EXPECT_GT(summary["suspensions"]["stop_latency_ms"]["p99"], 0);
  for (const nlohmann::json& job : summary["jobs"]) EXPECT_EQ(job["state"], "completed");
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
  EXPECT_EQ(run->wait(), 0) << run->errors();
  expect_nothing_left({});
}

TEST_P(SuspendRun, GoesWithItsWorkerAndRunsAgain) {
  auto run = start_and_suspend();
  const std::vector<pid_t> pids = all_of(run->pid());
  ::kill(descendants(run->pid(), "heddle-worker")[0], SIGKILL);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  expect_nothing_left(pids);
}

// The worker is silent for six heartbeats, fewer than fit into node_timeout.
TEST_P(SuspendRun, OutlivesLostHeartbeats) {
  auto run = start_and_suspend();
  const std::vector<pid_t> workers = descendants(run->pid(), "heddle-worker");
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
  EXPECT_EQ(run->wait(), 0) << run->errors();
  expect_nothing_left({});
  EXPECT_EQ(read_json(out_ + "/summary.json")["lost"], 0);
}

TEST_P(SuspendRun, GoesWithAFrozenWorkerAndRunsAgain) {
  auto run = start_and_suspend();
  const std::vector<pid_t> pids = all_of(run->pid());
  ::kill(descendants(run->pid(), "heddle-worker")[0], SIGSTOP);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  expect_nothing_left(pids);
  EXPECT_GT(read_json(out_ + "/summary.json")["lost"], 0);
}

TEST_P(SuspendRun, KilledWhileItIsStoppedItRunsAgain) {
  auto run = start_and_suspend();
  std::map<std::int64_t, pid_t> tasks;
  EXPECT_TRUE(eventually([&] {
    tasks = stopped_tasks(run->pid());
    return !tasks.empty();
  }));
  for (const auto& [container, pid] : tasks) ::kill(pid, SIGKILL);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  expect_nothing_left({});
  EXPECT_GT(read_json(out_ + "/summary.json")["attempts_total"], 37);
}

TEST_P(SuspendRun, InterruptedWhileTasksAreStoppedLeavesNothing) {
  auto run = start_and_suspend();
  const std::vector<pid_t> pids = all_of(run->pid());
  auto begin = std::chrono::steady_clock::now();
  run->signal(SIGINT);
  EXPECT_EQ(run->wait(), 130) << run->errors();
  // A run should end within 2 s; a busy CI machine gets more.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  expect_nothing_left(pids);
}

INSTANTIATE_TEST_SUITE_P(With, SuspendRun, ::testing::Values("signal", "freezer"));

}  // namespace heddle::suspend_test
