// Tests machines that fail during a run: workers that cannot start tasks, a master that hangs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "common/file.h"
#include "tests/system/process.h"

namespace heddle::machine_test {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Returns a scenario with two nodes of two cores and a job of 8 tasks of 10 emulated seconds,
/// about 3 s real. The job fails if one of its tasks fails.
std::string scenario_text(const std::string& job = "") {
  return "heddle: 1\nname: machine\n"
         "emulation: {time_scale: 0.1, core_fraction: 0.1, memory_scale: 1/64}\n"
         "cluster:\n  nodes:\n    - {name: n, count: 2, cores: 2, memory: 4GiB}\n"
         "jobs:\n  - name: j\n    max_attempts: 1\n" +
         job +
         "    phases:\n"
         "      - {name: map, kind: map, tasks: 8, request: {cores: 1, memory: 1GiB}, cpu: 10s}\n";
}

class Machine : public ::testing::Test {
 protected:
  std::unique_ptr<Process> start(const std::string& job = "") {
    const std::string path = scratch_.file("s.yaml", scenario_text(job));
    return std::make_unique<Process>(heddle({"run", path, "--out", out(), "--derived=later"}),
                                     scratch_);
  }
  std::string out() const { return scratch_ / "out"; }
  int count(const std::string& type) const {
    int count = 0;
    for (const auto& line : read_journal(out())) count += line["type"] == type;
    return count;
  }
  bool eventually_has(const std::string& type, int times = 1) const {
    return eventually([&] { return count(type) >= times; });
  }
  bool has_joined(const std::string& node) const {
    const Result<std::string> log = read_file(out() + "/logs/worker-" + node + ".log");
    return log && log->find("joined run") != std::string::npos;
  }
  /// Keeps the worker from opening any more files.
  static void take_descriptors(pid_t worker) {
    const rlimit few{8, 8};
    EXPECT_EQ(::prlimit(worker, RLIMIT_NOFILE, &few, nullptr), 0);
  }
  static std::vector<pid_t> workers_of(const Process& run) {
    return descendants(run.pid(), "heddle-worker");
  }
  void expect_nothing_left() {
    EXPECT_THAT(groups_of(run_id(out())), IsEmpty());
    EXPECT_EQ(replay_trouble(out()), "");
  }
  static int times(const std::string& text, const std::string& what) {
    int count = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++count;
    return count;
  }

  Scratch scratch_;
};

TEST_F(Machine, AWorkerThatCanStartNothingCostsNoAttempt) {
  auto run = start();
  ASSERT_TRUE(eventually_has("container_started", 4)) << run->errors();
  take_descriptors(workers_of(*run).at(0));
  EXPECT_EQ(run->wait(), 0) << run->errors();
  const nlohmann::json summary = read_json(out() + "/summary.json");
  EXPECT_EQ(summary["jobs"][0]["state"], "completed");
  EXPECT_EQ(summary["attempts_total"], 8);
  EXPECT_GE(summary["not_started"], 3);
  EXPECT_EQ(count("node_drained"), 1);
  expect_nothing_left();
}

TEST_F(Machine, IfNoWorkerCanTheRunEndsWithTheReason) {
  auto run = start();
  ASSERT_TRUE(eventually_has("container_started", 4)) << run->errors();
  for (pid_t worker : workers_of(*run)) take_descriptors(worker);
  EXPECT_EQ(run->wait(60s), 4) << run->errors();
  EXPECT_EQ(times(run->errors(), "no node takes tasks any more"), 1) << run->errors();
  EXPECT_THAT(run->errors(), HasSubstr("Too many open files"));
  EXPECT_EQ(read_json(out() + "/summary.json")["jobs"][0]["state"], "running");
  expect_nothing_left();
}

TEST_F(Machine, IfNoTaskEverStartedTheStatusIsTheMachines) {
  auto run = start("    submit: 30s\n");
  // The workers still open files after the master has registered them.
  ASSERT_TRUE(eventually([&] { return has_joined("n1") && has_joined("n2"); })) << run->errors();
  for (pid_t worker : workers_of(*run)) take_descriptors(worker);
  EXPECT_EQ(run->wait(60s), 3) << run->errors();
  EXPECT_THAT(run->errors(), HasSubstr("Too many open files"));
  EXPECT_EQ(count("container_started"), 0);
  expect_nothing_left();
}

TEST_F(Machine, AMasterThatHangsIsKilledAndGoesOn) {
  auto run = start();
  ASSERT_TRUE(eventually_has("container_started", 4)) << run->errors();
  const std::vector<pid_t> masters = descendants(run->pid(), "heddle-master");
  ASSERT_EQ(masters.size(), 1U);
  ::kill(masters[0], SIGSTOP);
  EXPECT_EQ(run->wait(100s), 0) << run->errors();
  EXPECT_EQ(times(run->errors(), "the master hangs"), 1) << run->errors();
  EXPECT_FALSE(alive(masters[0]));
  const nlohmann::json summary = read_json(out() + "/summary.json");
  EXPECT_EQ(summary["jobs"][0]["state"], "completed");
  EXPECT_EQ(summary["resumed"]["count"], 1);
  expect_nothing_left();
}

TEST_F(Machine, ARunThatIsStoppedForAWhileIsNotTakenForHung) {
  auto run = start();
  ASSERT_TRUE(eventually_has("container_started", 4)) << run->errors();
  // Acts as Ctrl-Z and fg do: only `heddle run` is in the terminal's foreground.
  run->signal(SIGSTOP);
  sleep_for(8s);
  run->signal(SIGCONT);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  EXPECT_THAT(run->errors(), Not(HasSubstr("hangs")));
  expect_nothing_left();
}

// Workers have the descriptor limit that `heddle run` was started with. Whatever fails for lack of
// descriptors says so, even where libcgroup reports a missing mount.
TEST_F(Machine, LackOfDescriptorsIsNamed) {
  const std::string path = scratch_.file("s.yaml", scenario_text());
  for (int files = 8; files < 20; ++files) {
    Process run({"sh", "-c", "ulimit -Sn " + std::to_string(files) + "; exec \"$@\"", "sh",
                 heddle({})[0], "run", path, "--out", out() + std::to_string(files)},
                scratch_);
    EXPECT_NE(run.wait(), 0) << files;
    EXPECT_THAT(run.errors(), HasSubstr("Too many open files")) << files;
    EXPECT_THAT(run.errors(), Not(HasSubstr("not mounted"))) << files;
  }
}

}  // namespace heddle::machine_test
