// Preempted containers by queue: the tables of YARN's TestProportionalCapacityPreemptionPolicy and
// its InterQueueWithDRF (Apache Hadoop, hadoop-yarn-server-resourcemanager, .../monitor/capacity),
// each on a running cluster. docs/explanation/checked.md lists all tests; ideal_shares_test.cc
// computes the ideals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/core/virtual_cluster.h"

namespace heddle::yarn_preemption_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// A queue of a table: the containers that it is guaranteed, holds, and then requests.
struct YarnQueue {
  std::string name, parent;
  int guaranteed = 0, used = 0, pending = 0;
  int maximum = 0;  ///< 0: the whole cluster
};

double guaranteed(const std::vector<YarnQueue>& rows, const std::string& name, double whole) {
  for (const YarnQueue& row : rows)
    if (row.name == name) return row.guaranteed;
  return whole;
}

/// Returns a scenario with containers of 1 core and 1 GiB that last 1000 s: `used` from 0 s on, and
/// `pending` requested at 10 s.
Scenario cluster_with(const std::vector<YarnQueue>& rows, int nodes, int node_size) {
  Scenario scenario = cluster_of(nodes, node_size, node_size);
  scenario.policy.preset = "capacity";
  set_policy(scenario, "preemption", "kill");
  const double whole = nodes * node_size;
  for (const YarnQueue& row : rows) {
    QueueSpec& queue = scenario.queues.emplace_back();
    queue.name = row.name;
    queue.parent = row.parent;
    queue.capacity = row.guaranteed / guaranteed(rows, row.parent, whole);
    if (row.maximum > 0) queue.max_capacity = row.maximum / guaranteed(rows, row.parent, whole);
  }
  for (const auto& [when, tasks] : {std::pair(0, &YarnQueue::used), {10, &YarnQueue::pending}})
    for (const YarnQueue& row : rows)
      if (row.*tasks > 0)
        scenario.jobs.push_back(
            in_queue(row.name.c_str(), job_of(row.name, when, row.*tasks, 1, 1, 1000)));
  return scenario;
}

/// Returns the kills until 900 s, by queue. Expects that all come at 25 s, the end of the grace
/// period of 15 s, and that the containers they make room for start then.
std::map<std::string, int> kills(const Scenario& scenario) {
  VirtualCluster cluster(scenario);
  EXPECT_TRUE(cluster.run());
  std::map<std::string, int> kills;
  int started = 0;
  for (const std::string& line : cluster.log()) {
    const auto at = std::stod(line);
    if (at > 900) break;
    if (line.starts_with("25.0 launch ")) ++started;
    const std::size_t word = line.find(" kill ");
    if (word == std::string::npos) continue;
    EXPECT_EQ(at, 25) << line;
    const ContainerId container{std::stoll(line.substr(word + 6))};
    for (const Action& action : cluster.launches()) {
      const Launch& launch = std::get<Launch>(action.what);
      if (launch.container == container) ++kills[scenario.jobs[launch.phase.job.value].name];
    }
  }
  int killed = 0;
  for (const auto& [queue, count] : kills) killed += count;
  EXPECT_EQ(started, killed);
  return kills;
}

std::map<std::string, int> kills(const std::vector<YarnQueue>& rows, int whole) {
  return kills(cluster_with(rows, whole / 10, 10));
}

TEST(YarnPreemption, Ignore) {
  EXPECT_THAT(kills({{"A", "", 40, 0, 0}, {"B", "", 40, 60, 0}, {"C", "", 20, 40, 0}}, 100),
              IsEmpty());
}

TEST(YarnPreemption, ProportionalPreemption) {
  EXPECT_THAT(
      kills(
          {{"A", "", 10, 30, 20}, {"B", "", 40, 60, 5}, {"C", "", 20, 10, 20}, {"D", "", 30, 0, 0}},
          100),
      ElementsAre(Pair("A", 10)));
}

TEST(YarnPreemption, MaxCap) {
  EXPECT_THAT(kills({{"A", "", 40, 55, 10}, {"B", "", 40, 45, 10, 45}, {"C", "", 20, 0, 0}}, 100),
              IsEmpty());
}

TEST(YarnPreemption, PreemptCycle) {
  EXPECT_THAT(kills({{"A", "", 40, 0, 10}, {"B", "", 40, 60, 0}, {"C", "", 20, 40, 0}}, 100),
              ElementsAre(Pair("C", 10)));
}

TEST(YarnPreemption, PerQueueDisablePreemptionWithNoneDisabled) {
  EXPECT_THAT(kills({{"A", "", 55, 0, 10}, {"B", "", 25, 54, 0}, {"C", "", 20, 46, 0}}, 100),
              ElementsAre(Pair("B", 4), Pair("C", 6)));
}

TEST(YarnPreemption, OverCapacityImbalance) {
  EXPECT_THAT(kills({{"A", "", 40, 55, 10}, {"B", "", 40, 45, 10}, {"C", "", 20, 0, 0}}, 100),
              IsEmpty());
}

TEST(YarnPreemption, Hierarchical) {
  EXPECT_THAT(kills({{"A", "", 100},
                     {"B", "A", 50, 60, 0},
                     {"C", "A", 50, 50, 0},
                     {"D", "", 100},
                     {"E", "D", 10, 90, 0},
                     {"F", "D", 90, 0, 10}},
                    200),
              ElementsAre(Pair("B", 10)));
}

const std::vector<YarnQueue>& broad_hierarchical() {
  static const std::vector<YarnQueue> rows = {
      {"A", "", 350}, {"B", "A", 150, 200, 0}, {"C", "A", 200, 200, 0},
      {"D", "", 400}, {"E", "D", 200, 250, 0}, {"F", "D", 200, 150, 50},
      {"G", "", 250}, {"H", "G", 100, 150, 0}, {"I", "G", 150, 50, 0}};
  return rows;
}

// B is 26.67 above its ideal and E 23.33. B loses 4 until it is 22.67 above, then E and B
// alternate. After 26 and 23, B is 0.67 above and E 0.33, so the fiftieth is B's.
TEST(YarnPreemption, PerQueueDisablePreemptionBroadHierarchicalWithNoneDisabled) {
  for (const char* reserve : {"true", "false"}) {
    for (int node_size : {1, 2, 10, 250, 1000}) {
      Scenario scenario = cluster_with(broad_hierarchical(), 1000 / node_size, node_size);
      set_policy(scenario, "reserve", reserve);
      EXPECT_THAT(kills(scenario), ElementsAre(Pair("B", 27), Pair("E", 23)))
          << node_size << " a node, reserve " << reserve;
    }
  }
}

TEST(YarnPreemption, PerQueueDisablePreemptionInheritParentWithNoneDisabled) {
  EXPECT_THAT(kills({{"A", "", 500},
                     {"B", "A", 200, 0, 0},
                     {"C", "A", 200, 350, 0},
                     {"D", "A", 100, 350, 0},
                     {"E", "", 500},
                     {"F", "E", 200, 0, 200},
                     {"G", "E", 200, 200, 0},
                     {"H", "E", 100, 100, 0}},
                    1000),
              ElementsAre(Pair("C", 17), Pair("D", 183)));
}

TEST(YarnPreemption, HierarchicalLarge) {
  EXPECT_THAT(kills({{"A", "", 200},
                     {"B", "A", 60, 70, 0},
                     {"C", "A", 140, 140, 0},
                     {"D", "", 100},
                     {"E", "D", 70, 50, 0},
                     {"F", "D", 30, 50, 0},
                     {"G", "", 100},
                     {"H", "G", 10, 90, 0},
                     {"I", "G", 90, 0, 15}},
                    400),
              ElementsAre(Pair("B", 10), Pair("H", 5)));
}

TEST(YarnPreemption, HierarchicalLarge3Levels) {
  EXPECT_THAT(kills({{"A", "", 200},
                     {"B", "A", 60, 60, 0},
                     {"C", "A", 140},
                     {"D", "C", 100, 100, 0},
                     {"E", "C", 40, 50, 0},
                     {"F", "", 100},
                     {"G", "F", 70, 50, 0},
                     {"H", "F", 30, 50, 0},
                     {"I", "", 100},
                     {"J", "I", 10, 10, 0},
                     {"K", "I", 90, 80, 10}},
                    400),
              ElementsAre(Pair("E", 10)));
}

// 30 of 200 are free, so F gets its 10 at once.
TEST(YarnPreemption, ZeroGuar) {
  EXPECT_THAT(kills({{"A", "", 100},
                     {"B", "A", 0, 60, 0},
                     {"C", "A", 99, 20, 0},
                     {"D", "", 100},
                     {"E", "D", 10, 90, 0},
                     {"F", "D", 90, 0, 10}},
                    200),
              IsEmpty());
}

// There are four jobs of 25 containers, the first of each its application master. Queue B is
// entitled to 50. appD and appC, the youngest, give 24 each, and appB the other 2.
TEST(YarnPreemption, SkipAMContainer) {
  Scenario scenario = cluster_with({{"A", "", 50, 0, 0}, {"B", "", 50, 0, 0}}, 10, 10);
  set_policy(scenario, "max_am_share", "1");
  for (const char* name : {"appA", "appB", "appC", "appD"}) {
    scenario.jobs.push_back(in_queue("A", job_of(name, 0, 24, 1, 1, 1000)));
    add_master(scenario.jobs.back(), 1, 1);
  }
  scenario.jobs.push_back(in_queue("B", job_of("other", 10, 50, 1, 1, 1000)));
  EXPECT_THAT(kills(scenario), ElementsAre(Pair("appB", 2), Pair("appC", 24), Pair("appD", 24)));
}

// A holds 10 containers of 10 cores and 1 GiB on a cluster of 100 cores and 100 GiB, which is all
// cores. B requests as many, and half of the cores are its guarantee, so 5 containers are killed.
// (YARN kills 4.)
TEST(YarnPreemption, PreemptionWithVCoreResource) {
  Scenario scenario = cluster_of(1, 100, 100);
  scenario.policy.preset = "capacity";
  set_policy(scenario, "preemption", "kill");
  for (const char* name : {"A", "B"}) {
    scenario.queues.emplace_back().name = name;
    scenario.queues.back().capacity = 0.5;
  }
  scenario.jobs = {in_queue("A", job_of("A", 0, 10, 10, 1, 1000)),
                   in_queue("B", job_of("B", 10, 10, 10, 1, 1000))};
  EXPECT_THAT(kills(scenario), ElementsAre(Pair("A", 5)));
}

/// Returns a scenario with queues a and b, each guaranteed half of a node of that size. Containers
/// of both are equal.
Scenario two_halves(int cores, int gib, const Resources& container) {
  Scenario scenario = cluster_of(1, cores, gib);
  scenario.policy.preset = "capacity";
  set_policy(scenario, "preemption", "kill");
  for (const char* name : {"a", "b"}) {
    scenario.queues.emplace_back().name = name;
    scenario.queues.back().capacity = 0.5;
  }
  scenario.jobs = {in_queue("a", job_of("a", 0, 1, 1, 1, 1000)),
                   in_queue("b", job_of("b", 0, 1, 1, 1, 1000)),
                   in_queue("a", job_of("more", 10, 1, 1, 1, 1000))};
  for (JobSpec& job : scenario.jobs) job.phases[0].request = container;
  return scenario;
}

// There are 100 GiB and 200 cores in containers of <2 GiB, 4 cores>. a holds 20 and requests 15
// more, b holds 30. a is guaranteed 25, so 5 of b's are killed.
TEST(YarnPreemption, InterQueuePreemptionWithMultipleResource) {
  Scenario scenario = two_halves(200, 100, {Millicores(4000), EmuBytes(2LL << 30)});
  scenario.jobs[0].phases[0].tasks = 20;
  scenario.jobs[1].phases[0].tasks = 30;
  scenario.jobs[2].phases[0].tasks = 15;
  EXPECT_THAT(kills(scenario), ElementsAre(Pair("b", 5)));
}

// There are 100 GiB and 50 cores. b has everything in 50 containers, and a requests one. However
// little that is, one is killed for it.
TEST(YarnPreemption, InterQueuePreemptionWithNaturalTerminationFactor) {
  Scenario scenario = two_halves(50, 100, {Millicores(1000), EmuBytes(2LL << 30)});
  scenario.jobs.erase(scenario.jobs.begin());
  scenario.jobs[0].phases[0].tasks = 50;
  EXPECT_THAT(kills(scenario), ElementsAre(Pair("b", 1)));
}

// There are 60 GiB and 600 cores and three queues of a third. a has all the memory and 60 cores in
// 60 containers, b requests 20 GiB and 20 cores. 20 of a's are killed, though by cores a is far
// below its guarantee.
TEST(YarnPreemption, InterQueuePreemptionWithRelaxedDRF) {
  Scenario scenario = two_halves(600, 60, {Millicores(1000), EmuBytes(1LL << 30)});
  scenario.queues.emplace_back().name = "c";
  for (QueueSpec& queue : scenario.queues) queue.capacity = 1.0 / 3;
  scenario.jobs = {in_queue("a", job_of("a", 0, 60, 1, 1, 1000)),
                   in_queue("b", job_of("b", 10, 20, 1, 1, 1000))};
  EXPECT_THAT(kills(scenario), ElementsAre(Pair("a", 20)));
}

}  // namespace heddle::yarn_preemption_test
