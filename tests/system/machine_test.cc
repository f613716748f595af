// Tests machines that fail during a run: workers that cannot start tasks, a master that hangs.

#include <sys/resource.h>

#include <csignal>
#include <map>

#include "tests/support/matchers.h"
#include "tests/system/real_run.h"

namespace heddle::machine_test {

using namespace std::chrono_literals;

class Machine : public RealRun {
 protected:
  /// Starts a run whose job fails if one of its tasks fails.
  std::unique_ptr<Process> start_job(const std::string& job = "") const {
    return start({.jobs = maps(8, "cpu: 10s", "    max_attempts: 1\n" + job)}, {"--derived=later"});
  }
  /// Starts such a run and waits until both nodes are full.
  std::unique_ptr<Process> start_full() const {
    auto run = start_job();
    EXPECT_TRUE(eventually_has("container_started", 4)) << run->errors();
    return run;
  }
  bool has_joined(const std::string& node) const {
    return text_of(out() + "/logs/worker-" + node + ".log").find("joined run") != std::string::npos;
  }
  /// Keeps the worker from opening any more files.
  static void take_descriptors(pid_t worker) {
    const rlimit few{8, 8};
    EXPECT_EQ(::prlimit(worker, RLIMIT_NOFILE, &few, nullptr), 0);
  }
};

TEST_F(Machine, AWorkerThatCanStartNothingCostsNoAttempt) {
  auto run = start_full();
  take_descriptors(workers_of(*run).at(0));
  EXPECT_EQ(run->wait(), 0) << run->errors();
  EXPECT_EQ(summary()["jobs"][0]["state"], "completed");
  EXPECT_EQ(summary()["attempts_total"], 8);
  EXPECT_GE(summary()["not_started"], 3);
  EXPECT_EQ(count("node_drained"), 1);
  expect_nothing_left();
}

TEST_F(Machine, IfNoWorkerCanTheRunEndsWithTheReason) {
  auto run = start_full();
  for (pid_t worker : workers_of(*run)) take_descriptors(worker);
  EXPECT_EQ(run->wait(60s), 4) << run->errors();
  EXPECT_EQ(times(run->errors(), "no node takes tasks any more"), 1) << run->errors();
  EXPECT_THAT(run->errors(), HasSubstr("Too many open files"));
  EXPECT_EQ(summary()["jobs"][0]["state"], "running");
  expect_nothing_left();
}

TEST_F(Machine, IfNoTaskEverStartedTheStatusIsTheMachines) {
  auto run = start_job("    submit: 15s\n");
  // The workers still open files after the master has registered them.
  ASSERT_TRUE(eventually([&] { return has_joined("n1") && has_joined("n2"); })) << run->errors();
  for (pid_t worker : workers_of(*run)) take_descriptors(worker);
  EXPECT_EQ(run->wait(60s), 3) << run->errors();
  EXPECT_THAT(run->errors(), HasSubstr("Too many open files"));
  EXPECT_EQ(count("container_started"), 0);
  expect_nothing_left();
}

TEST_F(Machine, AMasterThatHangsIsKilledAndGoesOn) {
  auto run = start_full();
  const pid_t master = master_of(*run);
  ASSERT_GT(master, 1);
  ::kill(master, SIGSTOP);
  EXPECT_EQ(run->wait(100s), 0) << run->errors();
  EXPECT_EQ(times(run->errors(), "the master hangs"), 1) << run->errors();
  EXPECT_FALSE(alive(master));
  EXPECT_EQ(summary()["jobs"][0]["state"], "completed");
  EXPECT_EQ(summary()["resumed"]["count"], 1);
  expect_nothing_left();
}

// The silence of a worker counts only while the master runs, and a worker waits for a master that
// is stopped. Workers may be silent for 2 s.
TEST_F(Machine, AMasterThatIsStoppedForAWhileLosesNothing) {
  auto run = start_full();
  const pid_t master = master_of(*run);
  ASSERT_GT(master, 1);
  ::kill(master, SIGSTOP);
  sleep_for(5s);
  ::kill(master, SIGCONT);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  EXPECT_EQ(count("node_lost"), 0);
  EXPECT_EQ(summary()["attempts_total"], 8);
  EXPECT_EQ(summary()["lost"], 0);
  expect_nothing_left();
}

// A worker that is stopped from outside is as silent as one that a fault freezes.
TEST_F(Machine, AWorkerThatIsStoppedForAWhileLosesItsNode) {
  auto run = start_full();
  const pid_t worker = workers_of(*run).at(0);
  ::kill(worker, SIGSTOP);
  EXPECT_TRUE(eventually_has("node_lost", 1));
  ::kill(worker, SIGCONT);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  EXPECT_EQ(count("node_lost"), 1);
  EXPECT_EQ(summary()["jobs"][0]["state"], "completed");
  EXPECT_GE(summary()["lost"], 2);
  expect_nothing_left();
}

TEST_F(Machine, ARunThatIsStoppedForAWhileIsNotTakenForHung) {
  auto run = start_full();
  // Acts as Ctrl-Z and fg do: only `heddle run` is in the terminal's foreground.
  run->signal(SIGSTOP);
  EXPECT_TRUE(eventually_has("job_finished", 1));
  run->signal(SIGCONT);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  EXPECT_THAT(run->errors(), Not(HasSubstr("hangs")));
  expect_nothing_left();
}

// Workers have the descriptor limit that `heddle run` was started with. Whatever fails for lack of
// descriptors says so, even where libcgroup reports a missing mount.
TEST_F(Machine, LackOfDescriptorsIsNamed) {
  const std::string path = scratch_.file("s.yaml", ScenarioText().text());
  std::map<int, std::unique_ptr<Process>> runs;
  for (int files = 8; files < 20; ++files)
    runs[files] = std::make_unique<Process>(
        std::vector<std::string>{
            "sh", "-c", "ulimit -Sn " + std::to_string(files) + "; exec \"$@\"", "sh",
            heddle({})[0], "run", path, "--out", out() + std::to_string(files)},
        scratch_);
  for (auto& [files, run] : runs) {
    EXPECT_NE(run->wait(), 0) << files;
    EXPECT_THAT(run->errors(), HasSubstr("Too many open files")) << files;
    EXPECT_THAT(run->errors(), Not(HasSubstr("not mounted"))) << files;
  }
}

}  // namespace heddle::machine_test
