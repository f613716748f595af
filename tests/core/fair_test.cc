// Shares of fair and drf that a scenario's file cannot say. schedules/fair.yaml has the others.

#include "core/policy/queues/queue_tree.h"
#include "tests/core/virtual_cluster.h"

namespace heddle::fair_test {

/// Returns a node without reservations, so that only the order decides.
Scenario drf(int size) { return cluster_of(1, size, size, "drf+reserve=false"); }

using Counts = std::map<std::string, int>;

// The cluster has the largest supported memory: 1024 nodes of 1024 TiB (2^20 GiB), 2^60 bytes. A
// task of "wide" takes a node, which is 1/1024. All tasks of "slim" together take 1 TiB, which is
// 1/2^20, so they all come next: two per node, on 512 nodes. The other 511 nodes are for wide.
TEST(Fair, SharesOfTheLargestCluster) {
  Scenario scenario = cluster_of(1024, 2, 1 << 20, "fair");
  scenario.jobs = {job_of("wide", 0, 1024, 1, 1 << 20, 10), job_of("slim", 0, 1024, 1, 1, 10)};
  const FinishedRun cluster(scenario);
  EXPECT_EQ(cluster.state().allowances().memory, EmuBytes(1LL << 60));
  const std::vector<Action>& launches = cluster.launches();
  for (std::size_t i = 0; i < 1 + 1024 + 511; ++i) {
    const bool slim = i >= 1 && i < 1 + 1024;
    ASSERT_EQ(std::get<Launch>(launches.at(i).what).phase.job, JobId{slim ? 1 : 0}) << i;
  }
}

// Bhattacharya et al., "Hierarchical Scheduling for Diverse Datacenter Workloads", SoCC 2013: the
// two examples, with memory in place of GPUs. To drf, a parent's share is what its children hold
// together (the paper's naive H-DRF). The static examples give the same results. The starvation
// that the paper shows for the naive form also happens here.

/// Adds a job in a queue of its own. Its containers have that many cores and GiB.
void add_leaf(const char* name, const char* parent, int tasks, int cores, int gib,
              Scenario& scenario) {
  scenario.queues.push_back(queue_of(name));
  scenario.queues.back().parent = parent;
  scenario.jobs.push_back(in_queue(name, job_of(name, 0, tasks, cores, gib, 10)));
}

// There are 10 cores and 10 GiB. n1 wants <1, 1>, the children of n2 want <1, 0> and <0, 1>. n1 and
// n2 alternate. The share of n2, the larger of its cores and its memory, grows by one for each pair
// of its children's containers.
TEST(HierarchicalDrf, ParentOfComplementaryChildren) {
  Scenario scenario = drf(10);
  add_leaf("n1", "", 10, 1, 1, scenario);
  scenario.queues.push_back(queue_of("n2"));
  add_leaf("n2,1", "n2", 10, 1, 0, scenario);
  add_leaf("n2,2", "n2", 10, 0, 1, scenario);
  EXPECT_EQ(FinishedRun(scenario).launched(0), (Counts{{"n1", 5}, {"n2,1", 5}, {"n2,2", 5}}));
}

// There are 30 cores and 30 GiB. n1, n2 and n3,1 get a third of the cores each, n3,2 and n4 half of
// the memory each.
TEST(HierarchicalDrf, SaturatedResource) {
  Scenario scenario = drf(30);
  add_leaf("n1", "", 30, 1, 0, scenario);
  add_leaf("n2", "", 30, 1, 0, scenario);
  scenario.queues.push_back(queue_of("n3"));
  add_leaf("n3,1", "n3", 30, 1, 0, scenario);
  add_leaf("n3,2", "n3", 30, 0, 1, scenario);
  add_leaf("n4", "", 30, 0, 1, scenario);
  EXPECT_EQ(FinishedRun(scenario).launched(0),
            (Counts{{"n1", 10}, {"n2", 10}, {"n3,1", 10}, {"n3,2", 15}, {"n4", 15}}));
}

// n1 wants <0, 1>. No other queue wants cores, so n2,1 has all of them and the share of n2 is 1.
// Every GiB that becomes free at 10 s goes to n1. H-DRF would give n2,2 half of them.
TEST(HierarchicalDrf, ALeafStarvesBesideOneThatHasAllOfItsResource) {
  Scenario scenario = drf(10);
  scenario.queues.push_back(queue_of("n2"));
  add_leaf("n2,1", "n2", 10, 1, 0, scenario);
  add_leaf("n2,2", "n2", 40, 0, 1, scenario);
  add_leaf("n1", "", 40, 0, 1, scenario);
  scenario.jobs[0].phases[0].sleep.mean = 100e6;
  EXPECT_EQ(FinishedRun(scenario).launched(10), (Counts{{"n1", 10}}));
}

JobSpec job_of_user(const char* user, const char* queue = "default") {
  JobSpec job = job_of("j", 0, 1, 1, 1, 1);
  job.user = user;
  job.queue = queue;
  return job;
}

TEST(UserQueues, AreTheDefaultForSeveralUsersOfOneQueue) {
  EXPECT_FALSE(several_users_in_one_queue({}));
  EXPECT_FALSE(several_users_in_one_queue({job_of_user("ann"), job_of_user("ann")}));
  EXPECT_TRUE(several_users_in_one_queue({job_of_user("ann"), job_of_user("bob")}));
  EXPECT_TRUE(several_users_in_one_queue({job_of_user("ann", "q"), job_of_user("bob", "q")}));
  EXPECT_FALSE(several_users_in_one_queue({job_of_user("ann", "q"), job_of_user("bob", "r")}));
}

TEST(UserQueues, HaveNamesOfTheirOwn) {
  Scenario scenario = cluster_of(1, 4, 4, "fair");
  scenario.jobs = {job_of_user("bob")};
  EXPECT_EQ(QueueTree(scenario, nullptr, true).name_of(1), "the queue of user bob");
  scenario.queues = {queue_of("q"), queue_of("r")};
  scenario.jobs = {job_of_user("ann", "r"), job_of_user("bob", "q"), job_of_user("ann", "q")};
  const QueueTree tree(scenario, nullptr, true);
  EXPECT_EQ(tree.name_of(tree.queue_of(JobId{0})), "queue r of user ann");
  EXPECT_EQ(tree.name_of(tree.queue_of(JobId{1})), "queue q of user bob");
  EXPECT_EQ(tree.name_of(tree.queue_of(JobId{2})), "queue q of user ann");
  EXPECT_EQ(tree.name_of(tree.index_of("r")), "queue r");
  EXPECT_EQ(tree.index_of(""), -1);
}

}  // namespace heddle::fair_test
