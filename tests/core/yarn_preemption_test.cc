// Ideal shares and preempted containers by queue: the tables of YARN's
// TestProportionalCapacityPreemptionPolicy (yarn_preemption.yaml), and cases of the same class and
// of its InterQueueWithDRF that need more than a table (Apache Hadoop,
// hadoop-yarn-server-resourcemanager, .../monitor/capacity). docs/explanation/checked.md lists all
// tests.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "core/policy/queues/ideal_shares.h"
#include "tests/core/virtual_cluster.h"
#include "tests/support/messages.h"

namespace heddle::yarn_preemption_test {

constexpr const char* kTables = "core/yarn_preemption.yaml";

/// A queue of a table: the containers that it is guaranteed, holds, and then requests.
struct YarnQueue {
  std::string name, parent;
  int guaranteed = 0, used = 0, pending = 0;
  int maximum = 0;  ///< 0: the whole cluster
};

struct Table {
  int whole = 0;
  std::vector<YarnQueue> queues;
};

/// Reads the first `count` inputs of a row.
Table table_of(const std::vector<std::string>& row, std::size_t count) {
  Table table{std::stoi(row[0]), {}};
  for (std::size_t i = 1; i < count; ++i) {
    std::istringstream in(row[i]);
    YarnQueue& queue = table.queues.emplace_back();
    in >> queue.name >> queue.guaranteed >> queue.used >> queue.pending >> queue.maximum;
    if (const std::size_t below = queue.name.find('<'); below != queue.name.npos) {
      queue.parent = queue.name.substr(below + 1);
      queue.name.resize(below);
    }
  }
  return table;
}

/// Returns the index of a queue in the shares of the table, of which the first is the root's.
std::size_t index_of(const Table& table, const std::string& name) {
  for (std::size_t i = 0; i < table.queues.size(); ++i)
    if (table.queues[i].name == name) return i + 1;
  return 0;
}

/// Returns the containers that each queue is entitled to: "60 / 33.33".
std::string ideals_of(const Table& table) {
  std::vector<QueueShares> queues(table.queues.size() + 1);
  const double whole = table.whole;
  for (std::size_t i = 1; i < queues.size(); ++i) {
    const YarnQueue& queue = table.queues[i - 1];
    queues[i].guaranteed = queue.guaranteed / whole;
    queues[i].maximum = queue.maximum > 0 ? queue.maximum / whole : 1;
    queues[i].held = queue.used / whole;
    queues[i].wanted = (queue.used + queue.pending) / whole;
    queues[index_of(table, queue.parent)].children.push_back(static_cast<int>(i));
  }
  const std::vector<double> shares = ideal_shares(queues);
  EXPECT_EQ(shares.front(), 1);
  std::ostringstream text;
  for (std::size_t i = 1; i < shares.size(); ++i)
    text << (i > 1 ? " / " : "") << std::round(shares[i] * whole * 100) / 100;
  return text.str();
}

/// Returns a scenario with containers of 1 core and 1 GiB that last 1000 s: `used` from 0 s on, and
/// `pending` requested at 10 s.
Scenario cluster_with(const Table& table, int nodes) {
  const int each = table.whole / nodes;
  Scenario scenario = cluster_of(nodes, each, each, "capacity+preemption=kill");
  for (const YarnQueue& row : table.queues) {
    const std::size_t parent = index_of(table, row.parent);
    const double whole = parent > 0 ? table.queues[parent - 1].guaranteed : table.whole;
    scenario.queues.push_back(
        queue_of(row.name, row.guaranteed / whole, row.maximum > 0 ? row.maximum / whole : 1));
    scenario.queues.back().parent = row.parent;
  }
  for (const auto& [when, tasks] : {std::pair(0, &YarnQueue::used), {10, &YarnQueue::pending}})
    for (const YarnQueue& row : table.queues)
      if (row.*tasks > 0)
        scenario.jobs.push_back(
            in_queue(row.name.c_str(), job_of(row.name, when, row.*tasks, 1, 1, 1000)));
  return scenario;
}

/// Returns the kills until 900 s, by queue: "B 4, C 6". Expects that all come at 25 s, the end of
/// the grace period of 15 s, and that the containers they make room for start then.
std::string kills(const Scenario& scenario) {
  const FinishedRun cluster(scenario);
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
  std::string words;
  for (const auto& [queue, count] : kills) {
    killed += count;
    words += (words.empty() ? "" : ", ") + queue + " " + std::to_string(count);
  }
  EXPECT_EQ(started, killed);
  return words.empty() ? "none" : words;
}

TEST(YarnPreemption, Tables) {
  tests::expect_messages(kTables, "ideals", [](const std::vector<std::string>& row) {
    return ideals_of(table_of(row, row.size()));
  });
  tests::expect_messages(kTables, "kills", [](const std::vector<std::string>& row) {
    const Table table = table_of(row, row.size() - 1);
    EXPECT_EQ(ideals_of(table), row.back());
    return kills(cluster_with(table, table.whole / 10));
  });
}

TEST(YarnPreemption, TheSizeOfNodesAndReservationsDoNotMatter) {
  for (const char* reserve : {"true", "false"})
    for (int node_size : {1, 2, 10, 250, 1000}) {
      SCOPED_TRACE(std::to_string(node_size) + " a node, reserve " + reserve);
      tests::expect_messages(kTables, "kills on nodes of every size",
                             [&](const std::vector<std::string>& row) {
                               const Table table = table_of(row, row.size() - 1);
                               EXPECT_EQ(ideals_of(table), row.back());
                               Scenario scenario = cluster_with(table, table.whole / node_size);
                               set_policy(scenario, "reserve", reserve);
                               return kills(scenario);
                             });
    }
}

// There are four jobs of 25 containers, the first of each its application master. Queue B is
// entitled to 50. appD and appC, the youngest, give 24 each, and appB the other 2.
TEST(YarnPreemption, SkipAMContainer) {
  Scenario scenario = cluster_with({100, {{"A", "", 50}, {"B", "", 50}}}, 10);
  set_policy(scenario, "max_am_share", "1");
  for (const char* name : {"appA", "appB", "appC", "appD"}) {
    scenario.jobs.push_back(in_queue("A", job_of(name, 0, 24, 1, 1, 1000)));
    add_master(scenario.jobs.back(), 1, 1);
  }
  scenario.jobs.push_back(in_queue("B", job_of("other", 10, 50, 1, 1, 1000)));
  EXPECT_EQ(kills(scenario), "appB 2, appC 24, appD 24");
}

// A holds 10 containers of 10 cores and 1 GiB on a cluster of 100 cores and 100 GiB, which is all
// cores. B requests as many, and half of the cores are its guarantee, so 5 containers are killed.
// (YARN kills 4.)
TEST(YarnPreemption, PreemptionWithVCoreResource) {
  Scenario scenario = cluster_of(1, 100, 100, "capacity+preemption=kill");
  scenario.queues = {queue_of("A", 0.5), queue_of("B", 0.5)};
  scenario.jobs = {in_queue("A", job_of("A", 0, 10, 10, 1, 1000)),
                   in_queue("B", job_of("B", 10, 10, 10, 1, 1000))};
  EXPECT_EQ(kills(scenario), "A 5");
}

/// Returns a scenario with queues a and b, each guaranteed half of a node of that size. Containers
/// of both are equal.
Scenario two_halves(int cores, int gib, const Resources& container) {
  Scenario scenario = cluster_of(1, cores, gib, "capacity+preemption=kill");
  scenario.queues = {queue_of("a", 0.5), queue_of("b", 0.5)};
  scenario.jobs = {in_queue("a", job_of("a", 0, 1, 1, 1, 1000)),
                   in_queue("b", job_of("b", 0, 1, 1, 1, 1000)),
                   in_queue("a", job_of("more", 10, 1, 1, 1, 1000))};
  for (JobSpec& job : scenario.jobs) job.phases[0].request = container;
  return scenario;
}

// There are 100 GiB and 200 cores in containers of <2 GiB, 4 cores>. a holds 20 and requests 15
// more, b holds 30. a is guaranteed 25, so 5 of b's are killed.
TEST(YarnPreemption, InterQueuePreemptionWithMultipleResource) {
  Scenario scenario = two_halves(200, 100, size_of(4, 2));
  scenario.jobs[0].phases[0].tasks = 20;
  scenario.jobs[1].phases[0].tasks = 30;
  scenario.jobs[2].phases[0].tasks = 15;
  EXPECT_EQ(kills(scenario), "b 5");
}

// There are 100 GiB and 50 cores. b has everything in 50 containers, and a requests one. However
// little that is, one is killed for it.
TEST(YarnPreemption, InterQueuePreemptionWithNaturalTerminationFactor) {
  Scenario scenario = two_halves(50, 100, size_of(1, 2));
  scenario.jobs.erase(scenario.jobs.begin());
  scenario.jobs[0].phases[0].tasks = 50;
  EXPECT_EQ(kills(scenario), "b 1");
}

// There are 60 GiB and 600 cores and three queues of a third. a has all the memory and 60 cores in
// 60 containers, b requests 20 GiB and 20 cores. 20 of a's are killed, though by cores a is far
// below its guarantee.
TEST(YarnPreemption, InterQueuePreemptionWithRelaxedDRF) {
  Scenario scenario = two_halves(600, 60, size_of(1, 1));
  scenario.queues.push_back(queue_of("c"));
  for (QueueSpec& queue : scenario.queues) queue.capacity = 1.0 / 3;
  scenario.jobs = {in_queue("a", job_of("a", 0, 60, 1, 1, 1000)),
                   in_queue("b", job_of("b", 10, 20, 1, 1, 1000))};
  EXPECT_EQ(kills(scenario), "a 20");
}

}  // namespace heddle::yarn_preemption_test
