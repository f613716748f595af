// Tests kills at any time: each victim has its exact outcome, and nothing of the run is left once
// it has ended. If the run's first process is killed, only `heddle clean` can remove the rest, and
// it finds nothing else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "common/file.h"
#include "tests/system/leftovers.h"
#include "tests/system/process.h"

namespace heddle::kill_test {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two nodes and a job of 8 tasks of 10 emulated seconds: about 3 s real.
constexpr char kScenario[] =
    "heddle: 1\nname: victim\n"
    "emulation: {time_scale: 0.1, core_fraction: 0.1, memory_scale: 1/64}\n"
    "cluster:\n  nodes:\n    - {name: n, count: 2, cores: 2, memory: 4GiB}\n"
    "jobs:\n  - name: j\n    max_attempts: 100\n    phases:\n"
    "      - {name: map, kind: map, tasks: 8, request: {cores: 1, memory: 1GiB}, cpu: 10s}\n";

class Kill : public ::testing::Test {
 protected:
  Kill() : path_(scratch_.file("s.yaml", kScenario)) {}

  /// Starts a run and waits until both nodes are full.
  std::unique_ptr<Process> start() {
    auto process =
        std::make_unique<Process>(heddle({"run", path_, "--out", scratch_ / "out"}), scratch_);
    EXPECT_TRUE(eventually([&] { return descendants(process->pid(), "heddle-task").size() >= 4; }))
        << process->errors();
    return process;
  }

  /// Returns all processes of the run that are alive.
  static std::vector<pid_t> all_of(pid_t cli) {
    std::vector<pid_t> pids;
    for (const char* name : {"heddle-master", "heddle-worker", "heddle-task"})
      for (pid_t pid : descendants(cli, name)) pids.push_back(pid);
    return pids;
  }

  /// Returns all processes of the run, and checks that they are there.
  static std::vector<pid_t> pids_of(const Process& run) {
    const std::vector<pid_t> pids = all_of(run.pid());
    EXPECT_GE(pids.size(), 7U) << "a master, two workers, four tasks";
    return pids;
  }

  void expect_nothing_left(const std::vector<pid_t>& pids) {
    expect_gone(pids);
    EXPECT_THAT(left_of(run_id(scratch_ / "out")), IsEmpty());
    for (const auto& line : read_journal(scratch_ / "out")) EXPECT_TRUE(line.contains("type"));
    EXPECT_EQ(replay_trouble(scratch_ / "out"), "");
  }

  /// Checks a run whose first process was killed. Before `heddle clean`, its run groups may be
  /// left, and its run directory, which names its groups. Afterwards nothing is left.
  void expect_cleaned(const std::string& run, const std::vector<pid_t>& pids) {
    expect_gone(pids);
    const Leftovers left = leftovers_of(run);
    EXPECT_THAT(left.processes, IsEmpty());
    EXPECT_THAT(left.groups, Each(EndsWith("/heddle-" + run)));
    EXPECT_THAT(left.files, Contains(EndsWith("/" + run)))
        << "its directory, which names its groups";
    EXPECT_EQ(clean(), 0);
    EXPECT_THAT(left_of(run), IsEmpty());
  }

  static void expect_gone(const std::vector<pid_t>& pids) {
    EXPECT_TRUE(eventually([&] { return std::none_of(pids.begin(), pids.end(), alive); }, 5s));
  }

  int clean() { return Process(heddle({"clean"}), scratch_).wait(); }

  Scratch scratch_;
  std::string path_;
};

TEST_F(Kill, Worker) {
  auto run = start();
  auto pids = pids_of(*run);
  ::kill(descendants(run->pid(), "heddle-worker")[0], SIGKILL);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  expect_nothing_left(pids);
  auto summary = read_json(scratch_ / "out/summary.json");
  EXPECT_EQ(summary["jobs"][0]["state"], "completed");
  EXPECT_GE(summary["lost"], 1);
}

TEST_F(Kill, EveryWorker) {
  auto run = start();
  auto pids = pids_of(*run);
  for (pid_t pid : descendants(run->pid(), "heddle-worker")) ::kill(pid, SIGKILL);
  EXPECT_EQ(run->wait(), 4) << run->errors();
  expect_nothing_left(pids);
}

TEST_F(Kill, FrozenWorkerIsLostAndGone) {
  auto run = start();
  auto pids = pids_of(*run);
  ::kill(descendants(run->pid(), "heddle-worker")[0], SIGSTOP);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  expect_nothing_left(pids);
}

TEST_F(Kill, Master) {
  auto run = start();
  auto pids = pids_of(*run);
  ::kill(descendants(run->pid(), "heddle-master")[0], SIGKILL);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  expect_nothing_left(pids);
  EXPECT_EQ(read_json(scratch_ / "out/summary.json")["jobs"][0]["state"], "completed");
}

TEST_F(Kill, Task) {
  auto run = start();
  auto pids = pids_of(*run);
  for (pid_t pid : descendants(run->pid(), "heddle-task")) ::kill(pid, SIGKILL);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  expect_nothing_left(pids);
  EXPECT_GT(read_json(scratch_ / "out/summary.json")["attempts_total"], 8);
}

TEST_F(Kill, Cli) {
  auto run = start();
  auto pids = pids_of(*run);
  run->signal(SIGKILL);
  EXPECT_EQ(run->wait(), 128 + SIGKILL);
  expect_cleaned(run_id(scratch_ / "out"), pids);
  expect_nothing_left(pids);
}

TEST_F(Kill, CliWithAFrozenWorker) {
  auto run = start();
  auto pids = pids_of(*run);
  ::kill(descendants(run->pid(), "heddle-worker")[0], SIGSTOP);
  run->signal(SIGKILL);
  EXPECT_EQ(run->wait(), 128 + SIGKILL);
  expect_cleaned(run_id(scratch_ / "out"), pids);
  expect_nothing_left(pids);
}

TEST_F(Kill, InterruptIsCleanAndQuick) {
  for (int signal : {SIGINT, SIGTERM}) {
    auto run = start();
    auto pids = pids_of(*run);
    auto begin = std::chrono::steady_clock::now();
    run->signal(signal);
    EXPECT_EQ(run->wait(), 130) << run->errors();
    // A run should end within 2 s; a busy CI machine gets more.
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
    expect_nothing_left(pids);
    EXPECT_EQ(read_journal(scratch_ / "out").back()["type"], "host");
    EXPECT_TRUE(read_json(scratch_ / "out/summary.json").contains("jobs"));
    std::filesystem::remove_all(scratch_ / "out");
  }
}

TEST_F(Kill, InterruptWithEverythingFrozen) {
  auto run = start();
  auto pids = pids_of(*run);
  for (pid_t pid : pids) ::kill(pid, SIGSTOP);
  run->signal(SIGINT);
  EXPECT_EQ(run->wait(30s), 130) << run->errors();
  expect_nothing_left(pids);
}

TEST_F(Kill, InterruptBeforeAnythingRuns) {
  for (auto delay : {0ms, 20ms, 60ms, 150ms}) {
    Scratch scratch;
    std::string path = scratch.file("s.yaml", kScenario);
    Process run(heddle({"run", path, "--out", scratch / "out"}), scratch);
    sleep_for(delay);
    run.signal(SIGINT);
    EXPECT_EQ(run.wait(30s), 130) << run.errors();
    std::string id = run_id(scratch / "out");
    if (!id.empty()) {
      EXPECT_THAT(left_of(id), IsEmpty());
      EXPECT_EQ(replay_trouble(scratch / "out"), "");
    }
  }
}

TEST_F(Kill, CleanLeavesALiveRunAlone) {
  auto run = start();
  EXPECT_EQ(clean(), 0);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  EXPECT_EQ(replay_trouble(scratch_ / "out"), "");
  EXPECT_EQ(read_json(scratch_ / "out/summary.json")["attempts_total"], 8);
}

/// A process that is killed at a random time.
struct Victim {
  pid_t pid = 0;
  std::string program;
  std::string node;  ///< of the worker, if it is one
};

std::string node_of_worker(pid_t pid) {
  const Result<std::string> line = read_file("/proc/" + std::to_string(pid) + "/cmdline");
  const std::string option("--node\0", 7);
  const std::size_t at = line ? line->find(option) : std::string::npos;
  return at == std::string::npos ? "" : std::string(line->c_str() + at + option.size());
}

std::vector<Victim> victims(pid_t cli) {
  std::vector<Victim> all = {{cli, "heddle", ""}};
  for (const char* program : {"heddle-master", "heddle-worker", "heddle-task"})
    for (pid_t pid : descendants(cli, program)) all.push_back({pid, program, node_of_worker(pid)});
  return all;
}

/// Returns whether the journal has the node's registration.
bool registered(const std::string& out, const std::string& node) {
  std::map<std::string, std::int64_t> ids;
  for (const auto& line : read_journal(out)) {
    if (line["type"] == "run")
      for (const auto& one : line["nodes"]) ids[one["name"]] = one["id"];
    if (line["type"] == "node_registered" && ids.contains(node) && line["node"] == ids[node])
      return true;
  }
  return false;
}

/// Returns the only status with which a run may end after this process was killed.
int expected_status(const Victim& victim, bool killed, const std::string& out) {
  if (killed && victim.program == "heddle") return 128 + SIGKILL;
  // A run needs all of its nodes to begin, and continues without some of them later.
  if (killed && victim.program == "heddle-worker" && !registered(out, victim.node)) return 4;
  return 0;
}

// Checks that no line is lost: steps are gapless, and every container that ended was launched.
void expect_whole_journal(const std::string& out) {
  std::int64_t step = 0;
  std::set<std::int64_t> launched;
  for (const auto& line : read_journal(out)) {
    if (line.contains("step")) {
      EXPECT_LE(line["step"].get<std::int64_t>() - step, 1);
      step = line["step"];
    }
    if (line["type"] == "launch") launched.insert(line["container"].get<std::int64_t>());
    if (line["type"] == "container_ended") {
      EXPECT_TRUE(launched.contains(line["container"].get<std::int64_t>()));
    }
  }
}

// Kills random victims at random times; HEDDLE_KILLS sets the number (8 here, 100 when run
// manually).
TEST_F(Kill, AnyProcessAtAnyMoment) {
  const char* wanted = std::getenv("HEDDLE_KILLS");
  int rounds = wanted ? std::atoi(wanted) : 8;
  for (int round = 0; round < rounds; ++round) {
    std::mt19937 random(round);
    Scratch scratch;
    std::string path = scratch.file("s.yaml", kScenario);
    const std::string out = scratch / "out";
    Process run(heddle({"run", path, "--out", out}), scratch);
    sleep_for(std::chrono::milliseconds(random() % 2500));
    const std::vector<pid_t> pids = all_of(run.pid());
    const std::vector<Victim> all = victims(run.pid());
    const Victim victim = all[random() % all.size()];
    const bool killed = kill_living(victim.pid);
    SCOPED_TRACE("round " + std::to_string(round) + ": " + victim.program + " " + victim.node +
                 (killed ? "" : ", which had ended"));
    const int status = run.wait(60s);
    EXPECT_EQ(status, expected_status(victim, killed, out)) << run.errors();
    const std::string id = run_id(out);
    if (status == 128 + SIGKILL && !id.empty()) expect_cleaned(id, pids);
    if (status == 128 + SIGKILL && id.empty()) {
      EXPECT_EQ(clean(), 0);
    }
    if (status == 4) {
      EXPECT_THAT(run.errors(), HasSubstr("ended before the run began"));
    }
    if (status == 0) {
      EXPECT_EQ(read_json(out + "/summary.json")["jobs"][0]["state"], "completed");
    }
    expect_gone(pids);
    if (id.empty()) continue;
    EXPECT_THAT(left_of(id), IsEmpty());
    EXPECT_EQ(replay_trouble(out), "");
    expect_whole_journal(out);
  }
}

}  // namespace heddle::kill_test
