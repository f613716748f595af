// Tests runs of many nodes: their start, and their end at any time.

#include <csignal>

#include "tests/support/matchers.h"
#include "tests/system/real_run.h"

namespace heddle::many_nodes_test {

using namespace std::chrono_literals;

class ManyNodes : public RealRun {
 protected:
  /// Starts a run of `nodes` small nodes with a heartbeat of 5 s real, and a job of 10 tasks.
  std::unique_ptr<Process> start_nodes(int nodes, const std::vector<std::string>& before = {}) {
    return start(
        {.emulation = "time_scale: 1, core_fraction: 0.004, memory_scale: 1/64",
         .cluster = "heartbeat: 5s, node_timeout: 60s, dispatch: immediate, nodes: [{name: "
                    "n, count: " +
                    std::to_string(nodes) + ", cores: 1, memory: 1GiB}]",
         .jobs = maps(10, "sleep: 1s")},
        {"--derived=later"}, before);
  }
  /// Starts a run of 300 nodes and waits until there are so many workers.
  std::unique_ptr<Process> start_workers(std::size_t workers) {
    auto run = start_nodes(300);
    EXPECT_TRUE(eventually([&] { return workers_of(*run).size() >= workers; })) << run->errors();
    return run;
  }
};

TEST_F(ManyNodes, AllWorkersComeAndTheRunEnds) {
  auto run = start_nodes(100);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  EXPECT_EQ(count("node_registered"), 100);
  EXPECT_THAT(groups_of(run_id(out())), IsEmpty());
}

TEST_F(ManyNodes, AnInterruptWhileWorkersAreStartedEndsThemAtOnce) {
  auto run = start_workers(20);
  expect_quick_end(*run, SIGINT);
  EXPECT_EQ(times(run->errors(), "interrupted"), 1) << run->errors();
  EXPECT_THAT(groups_of(run_id(out())), IsEmpty());
}

TEST_F(ManyNodes, NoWorkerIsStartedForAMasterThatHasEnded) {
  auto run = start_workers(5);
  // A master that was killed is restarted three times.
  pid_t master = 0;
  for (int life = 0; life < 4; ++life) {
    ASSERT_TRUE(eventually([&] {
      const pid_t next = master_of(*run);
      if (next < 0 || next == master) return false;
      master = next;
      return true;
    }));
    ::kill(master, SIGKILL);
    ASSERT_TRUE(eventually([&] { return !alive(master); }));
  }
  EXPECT_EQ(run->wait(30s), 4) << run->errors();
  EXPECT_EQ(times(run->errors(), "the master ended again"), 1) << run->errors();
}

TEST_F(ManyNodes, MoreThanTheMachineCanIsSaidBeforehand) {
  auto run = start_nodes(50, {"sh", "-c", "ulimit -n 100; exec \"$@\"", "sh"});
  EXPECT_EQ(run->wait(), 3);
  EXPECT_THAT(run->errors(),
              HasSubstr("50 nodes need 164 descriptors in heddle run, but 100 may be "
                        "open (ulimit -Hn); expected at most 18 nodes"));
  EXPECT_TRUE(run_id(out()).empty()) << "nothing was made";
}

}  // namespace heddle::many_nodes_test
