// The scheduler capacity: guarantees, elasticity and limits, computed by hand. There is only one
// node, so that only the queues decide. It has as many cores as GiB, and containers have 1 core and
// 1 GiB.
#include <map>

#include "tests/core/virtual_cluster.h"
#include "tests/support/matchers.h"

namespace heddle::capacity_test {

Scenario with_queues(int containers, std::vector<QueueSpec> queues) {
  Scenario scenario = cluster_of(1, containers, containers, "capacity");
  scenario.queues = std::move(queues);
  return scenario;
}

JobSpec job_in(const char* queue, const char* name, double submit_s, int tasks, double seconds) {
  return in_queue(queue, job_of(name, submit_s, tasks, 1, 1, seconds));
}

using Counts = std::map<std::string, int>;

// Guarantees are 70 and 30 % of 10 containers. Both queues want all and get 7 and 3.
TEST(Capacity, QueuesGetWhatTheyAreGuaranteed) {
  Scenario scenario = with_queues(10, {queue_of("prod", 0.7), queue_of("dev", 0.3)});
  scenario.jobs = {job_in("prod", "p", 0, 10, 10), job_in("dev", "d", 0, 10, 10)};
  EXPECT_EQ(FinishedRun(scenario).launched(0), (Counts{{"d", 3}, {"p", 7}}));
}

// Queue dev is alone and grows to all 10 containers. Queue prod comes at 1 s and gets nothing until
// containers end. At 4 s, 5 of them do (tasks of 4 s were launched at 0 s). They go to prod, which
// holds 0 of its 7. It gets 2 more before dev, at 0 of 3, gets its 3.
TEST(Capacity, ElasticAndReclaimedAsContainersEnd) {
  Scenario scenario = with_queues(10, {queue_of("prod", 0.7), queue_of("dev", 0.3)});
  scenario.jobs = {job_in("dev", "d", 0, 20, 4), job_in("prod", "p", 1, 20, 4)};
  const FinishedRun cluster(scenario);
  EXPECT_EQ(cluster.launched(0), (Counts{{"d", 10}}));
  EXPECT_EQ(cluster.launched(4), (Counts{{"d", 3}, {"p", 7}}));
  EXPECT_EQ(cluster.wait_s("p"), 3);
}

TEST(Capacity, MaxCapacityEndsTheGrowth) {
  Scenario scenario = with_queues(10, {queue_of("prod", 0.7), queue_of("dev", 0.3, 0.5)});
  scenario.jobs = {job_in("dev", "d", 0, 20, 10)};
  const FinishedRun cluster(scenario);
  EXPECT_EQ(cluster.launched(0), (Counts{{"d", 5}}));
  EXPECT_EQ(cluster.launched(10), (Counts{{"d", 5}}));
}

// Queues a and b each have half of half the cluster: of 20, they get 5, 5 and the other 10. Without
// b, a gets its parent's 10.
TEST(Capacity, HierarchyOfQueues) {
  Scenario scenario = with_queues(
      20, {queue_of("half", 0.5), queue_of("a", 0.5), queue_of("b", 0.5), queue_of("other", 0.5)});
  scenario.queues[1].parent = scenario.queues[2].parent = "half";
  scenario.jobs = {job_in("a", "a", 0, 20, 10), job_in("b", "b", 0, 20, 10),
                   job_in("other", "o", 0, 20, 10)};
  EXPECT_EQ(FinishedRun(scenario).launched(0), (Counts{{"a", 5}, {"b", 5}, {"o", 10}}));
  scenario.jobs.erase(scenario.jobs.begin() + 1);
  EXPECT_EQ(FinishedRun(scenario).launched(0), (Counts{{"a", 10}, {"o", 10}}));
}

// Jobs of one queue are first in, first out: the second gets nothing while the first has requests.
TEST(Capacity, FifoInsideAQueue) {
  Scenario scenario = with_queues(4, {queue_of("q", 1)});
  scenario.jobs = {job_in("q", "one", 0, 8, 5), job_in("q", "two", 0, 4, 5)};
  EXPECT_EQ(FinishedRun(scenario).wait_s("two"), 10);
}

/// Returns jobs of three users, which each want 12 containers.
std::vector<JobSpec> three_users() {
  std::vector<JobSpec> jobs;
  for (const char* user : {"ann", "bob", "cy"}) {
    jobs.push_back(job_in("q", user, 0, 12, 10));
    jobs.back().user = user;
  }
  return jobs;
}

// The user_limit is 25 %, and three users have requests. Each may use max(25 %, 1/3) of the queue's
// 12 containers. User ann comes first and gets 4, not 12; so do bob and cy.
TEST(Capacity, UserLimitDividesAmongThoseWhoAsk) {
  Scenario scenario = with_queues(12, {queue_of("q", 1)});
  scenario.queues[0].user_limit = 0.25;
  scenario.jobs = three_users();
  EXPECT_EQ(FinishedRun(scenario).launched(0), (Counts{{"ann", 4}, {"bob", 4}, {"cy", 4}}));
}

// With a user_limit of 50 %, the first two of three users fill the queue with 6 each. A single user
// may use all of it.
TEST(Capacity, UserLimitIsWhatAUserMayHaveInAnyCase) {
  Scenario scenario = with_queues(12, {queue_of("q", 1)});
  scenario.queues[0].user_limit = 0.5;
  scenario.jobs = three_users();
  EXPECT_EQ(FinishedRun(scenario).launched(0), (Counts{{"ann", 6}, {"bob", 6}}));
  scenario.jobs.resize(1);
  EXPECT_EQ(FinishedRun(scenario).launched(0), (Counts{{"ann", 12}}));
}

// A request that is larger than what is free reserves the node, and a queue above its share can't
// take it.
TEST(Capacity, ReservesForALargeRequest) {
  Scenario scenario = with_queues(4, {queue_of("a", 0.5), queue_of("b", 0.5)});
  scenario.jobs = {job_in("b", "small", 0, 12, 3), job_in("a", "big", 1, 1, 5)};
  scenario.jobs[1].phases[0].request = size_of(2, 2);
  scenario.jobs[0].phases[0].tasks = 3;
  scenario.jobs.push_back(job_in("b", "more", 2, 6, 3));
  const FinishedRun cluster(scenario);
  EXPECT_THAT(by_time(std::vector(cluster.log().begin() + 3, cluster.log().begin() + 6)),
              ElementsAre("1.0 reserve n1 for big.map", "3.0 big.map.0 on n1, more.map.0 on n1"));
}

// A queue's application masters may use at most half of the queue's maximum, here 1 of 2 containers
// of 4.
TEST(Capacity, MaxAmShareOfAQueue) {
  Scenario scenario = with_queues(4, {queue_of("a", 0.5, 0.5), queue_of("b", 0.5)});
  scenario.queues[0].max_am_share = 0.5;
  scenario.policy.options = {{"max_am_share", "1"}};
  for (const char* name : {"one", "two"}) {
    scenario.jobs.push_back(job_in("a", name, 0, 1, 10));
    add_master(scenario.jobs.back(), 1, 1);
  }
  const FinishedRun cluster(scenario);
  EXPECT_EQ(cluster.log()[0], "0.0 launch one.am.0 on n1");
  EXPECT_EQ(cluster.launched(0), (Counts{{"one", 2}}));
  EXPECT_EQ(cluster.launched(10), (Counts{{"two", 2}}));
}

}  // namespace heddle::capacity_test
