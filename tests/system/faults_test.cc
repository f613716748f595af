// Tests real runs whose scenarios inject faults.

#include <map>

#include "tests/support/matchers.h"
#include "tests/system/real_run.h"

namespace heddle::faults_test {

using Outcomes = std::map<std::string, int>;

class Faults : public RealRun {
 protected:
  /// Runs 8 tasks on two nodes with a node timeout of 10 emulated seconds, 2 s real.
  void run_with(const std::string& faults) {
    run({.emulation = "time_scale: 0.2, core_fraction: 0.05, memory_scale: 1/64",
         .cluster = "node_timeout: 10s, nodes: [{name: n, count: 2, cores: 2, memory: 4GiB}]",
         .more = "faults: [" + faults + "]\n",
         .jobs = maps(8, "cpu: 1s, sleep: 7s")});
  }
  /// Returns events of nodes in order, such as "lost 1".
  std::vector<std::string> nodes() const {
    std::vector<std::string> nodes;
    for (const Json& line : read_journal(out())) {
      const std::string type = line["type"];
      const std::string node = line.contains("node") ? std::to_string(line["node"].get<int>()) : "";
      if (type == "node_lost") nodes.push_back("lost " + node);
      if (type == "node_registered" && line["t"] > 0) nodes.push_back("back " + node);
      if (type == "fault") nodes.push_back(line["kind"].get<std::string>() + " " + node);
    }
    return nodes;
  }
  /// Returns the number of attempts by outcome.
  Outcomes outcomes() const {
    Outcomes outcomes;
    for (const Json& line : lines("container_ended")) ++outcomes[line["outcome"]];
    return outcomes;
  }
};

TEST_F(Faults, AWorkerThatIsKilledComesBackAndIsGivenTasksAgain) {
  run_with("{fault: kill-worker, node: n2, at: 4s, restart_after: 5s}");
  EXPECT_THAT(nodes(), ElementsAre("kill-worker 1", "lost 1", "back 1"));
  EXPECT_EQ(outcomes(), (Outcomes{{"completed", 8}, {"lost", 2}}));
}

TEST_F(Faults, AShortFreezeLosesNothingAndALongPartitionItsNode) {
  run_with(
      "{fault: freeze-worker, node: n1, at: 3s, for: 4s}, "
      "{fault: partition, node: n2, at: 5s, for: 14s}");
  EXPECT_THAT(nodes(), ElementsAre("freeze-worker 0", "partition 1", "lost 1", "back 1"));
  EXPECT_EQ(outcomes()["completed"], 8);
  EXPECT_EQ(outcomes()["lost"], 2);
}

// The tasks of the gang need both nodes, which come back one after the other.
TEST_F(Faults, AGangGoesOnAfterAnOutageOfAllWorkers) {
  const auto run = start_tasks(
      4, {.emulation = "time_scale: 0.2, core_fraction: 0.05, memory_scale: 1/64",
          .cluster = "node_timeout: 10s, nodes: [{name: n, count: 2, cores: 2, memory: 4GiB}]",
          .jobs = maps(4, "cpu: 1s, sleep: 15s, gang: true")});
  const std::vector<pid_t> workers = workers_of(*run);
  for (pid_t worker : workers) ::kill(worker, SIGSTOP);
  EXPECT_TRUE(eventually_has("node_lost", 2));
  ::kill(workers.at(0), SIGCONT);
  EXPECT_TRUE(eventually_has("node_registered", 3));
  ::kill(workers.at(1), SIGCONT);
  EXPECT_EQ(run->wait(), 0);
  EXPECT_EQ(outcomes()["completed"], 4);
  expect_nothing_left();
}

}  // namespace heddle::faults_test
