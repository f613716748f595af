// The scheduler capacity: guarantees, elasticity and limits, computed by hand. There is only one
// node, so that only the queues decide. It has as many cores as GiB, and containers have 1 core and
// 1 GiB.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/virtual_cluster.h"

namespace heddle::capacity_test {

using ::testing::ElementsAre;

Scenario with_queues(int containers, std::vector<QueueSpec> queues) {
  Scenario scenario = cluster_of(1, containers, containers);
  scenario.policy.preset = "capacity";
  scenario.queues = std::move(queues);
  return scenario;
}

QueueSpec queue(const char* name, double capacity, double max_capacity = 1) {
  QueueSpec spec;
  spec.name = name;
  spec.capacity = capacity;
  spec.max_capacity = max_capacity;
  return spec;
}

JobSpec job_in(const char* queue, const char* name, double submit_s, int tasks, double seconds) {
  return in_queue(queue, job_of(name, submit_s, tasks, 1, 1, seconds));
}

/// Returns the number of a job's launches at a time.
int launched(const VirtualCluster& cluster, const std::string& job, const std::string& at) {
  return static_cast<int>(std::count_if(
      cluster.log().begin(), cluster.log().end(),
      [&](const std::string& line) { return line.starts_with(at + " launch " + job + "."); }));
}

// Guarantees are 70 and 30 % of 10 containers. Both queues want all and get 7 and 3.
TEST(Capacity, QueuesGetWhatTheyAreGuaranteed) {
  Scenario scenario = with_queues(10, {queue("prod", 0.7), queue("dev", 0.3)});
  scenario.jobs = {job_in("prod", "p", 0, 10, 10), job_in("dev", "d", 0, 10, 10)};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(launched(cluster, "p", "0.0"), 7);
  EXPECT_EQ(launched(cluster, "d", "0.0"), 3);
}

// Queue dev is alone and grows to all 10 containers. Queue prod comes at 1 s and gets nothing until
// containers end. At 4 s, 5 of them do (tasks of 4 s were launched at 0 s). They go to prod, which
// holds 0 of its 7. It gets 2 more before dev, at 0 of 3, gets its 3.
TEST(Capacity, ElasticAndReclaimedAsContainersEnd) {
  Scenario scenario = with_queues(10, {queue("prod", 0.7), queue("dev", 0.3)});
  scenario.jobs = {job_in("dev", "d", 0, 20, 4), job_in("prod", "p", 1, 20, 4)};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(launched(cluster, "d", "0.0"), 10);
  EXPECT_EQ(launched(cluster, "p", "4.0"), 7);
  EXPECT_EQ(launched(cluster, "d", "4.0"), 3);
  EXPECT_EQ(cluster.wait_s("p"), 3);
}

TEST(Capacity, MaxCapacityEndsTheGrowth) {
  Scenario scenario = with_queues(10, {queue("prod", 0.7), queue("dev", 0.3, 0.5)});
  scenario.jobs = {job_in("dev", "d", 0, 20, 10)};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(launched(cluster, "d", "0.0"), 5);
  EXPECT_EQ(launched(cluster, "d", "10.0"), 5);
}

// Queues a and b each have half of half the cluster: of 20, they get 5, 5 and the other 10. Without
// b, a gets its parent's 10.
TEST(Capacity, HierarchyOfQueues) {
  Scenario scenario =
      with_queues(20, {queue("half", 0.5), queue("a", 0.5), queue("b", 0.5), queue("other", 0.5)});
  scenario.queues[1].parent = scenario.queues[2].parent = "half";
  scenario.jobs = {job_in("a", "a", 0, 20, 10), job_in("b", "b", 0, 20, 10),
                   job_in("other", "o", 0, 20, 10)};
  VirtualCluster all(scenario);
  ASSERT_TRUE(all.run());
  EXPECT_EQ(launched(all, "a", "0.0"), 5);
  EXPECT_EQ(launched(all, "b", "0.0"), 5);
  EXPECT_EQ(launched(all, "o", "0.0"), 10);
  scenario.jobs.erase(scenario.jobs.begin() + 1);
  VirtualCluster without_b(scenario);
  ASSERT_TRUE(without_b.run());
  EXPECT_EQ(launched(without_b, "a", "0.0"), 10);
  EXPECT_EQ(launched(without_b, "o", "0.0"), 10);
}

// Jobs of one queue are first in, first out: the second gets nothing while the first has requests.
TEST(Capacity, FifoInsideAQueue) {
  Scenario scenario = with_queues(4, {queue("q", 1)});
  scenario.jobs = {job_in("q", "one", 0, 8, 5), job_in("q", "two", 0, 4, 5)};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.wait_s("two"), 10);
}

// The user_limit is 25 %, and three users have requests. Each may use max(25 %, 1/3) of the queue's
// 12 containers. User ann comes first and gets 4, not 12; so do bob and cy.
TEST(Capacity, UserLimitDividesAmongThoseWhoAsk) {
  Scenario scenario = with_queues(12, {queue("q", 1)});
  scenario.queues[0].user_limit = 0.25;
  for (const char* user : {"ann", "bob", "cy"}) {
    scenario.jobs.push_back(job_in("q", user, 0, 12, 10));
    scenario.jobs.back().user = user;
  }
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(launched(cluster, "ann", "0.0"), 4);
  EXPECT_EQ(launched(cluster, "bob", "0.0"), 4);
  EXPECT_EQ(launched(cluster, "cy", "0.0"), 4);
}

// With a user_limit of 50 %, the first two of three users fill the queue with 6 each. A single user
// may use all of it.
TEST(Capacity, UserLimitIsWhatAUserMayHaveInAnyCase) {
  Scenario scenario = with_queues(12, {queue("q", 1)});
  scenario.queues[0].user_limit = 0.5;
  for (const char* user : {"ann", "bob", "cy"}) {
    scenario.jobs.push_back(job_in("q", user, 0, 12, 10));
    scenario.jobs.back().user = user;
  }
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(launched(cluster, "ann", "0.0"), 6);
  EXPECT_EQ(launched(cluster, "bob", "0.0"), 6);
  EXPECT_EQ(launched(cluster, "cy", "0.0"), 0);
  scenario.jobs.resize(1);
  VirtualCluster alone(scenario);
  ASSERT_TRUE(alone.run());
  EXPECT_EQ(launched(alone, "ann", "0.0"), 12);
}

// A request that is larger than what is free reserves the node, and a queue above its share can't
// take it.
TEST(Capacity, ReservesForALargeRequest) {
  Scenario scenario = with_queues(4, {queue("a", 0.5), queue("b", 0.5)});
  scenario.jobs = {job_in("b", "small", 0, 12, 3), job_in("a", "big", 1, 1, 5)};
  scenario.jobs[1].phases[0].request = {Millicores(2000), EmuBytes(2LL << 30)};
  scenario.jobs[0].phases[0].tasks = 3;
  scenario.jobs.push_back(job_in("b", "more", 2, 6, 3));
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(std::vector(cluster.log().begin() + 3, cluster.log().begin() + 6),
              ElementsAre("1.0 reserve n1 for big.map", "3.0 launch big.map.0 on n1",
                          "3.0 launch more.map.0 on n1"));
}

// A queue's application masters may use at most half of the queue's maximum, here 1 of 2 containers
// of 4.
TEST(Capacity, MaxAmShareOfAQueue) {
  Scenario scenario = with_queues(4, {queue("a", 0.5, 0.5), queue("b", 0.5)});
  scenario.queues[0].max_am_share = 0.5;
  scenario.policy.options = {{"max_am_share", "1"}};
  for (const char* name : {"one", "two"}) {
    JobSpec job = job_in("a", name, 0, 1, 10);
    PhaseSpec am = job.phases[0];
    am.name = "am";
    am.kind = PhaseKind::kAm;
    am.sleep = {Drawn::Dist::kConstant, 1e9, 0};
    job.phases.insert(job.phases.begin(), am);
    scenario.jobs.push_back(job);
  }
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.log()[0], "0.0 launch one.am.0 on n1");
  EXPECT_EQ(launched(cluster, "two", "0.0"), 0);
  EXPECT_EQ(launched(cluster, "two", "10.0"), 2);
}

}  // namespace heddle::capacity_test
