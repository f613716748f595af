// fair and drf: who comes next, worked out by hand. One node, so that only shares decide.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/virtual_cluster.h"

namespace heddle::fair_test {

using ::testing::ElementsAre;

/// Without reservations, so that the order alone decides.
Scenario under(const char* scheduler, int cores, int gib) {
  Scenario scenario = cluster_of(1, cores, gib);
  scenario.policy.preset = scheduler;
  set_policy(scenario, "reserve", "false");
  return scenario;
}

QueueSpec queue(const char* name, double weight = 1) {
  QueueSpec spec;
  spec.name = name;
  spec.weight = weight;
  return spec;
}

/// Which jobs got a container at the very beginning, in order.
std::vector<std::string> first_round(const VirtualCluster& cluster) {
  std::vector<std::string> jobs;
  for (const std::string& line : cluster.log())
    if (line.starts_with("0.0 launch ")) jobs.push_back(line.substr(11, line.find('.', 4) - 11));
  return jobs;
}

int count(const std::vector<std::string>& words, const std::string& word) {
  return static_cast<int>(std::count(words.begin(), words.end(), word));
}

// Ghodsi et al., NSDI 2011, section 4.1: 9 CPUs, 18 GB; A's tasks want <1 CPU, 4 GB>, B's <3, 1>.
// Dominant shares A:B after each launch: A 4/18 : 0; B 4/18 : 3/9; A 8/18 : 3/9; B 8/18 : 6/9;
// A 12/18 : 6/9, and the CPUs are all taken: A has 3 tasks, B 2.
TEST(Drf, ThePublishedExample) {
  Scenario scenario = under("drf", 9, 18);
  scenario.jobs = {job_of("A", 0, 10, 1, 4, 10), job_of("B", 0, 10, 3, 1, 10)};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(first_round(cluster), ElementsAre("A", "B", "A", "B", "A"));
}

// Table 1 there, where B is first: dominant shares A:B after each launch are 0 : 3/9, 4/18 : 3/9,
// 8/18 : 3/9, 8/18 : 6/9, 12/18 : 6/9.
TEST(Drf, Table1) {
  Scenario scenario = under("drf", 9, 18);
  scenario.jobs = {job_of("B", 0, 10, 3, 1, 10), job_of("A", 0, 10, 1, 4, 10)};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(first_round(cluster), ElementsAre("B", "A", "A", "B", "A"));
}

// The same with B of weight 2: B may have twice A's dominant share. 4/18 : 0; : 3/9/2 = 1/6;
// B again (1/6 < 4/18): 6/9/2 = 1/3; A (4/18 < 1/3): 8/18; B: 9 of 9 CPUs would be needed with
// A's 2: 8 + 3 > 9, so it is passed over, and A takes what is left: 12/18, 9 CPUs.
TEST(Drf, WeightsOfJobs) {
  Scenario scenario = under("drf", 9, 18);
  scenario.jobs = {job_of("A", 0, 10, 1, 4, 10), job_of("B", 0, 10, 3, 1, 10)};
  scenario.jobs[1].weight = 2;
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(first_round(cluster), ElementsAre("A", "B", "B", "A", "A"));
}

// 12 containers of 1 GiB among jobs of weights 1, 2 and 3: 2, 4 and 6.
TEST(Fair, MemoryByWeightOfJobs) {
  Scenario scenario = under("fair", 12, 12);
  scenario.jobs = {job_of("one", 0, 12, 1, 1, 10), job_of("two", 0, 12, 1, 1, 10),
                   job_of("three", 0, 12, 1, 1, 10)};
  scenario.jobs[1].weight = 2;
  scenario.jobs[2].weight = 3;
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  auto got = first_round(cluster);
  EXPECT_EQ(count(got, "one"), 2);
  EXPECT_EQ(count(got, "two"), 4);
  EXPECT_EQ(count(got, "three"), 6);
}

// Fairness of memory only: jobs whose tasks hold 1 and 3 GiB get 9 : 3 containers of 18 GiB
// (9 x 1 = 3 x 3), however many cores they use.
TEST(Fair, CountsMemoryNotCores) {
  Scenario scenario = under("fair", 64, 18);
  scenario.jobs = {job_of("small", 0, 20, 4, 1, 10), job_of("large", 0, 20, 1, 3, 10)};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  auto got = first_round(cluster);
  EXPECT_EQ(count(got, "small"), 9);
  EXPECT_EQ(count(got, "large"), 3);
}

// Queues 3 : 1, the heavier with two jobs: 12 containers are 9 : 3, and in it 5 and 4.
TEST(Fair, WeightsOfQueuesThenJobsInThem) {
  Scenario scenario = under("fair", 12, 12);
  scenario.queues = {queue("heavy", 3), queue("light")};
  scenario.jobs = {in_queue("heavy", job_of("h1", 0, 12, 1, 1, 10)),
                   in_queue("heavy", job_of("h2", 0, 12, 1, 1, 10)),
                   in_queue("light", job_of("l", 0, 12, 1, 1, 10))};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  auto got = first_round(cluster);
  EXPECT_EQ(count(got, "h1"), 5);
  EXPECT_EQ(count(got, "h2"), 4);
  EXPECT_EQ(count(got, "l"), 3);
}

// Two queues under one parent share what the parent gets: of 12, "other" 6, "a" and "b" 3 each.
TEST(Fair, HierarchyOfQueues) {
  Scenario scenario = under("fair", 12, 12);
  scenario.queues = {queue("a"), queue("b"), queue("both"), queue("other")};
  scenario.queues[0].parent = scenario.queues[1].parent = "both";
  scenario.jobs = {in_queue("a", job_of("a", 0, 12, 1, 1, 10)),
                   in_queue("b", job_of("b", 0, 12, 1, 1, 10)),
                   in_queue("other", job_of("o", 0, 12, 1, 1, 10))};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  auto got = first_round(cluster);
  EXPECT_EQ(count(got, "a"), 3);
  EXPECT_EQ(count(got, "b"), 3);
  EXPECT_EQ(count(got, "o"), 6);
}

// "small" has a min of 4 GiB and a weight of 1 to 9: its first four containers go before anybody
// else's; then of 20 by weight: 18 : 2, but it has 4 already, so "big" gets the other 16.
TEST(Fair, MinIsHonouredFirst) {
  Scenario scenario = under("fair", 20, 20);
  scenario.queues = {queue("big", 9), queue("small")};
  scenario.queues[1].min = {Millicores(0), EmuBytes(4LL << 30)};
  scenario.jobs = {in_queue("big", job_of("b", 0, 20, 1, 1, 10)),
                   in_queue("small", job_of("s", 0, 20, 1, 1, 10))};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  auto got = first_round(cluster);
  EXPECT_THAT(std::vector(got.begin(), got.begin() + 5), ElementsAre("s", "s", "s", "s", "b"));
  EXPECT_EQ(count(got, "s"), 4);
  EXPECT_EQ(count(got, "b"), 16);
}

// The most memory that a cluster may have: 1024 nodes of 1024 TiB (2^20 GiB), 2^60 bytes. A task of
// "wide" takes a node, a 1024th; all tasks of "slim" together, 1 TiB, a 2^20th, so they are all
// next (two a node, 512 nodes). The other 511 nodes are for wide.
TEST(Fair, SharesOfTheLargestCluster) {
  Scenario scenario = cluster_of(1024, 2, 1 << 20);
  scenario.policy.preset = "fair";
  scenario.jobs = {job_of("wide", 0, 1024, 1, 1 << 20, 10), job_of("slim", 0, 1024, 1, 1, 10)};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.state().allowances().memory, EmuBytes(1LL << 60));
  std::vector<std::string> expected(1 + 1024 + 511, "wide");
  std::fill_n(expected.begin() + 1, 1024, "slim");
  EXPECT_EQ(first_round(cluster), expected);
}

// What one job doesn't want the other gets.
TEST(Fair, ConservesWork) {
  Scenario scenario = under("fair", 12, 12);
  scenario.jobs = {job_of("few", 0, 2, 1, 1, 10), job_of("many", 0, 20, 1, 1, 10)};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  auto got = first_round(cluster);
  EXPECT_EQ(count(got, "few"), 2);
  EXPECT_EQ(count(got, "many"), 10);
}

// As containers end, the newcomer catches up: "late" gets every container that ends until both
// hold the same.
TEST(Fair, ANewcomerCatchesUpAsContainersEnd) {
  Scenario scenario = under("fair", 4, 4);
  scenario.jobs = {job_of("early", 0, 12, 1, 1, 4), job_of("late", 1, 4, 1, 1, 4)};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(std::vector(cluster.log().begin() + 4, cluster.log().begin() + 8),
              ElementsAre("4.0 launch early.map.4 on n1", "4.0 launch late.map.0 on n1",
                          "4.0 launch early.map.5 on n1", "4.0 launch late.map.1 on n1"));
}

// YARN's TestComputeFairShares (Apache Hadoop, hadoop-yarn-server-resourcemanager), on a node of so
// many containers; a pool's `maxShare` there is what it demands. docs/checked.md lists all cases.

struct Pool {
  int demand = 0;
  double weight = 1;
  int min = 0;
};

/// Containers of 1 core and 1 GiB that each pool gets at first.
std::vector<int> shares_of(const char* scheduler, int whole, const std::vector<Pool>& pools) {
  Scenario scenario = under(scheduler, whole, whole);
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const std::string name = "q" + std::to_string(i + 1);
    scenario.queues.push_back(queue(name.c_str(), pools[i].weight));
    scenario.queues.back().min = {Millicores(1000 * pools[i].min),
                                  EmuBytes(pools[i].min * (1LL << 30))};
    scenario.jobs.push_back(in_queue(name.c_str(), job_of(name, 0, pools[i].demand, 1, 1, 10)));
  }
  VirtualCluster cluster(scenario);
  EXPECT_TRUE(cluster.run());
  const std::vector<std::string> got = first_round(cluster);
  std::vector<int> shares;
  for (const JobSpec& job : scenario.jobs) shares.push_back(count(got, job.name));
  return shares;
}

TEST(YarnFairShares, EqualSharing) {
  EXPECT_THAT(shares_of("fair", 40, {{40}, {40}, {40}, {40}}), ElementsAre(10, 10, 10, 10));
}

// The last pool wants less than 40/4, so 37 are left for three; the third wants less than 37/3.
TEST(YarnFairShares, LowMaxShares) {
  EXPECT_THAT(shares_of("fair", 40, {{100}, {50}, {11}, {3}}), ElementsAre(13, 13, 11, 3));
}

// The minima add up to all there is.
TEST(YarnFairShares, MinShares) {
  EXPECT_THAT(shares_of("fair", 40, {{40, 1, 20}, {40, 1, 18}, {40}, {40, 1, 2}}),
              ElementsAre(20, 18, 0, 2));
}

TEST(YarnFairShares, WeightedSharing) {
  EXPECT_THAT(shares_of("fair", 45, {{45, 2}, {45, 1}, {45, 1}, {45, 0.5}}),
              ElementsAre(20, 10, 10, 5));
}

// The first two want less than their parts, 20 and 11.67 of 35; the other 24 are 1 : 0.5.
TEST(YarnFairShares, WeightedSharingWithMaxShares) {
  EXPECT_THAT(shares_of("fair", 45, {{10, 2}, {11, 1}, {30, 1}, {20, 0.5}}),
              ElementsAre(10, 11, 16, 8));
}

// The minima take 40; by weight the second, with nothing yet, comes before all others for the rest.
TEST(YarnFairShares, WeightedSharingWithMinShares) {
  EXPECT_THAT(shares_of("fair", 45, {{45, 2, 20}, {45, 1}, {45, 1, 5}, {45, 0.5, 15}}),
              ElementsAre(20, 5, 5, 15));
}

// The same of cores, which drf counts.
TEST(YarnFairShares, Cpu) {
  EXPECT_THAT(shares_of("drf", 45, {{45, 2, 20}, {45, 1}, {45, 1, 5}, {45, 0.5, 15}}),
              ElementsAre(20, 5, 5, 15));
}

// Bhattacharya et al., "Hierarchical Scheduling for Diverse Datacenter Workloads", SoCC 2013: the
// two examples, with memory for GPUs. drf takes what a parent's children hold together for the
// parent's share (the paper's naive H-DRF): the static examples come out alike, and the starvation
// that the paper shows of the naive form is there.

/// A job in a queue of its own, of containers with that many cores and GiB.
void add_leaf(const char* name, const char* parent, int tasks, int cores, int gib,
              Scenario& scenario) {
  scenario.queues.push_back(queue(name));
  scenario.queues.back().parent = parent;
  scenario.jobs.push_back(in_queue(name, job_of(name, 0, tasks, cores, gib, 10)));
}

// 10 and 10; n1 wants <1, 1>, n2's children <1, 0> and <0, 1>. n1 and n2 go in turn, and n2's
// share, the larger of its cores and its memory, grows by one for each pair of its children.
TEST(HierarchicalDrf, ParentOfComplementaryChildren) {
  Scenario scenario = under("drf", 10, 10);
  add_leaf("n1", "", 10, 1, 1, scenario);
  scenario.queues.push_back(queue("n2"));
  add_leaf("n2,1", "n2", 10, 1, 0, scenario);
  add_leaf("n2,2", "n2", 10, 0, 1, scenario);
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  const auto got = first_round(cluster);
  EXPECT_EQ(count(got, "n1"), 5);
  EXPECT_EQ(count(got, "n2,1"), 5);
  EXPECT_EQ(count(got, "n2,2"), 5);
}

// 30 and 30; the cores are a third each of n1's, n2's and n3,1's, the memory half n3,2's and n4's.
TEST(HierarchicalDrf, SaturatedResource) {
  Scenario scenario = under("drf", 30, 30);
  add_leaf("n1", "", 30, 1, 0, scenario);
  add_leaf("n2", "", 30, 1, 0, scenario);
  scenario.queues.push_back(queue("n3"));
  add_leaf("n3,1", "n3", 30, 1, 0, scenario);
  add_leaf("n3,2", "n3", 30, 0, 1, scenario);
  add_leaf("n4", "", 30, 0, 1, scenario);
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  const auto got = first_round(cluster);
  EXPECT_EQ(count(got, "n1"), 10);
  EXPECT_EQ(count(got, "n2"), 10);
  EXPECT_EQ(count(got, "n3,1"), 10);
  EXPECT_EQ(count(got, "n3,2"), 15);
  EXPECT_EQ(count(got, "n4"), 15);
}

// n1 wants <0, 1>. With nobody else for cores n2,1 has all of them, so that n2's share is 1: every
// GiB that comes free at 10 s is n1's. H-DRF would give n2,2 half of them.
TEST(HierarchicalDrf, ALeafStarvesBesideOneThatHasAllOfItsResource) {
  Scenario scenario = under("drf", 10, 10);
  scenario.queues.push_back(queue("n2"));
  add_leaf("n2,1", "n2", 10, 1, 0, scenario);
  add_leaf("n2,2", "n2", 40, 0, 1, scenario);
  add_leaf("n1", "", 40, 0, 1, scenario);
  scenario.jobs[0].phases[0].sleep.mean = 100e6;
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  int n1 = 0, n22 = 0;
  for (const std::string& line : cluster.log()) {
    n1 += line.starts_with("10.0 launch n1.");
    n22 += line.starts_with("10.0 launch n2,2.");
  }
  EXPECT_EQ(n1, 10);
  EXPECT_EQ(n22, 0);
}

}  // namespace heddle::fair_test
