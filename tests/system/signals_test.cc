// Tests signals: ignored ones stay ignored, and a write that fails is an error.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/system/process.h"

namespace heddle::signals_test {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The run takes about a second of real time.
constexpr char kScenario[] =
    "heddle: 1\nname: signals\n"
    "emulation: {time_scale: 0.1, core_fraction: 0.1, memory_scale: 1/64}\n"
    "cluster:\n  nodes:\n    - {name: n, cores: 2, memory: 4GiB}\n"
    "jobs:\n  - name: j\n    phases:\n"
    "      - {name: map, kind: map, tasks: 2, request: {cores: 1, memory: 1GiB}, cpu: 10s}\n";

class Signals : public ::testing::Test {
 protected:
  /// Starts `heddle run` by a shell that has executed `before`.
  std::unique_ptr<Process> start(const std::string& before, const char* scenario = kScenario) {
    const std::string path = scratch_.file("s.yaml", scenario);
    auto run = std::make_unique<Process>(
        std::vector<std::string>{"sh", "-c", before + "; exec \"$@\"", "sh", heddle({})[0], "run",
                                 path, "--out", scratch_ / "out", "--derived=later"},
        scratch_);
    return run;
  }
  bool runs_tasks(const Process& run) const {
    return eventually([&] { return !descendants(run.pid(), "heddle-task").empty(); });
  }
  void expect_nothing_left() const { EXPECT_THAT(groups_of(run_id(scratch_ / "out")), IsEmpty()); }

  Scratch scratch_;
};

TEST_F(Signals, OnesThatWereIgnoredStayIgnored) {
  // nohup ignores SIGHUP, and a shell ignores SIGINT for background jobs.
  auto run = start("trap '' HUP INT");
  ASSERT_TRUE(runs_tasks(*run)) << run->errors();
  for (int signal : {SIGHUP, SIGINT}) {
    run->signal(signal);
    for (const char* name : {"heddle-master", "heddle-worker"})
      for (pid_t pid : descendants(run->pid(), name)) ::kill(pid, SIGHUP);
  }
  EXPECT_EQ(run->wait(), 0) << run->errors();
  expect_nothing_left();
}

TEST_F(Signals, OthersStillEndTheRun) {
  auto run = start("trap '' HUP INT");
  ASSERT_TRUE(runs_tasks(*run)) << run->errors();
  run->signal(SIGTERM);
  EXPECT_EQ(run->wait(), 130) << run->errors();
  EXPECT_THAT(run->errors(), HasSubstr("interrupted"));
  expect_nothing_left();
}

// A CLI that inherits an ignored SIGCHLD still notices that its children have ended.
TEST_F(Signals, AnIgnoredSigchldKeepsNothingFromEnding) {
  auto run = start("trap '' CHLD");
  EXPECT_EQ(run->wait(60s), 0) << run->errors();
  expect_nothing_left();
}

TEST_F(Signals, AFileThatMayNotGrowIsAnError) {
  // The limit is 4 KiB, in blocks of 512 bytes.
  const std::string many = std::string(kScenario) +
                           "  - {name: k, phases: [{name: map, kind: map, "
                           "tasks: 100, request: {cores: 1, memory: 1GiB}, sleep: 100ms}]}\n";
  auto run = start("ulimit -f 8", many.c_str());
  EXPECT_EQ(run->wait(60s), 4) << run->errors();
  EXPECT_THAT(run->errors(), HasSubstr("File too large"));
  expect_nothing_left();
}

TEST_F(Signals, AReaderThatHasGoneIsNoDeath) {
  // The status is that of the first command of the pipe.
  Process policies(
      {"sh", "-c", "{ sleep 0.3; \"$@\"; echo $? >&2; } | true", "sh", heddle({})[0], "policies"},
      scratch_);
  EXPECT_EQ(policies.wait(), 0);
  EXPECT_THAT(policies.errors(), ::testing::Not(HasSubstr("141")));
}

}  // namespace heddle::signals_test
