// Tests kills at any time: each victim has its exact outcome, and nothing of the run is left once
// it has ended. If the run's first process is killed, only `heddle clean` can remove the rest, and
// it finds nothing else.

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "tests/support/matchers.h"
#include "tests/system/real_run.h"

namespace heddle::kill_test {

using namespace std::chrono_literals;

const ScenarioText kScenario = {.jobs = maps(8, "cpu: 30s", "    max_attempts: 100\n")};

class Kill : public RealRun {
 protected:
  /// Starts a run, waits until both nodes are full, and notes all processes: a master, two workers,
  /// four tasks.
  void start_full() {
    run_ = start_tasks(4, kScenario);
    // On a busy machine, some of the four have ended since then, and others follow.
    EXPECT_TRUE(eventually([&] {
      pids_ = processes_of(*run_);
      return pids_.size() >= 7;
    }));
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

  std::unique_ptr<Process> run_;
  std::vector<pid_t> pids_;
};

/// A signal to one process or all processes of a program, and how the run ends.
struct SignalCase {
  std::string name, program;
  bool all;
  int signal, status;
  std::function<void(const nlohmann::json& summary)> check = [](const auto&) {};
};

class KillOf : public Kill, public testing::WithParamInterface<SignalCase> {};

TEST_P(KillOf, EndsTheRunInOrder) {
  start_full();
  for (pid_t pid : descendants(run_->pid(), GetParam().program)) {
    ::kill(pid, GetParam().signal);
    if (!GetParam().all) break;
  }
  EXPECT_EQ(run_->wait(), GetParam().status) << run_->errors();
  expect_nothing_left(pids_);
  GetParam().check(summary());
}

void expect_completed(const nlohmann::json& summary) {
  EXPECT_EQ(summary["jobs"][0]["state"], "completed");
}

INSTANTIATE_TEST_SUITE_P(
    , KillOf,
    testing::Values(SignalCase{"Worker", "heddle-worker", false, SIGKILL, 0,
                               [](const auto& summary) {
                                 expect_completed(summary);
                                 EXPECT_GE(summary["lost"], 1);
                               }},
                    SignalCase{"EveryWorker", "heddle-worker", true, SIGKILL, 4},
                    SignalCase{"FrozenWorker", "heddle-worker", false, SIGSTOP, 0},
                    SignalCase{"Master", "heddle-master", false, SIGKILL, 0, expect_completed},
                    SignalCase{
                        "Tasks", "heddle-task", true, SIGKILL, 0,
                        [](const auto& summary) { EXPECT_GT(summary["attempts_total"], 8); }}),
    [](const auto& test) { return test.param.name; });

TEST_F(Kill, Cli) {
  for (bool frozen : {false, true}) {
    start_full();
    if (frozen) ::kill(workers_of(*run_).at(0), SIGSTOP);
    run_->signal(SIGKILL);
    EXPECT_EQ(run_->wait(), 128 + SIGKILL);
    expect_cleaned(run_id(out()), pids_);
    expect_nothing_left(pids_);
    std::filesystem::remove_all(out());
  }
}

TEST_F(Kill, InterruptIsCleanAndQuick) {
  for (int signal : {SIGINT, SIGTERM}) {
    start_full();
    expect_quick_end(*run_, signal);
    expect_nothing_left(pids_);
    EXPECT_EQ(read_journal(out()).back()["type"], "host");
    EXPECT_TRUE(summary().contains("jobs"));
    std::filesystem::remove_all(out());
  }
}

TEST_F(Kill, InterruptWithEverythingFrozen) {
  start_full();
  for (pid_t pid : pids_) ::kill(pid, SIGSTOP);
  run_->signal(SIGINT);
  EXPECT_EQ(run_->wait(30s), 130) << run_->errors();
  expect_nothing_left(pids_);
}

TEST_F(Kill, InterruptBeforeAnythingRuns) {
  for (auto delay : {0ms, 20ms, 60ms, 150ms}) {
    auto run = start(kScenario);
    sleep_for(delay);
    run->signal(SIGINT);
    EXPECT_EQ(run->wait(30s), 130) << run->errors();
    if (!run_id(out()).empty()) expect_nothing_left();
    std::filesystem::remove_all(out());
  }
}

TEST_F(Kill, CleanLeavesALiveRunAlone) {
  start_full();
  EXPECT_EQ(clean(), 0);
  EXPECT_EQ(run_->wait(), 0) << run_->errors();
  EXPECT_EQ(replay_trouble(out()), "");
  EXPECT_EQ(summary()["attempts_total"], 8);
}

/// A process that is killed at a random time.
struct Victim {
  pid_t pid = 0;
  std::string program;
  std::string node;  ///< of the worker, if it is one
};

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

// Kills random victims at random times; HEDDLE_KILLS sets the number (4 here, 100 at night).
TEST_F(Kill, AnyProcessAtAnyMoment) {
  const char* wanted = std::getenv("HEDDLE_KILLS");
  const int rounds = wanted ? std::atoi(wanted) : 4;
  for (int round = 0; round < rounds; ++round) {
    std::mt19937 random(round);
    auto run = start(kScenario);
    sleep_for(std::chrono::milliseconds(random() % 2500));
    const std::vector<pid_t> pids = processes_of(*run);
    const std::vector<Victim> all = victims(run->pid());
    const Victim victim = all[random() % all.size()];
    const bool killed = kill_living(victim.pid);
    SCOPED_TRACE("round " + std::to_string(round) + ": " + victim.program + " " + victim.node +
                 (killed ? "" : ", which had ended"));
    const int status = run->wait(60s);
    EXPECT_EQ(status, expected_status(victim, killed, out())) << run->errors();
    const std::string id = run_id(out());
    if (status == 128 + SIGKILL && !id.empty()) expect_cleaned(id, pids);
    if (status == 128 + SIGKILL && id.empty()) {
      EXPECT_EQ(clean(), 0);
    }
    if (status == 4) {
      EXPECT_THAT(run->errors(), HasSubstr("ended before the run began"));
    }
    if (status == 0) expect_completed(summary());
    expect_gone(pids);
    if (!id.empty()) {
      expect_nothing_left();
      expect_whole_journal(out());
    }
    std::filesystem::remove_all(out());
  }
}

}  // namespace heddle::kill_test
