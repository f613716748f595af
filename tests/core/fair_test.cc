// fair and drf: who comes next, worked out by hand. One node, so that only shares decide.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/virtual_cluster.h"

namespace heddle {
namespace {

using ::testing::ElementsAre;

Scenario under(const char* scheduler, int cores, int gib) {
  Scenario scenario = cluster_of(1, cores, gib);
  scenario.policy.preset = scheduler;
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

}  // namespace
}  // namespace heddle
