// Tests runs of many nodes: their start, and their end at any time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/system/process.h"

namespace heddle::many_nodes_test {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Returns a scenario with `nodes` small nodes, a heartbeat of 5 s real, and a job of 10 tasks.
std::string scenario_text(int nodes) {
  return "heddle: 1\nname: many\n"
         "emulation: {time_scale: 1, core_fraction: 0.004, memory_scale: 1/64}\n"
         "cluster:\n  heartbeat: 5s\n  node_timeout: 60s\n  dispatch: immediate\n  nodes:\n"
         "    - {name: n, count: " +
         std::to_string(nodes) +
         ", cores: 1, memory: 1GiB}\n"
         "jobs:\n  - name: j\n    phases:\n"
         "      - {name: map, kind: map, tasks: 10, request: {cores: 1, memory: 1GiB}, sleep: "
         "1s}\n";
}

class ManyNodes : public ::testing::Test {
 protected:
  std::unique_ptr<Process> start(int nodes) {
    const std::string path = scratch_.file("s.yaml", scenario_text(nodes));
    return std::make_unique<Process>(
        heddle({"run", path, "--out", scratch_ / "out", "--derived=later"}), scratch_);
  }
  static std::size_t workers(const Process& run) {
    return descendants(run.pid(), "heddle-worker").size();
  }
  static int times(const std::string& text, const std::string& what) {
    int count = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++count;
    return count;
  }
  Scratch scratch_;
};

TEST_F(ManyNodes, AllWorkersComeAndTheRunEnds) {
  auto run = start(100);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  int registered = 0;
  for (const auto& line : read_journal(scratch_ / "out"))
    registered += line["type"] == "node_registered";
  EXPECT_EQ(registered, 100);
  EXPECT_THAT(groups_of(run_id(scratch_ / "out")), IsEmpty());
}

TEST_F(ManyNodes, AnInterruptWhileWorkersAreStartedEndsThemAtOnce) {
  auto run = start(300);
  ASSERT_TRUE(eventually([&] { return workers(*run) >= 20; })) << run->errors();
  const auto begin = std::chrono::steady_clock::now();
  run->signal(SIGINT);
  EXPECT_EQ(run->wait(), 130) << run->errors();
  // A run should end within 2 s; a busy CI machine gets more.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  EXPECT_EQ(times(run->errors(), "interrupted"), 1) << run->errors();
  EXPECT_THAT(groups_of(run_id(scratch_ / "out")), IsEmpty());
}

TEST_F(ManyNodes, NoWorkerIsStartedForAMasterThatHasEnded) {
  auto run = start(300);
  ASSERT_TRUE(eventually([&] { return workers(*run) >= 5; })) << run->errors();
  // A master that was killed is restarted once.
  pid_t master = 0;
  for (int life = 0; life < 2; ++life) {
    ASSERT_TRUE(eventually([&] {
      const std::vector<pid_t> masters = descendants(run->pid(), "heddle-master");
      if (masters.empty() || masters[0] == master) return false;
      master = masters[0];
      return true;
    }));
    ::kill(master, SIGKILL);
    ASSERT_TRUE(eventually([&] { return !alive(master); }));
  }
  EXPECT_EQ(run->wait(30s), 4) << run->errors();
  EXPECT_EQ(times(run->errors(), "the master ended again"), 1) << run->errors();
}

TEST_F(ManyNodes, MoreThanTheMachineCanIsSaidBeforehand) {
  const std::string path = scratch_.file("s.yaml", scenario_text(50));
  Process run({"sh", "-c", "ulimit -n 100; exec \"$@\"", "sh", heddle({})[0], "run", path, "--out",
               scratch_ / "out"},
              scratch_);
  EXPECT_EQ(run.wait(), 3);
  EXPECT_THAT(run.errors(), HasSubstr("50 nodes need 164 descriptors in heddle run, but 100 may be "
                                      "open (ulimit -Hn); expected at most 18 nodes"));
  EXPECT_TRUE(run_id(scratch_ / "out").empty()) << "nothing was made";
}

}  // namespace heddle::many_nodes_test
