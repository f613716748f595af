// The schedulers fair and drf: which job comes next, computed by hand. There is only one node, so
// that only shares decide.
#include <map>

#include "tests/core/virtual_cluster.h"
#include "tests/support/matchers.h"

namespace heddle::fair_test {

/// Returns a scenario without reservations, so that only the order decides.
Scenario under(const std::string& scheduler, int cores, int gib) {
  return cluster_of(1, cores, gib, scheduler + "+reserve=false");
}

QueueSpec queue(const std::string& name, double weight = 1) {
  QueueSpec spec = queue_of(name);
  spec.weight = weight;
  return spec;
}

using Counts = std::map<std::string, int>;

/// Returns the jobs that get a container at 0 s, in order.
std::vector<std::string> first_round(const Scenario& scenario) {
  std::vector<std::string> jobs;
  for (const std::string& line : log_of(scenario))
    if (line.starts_with("0.0 launch ")) jobs.push_back(line.substr(11, line.find('.', 4) - 11));
  return jobs;
}

// Ghodsi et al., NSDI 2011, section 4.1: 9 CPUs, 18 GB; A's tasks want <1 CPU, 4 GB>, B's <3, 1>.
// Dominant shares A:B after each launch are A 4/18 : 0; B 4/18 : 3/9; A 8/18 : 3/9; B 8/18 : 6/9; A
// 12/18 : 6/9. Then all CPUs are taken: A has 3 tasks, B 2.
TEST(Drf, ThePublishedExample) {
  Scenario scenario = under("drf", 9, 18);
  scenario.jobs = {job_of("A", 0, 10, 1, 4, 10), job_of("B", 0, 10, 3, 1, 10)};
  EXPECT_THAT(first_round(scenario), ElementsAre("A", "B", "A", "B", "A"));
}

// Table 1 of the paper, where B is first: dominant shares A:B after each launch are 0 : 3/9, 4/18 :
// 3/9, 8/18 : 3/9, 8/18 : 6/9, 12/18 : 6/9.
TEST(Drf, Table1) {
  Scenario scenario = under("drf", 9, 18);
  scenario.jobs = {job_of("B", 0, 10, 3, 1, 10), job_of("A", 0, 10, 1, 4, 10)};
  EXPECT_THAT(first_round(scenario), ElementsAre("B", "A", "A", "B", "A"));
}

// The same with weight 2 for B, which is entitled to twice A's dominant share. After A the shares
// are 4/18 : 0, after B 3/9/2 = 1/6. B again (1/6 < 4/18) has 6/9/2 = 1/3, and A (4/18 < 1/3) 8/18.
// B is passed over, because with A's 2 it would need 8 + 3 > 9 CPUs. A takes what is left: 12/18, 9
// CPUs.
TEST(Drf, WeightsOfJobs) {
  Scenario scenario = under("drf", 9, 18);
  scenario.jobs = {job_of("A", 0, 10, 1, 4, 10), job_of("B", 0, 10, 3, 1, 10)};
  scenario.jobs[1].weight = 2;
  EXPECT_THAT(first_round(scenario), ElementsAre("A", "B", "B", "A", "A"));
}

// 12 containers of 1 GiB are divided among jobs of weights 1, 2 and 3: 2, 4 and 6.
TEST(Fair, MemoryByWeightOfJobs) {
  Scenario scenario = under("fair", 12, 12);
  scenario.jobs = {job_of("one", 0, 12, 1, 1, 10), job_of("two", 0, 12, 1, 1, 10),
                   job_of("three", 0, 12, 1, 1, 10)};
  scenario.jobs[1].weight = 2;
  scenario.jobs[2].weight = 3;
  EXPECT_EQ(FinishedRun(scenario).launched(0), (Counts{{"one", 2}, {"three", 6}, {"two", 4}}));
}

// Only memory counts for fairness. Jobs whose tasks hold 1 and 3 GiB get 9 : 3 containers of 18 GiB
// (9 x 1 = 3 x 3), however many cores they use.
TEST(Fair, CountsMemoryNotCores) {
  Scenario scenario = under("fair", 64, 18);
  scenario.jobs = {job_of("small", 0, 20, 4, 1, 10), job_of("large", 0, 20, 1, 3, 10)};
  EXPECT_EQ(FinishedRun(scenario).launched(0), (Counts{{"large", 3}, {"small", 9}}));
}

// Queues have weights 3 : 1, so 12 containers are 9 : 3. The heavier queue has two jobs, which get
// 5 and 4.
TEST(Fair, WeightsOfQueuesThenJobsInThem) {
  Scenario scenario = under("fair", 12, 12);
  scenario.queues = {queue("heavy", 3), queue("light")};
  scenario.jobs = {in_queue("heavy", job_of("h1", 0, 12, 1, 1, 10)),
                   in_queue("heavy", job_of("h2", 0, 12, 1, 1, 10)),
                   in_queue("light", job_of("l", 0, 12, 1, 1, 10))};
  EXPECT_EQ(FinishedRun(scenario).launched(0), (Counts{{"h1", 5}, {"h2", 4}, {"l", 3}}));
}

// Two queues under one parent share the parent's part: of 12, "other" gets 6, "a" and "b" 3 each.
TEST(Fair, HierarchyOfQueues) {
  Scenario scenario = under("fair", 12, 12);
  scenario.queues = {queue("a"), queue("b"), queue("both"), queue("other")};
  scenario.queues[0].parent = scenario.queues[1].parent = "both";
  scenario.jobs = {in_queue("a", job_of("a", 0, 12, 1, 1, 10)),
                   in_queue("b", job_of("b", 0, 12, 1, 1, 10)),
                   in_queue("other", job_of("o", 0, 12, 1, 1, 10))};
  EXPECT_EQ(FinishedRun(scenario).launched(0), (Counts{{"a", 3}, {"b", 3}, {"o", 6}}));
}

// Queue "small" has a min of 4 GiB and a weight of 1 to 9. Its first four containers go before all
// others. By weight, it is entitled to 2 of 20, but it has 4 already, so "big" gets the other 16.
TEST(Fair, MinIsHonouredFirst) {
  Scenario scenario = under("fair", 20, 20);
  scenario.queues = {queue("big", 9), queue("small")};
  scenario.queues[1].min = size_of(0, 4);
  scenario.jobs = {in_queue("big", job_of("b", 0, 20, 1, 1, 10)),
                   in_queue("small", job_of("s", 0, 20, 1, 1, 10))};
  auto got = first_round(scenario);
  EXPECT_THAT(std::vector(got.begin(), got.begin() + 5), ElementsAre("s", "s", "s", "s", "b"));
  EXPECT_EQ(FinishedRun(scenario).launched(0), (Counts{{"b", 16}, {"s", 4}}));
}

// The cluster has the largest supported memory: 1024 nodes of 1024 TiB (2^20 GiB), 2^60 bytes. A
// task of "wide" takes a node, which is 1/1024. All tasks of "slim" together take 1 TiB, which is
// 1/2^20, so they all come next: two per node, on 512 nodes. The other 511 nodes are for wide.
TEST(Fair, SharesOfTheLargestCluster) {
  Scenario scenario = cluster_of(1024, 2, 1 << 20, "fair");
  scenario.jobs = {job_of("wide", 0, 1024, 1, 1 << 20, 10), job_of("slim", 0, 1024, 1, 1, 10)};
  EXPECT_EQ(FinishedRun(scenario).state().allowances().memory, EmuBytes(1LL << 60));
  std::vector<std::string> expected(1 + 1024 + 511, "wide");
  std::fill_n(expected.begin() + 1, 1024, "slim");
  EXPECT_EQ(first_round(scenario), expected);
}

// Containers that one job does not want go to the other.
TEST(Fair, ConservesWork) {
  Scenario scenario = under("fair", 12, 12);
  scenario.jobs = {job_of("few", 0, 2, 1, 1, 10), job_of("many", 0, 20, 1, 1, 10)};
  EXPECT_EQ(FinishedRun(scenario).launched(0), (Counts{{"few", 2}, {"many", 10}}));
}

// As containers end, the later job catches up: "late" gets every container that ends until both
// jobs hold the same.
TEST(Fair, ANewcomerCatchesUpAsContainersEnd) {
  Scenario scenario = under("fair", 4, 4);
  scenario.jobs = {job_of("early", 0, 12, 1, 1, 4), job_of("late", 1, 4, 1, 1, 4)};
  const FinishedRun cluster(scenario);
  EXPECT_THAT(
      by_time(std::vector(cluster.log().begin() + 4, cluster.log().begin() + 8)),
      ElementsAre("4.0 early.map.4 on n1, late.map.0 on n1, early.map.5 on n1, late.map.1 on n1"));
}

// The tests of YARN's TestComputeFairShares (Apache Hadoop, hadoop-yarn-server-resourcemanager), on
// a node with room for `whole` containers. A pool's `maxShare` there is its demand here.
// docs/explanation/checked.md lists all cases.

struct Pool {
  int demand = 0;
  double weight = 1;
  int min = 0;
};

/// Returns how many containers of 1 core and 1 GiB each pool gets at first.
std::vector<int> shares_of(const char* scheduler, int whole, const std::vector<Pool>& pools) {
  Scenario scenario = under(scheduler, whole, whole);
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const std::string name = "q" + std::to_string(i + 1);
    scenario.queues.push_back(queue(name, pools[i].weight));
    scenario.queues.back().min = size_of(pools[i].min, pools[i].min);
    scenario.jobs.push_back(in_queue(name.c_str(), job_of(name, 0, pools[i].demand, 1, 1, 10)));
  }
  Counts got = FinishedRun(scenario).launched(0);
  std::vector<int> shares;
  for (const JobSpec& job : scenario.jobs) shares.push_back(got[job.name]);
  return shares;
}

TEST(YarnFairShares, EqualSharing) {
  EXPECT_THAT(shares_of("fair", 40, {{40}, {40}, {40}, {40}}), ElementsAre(10, 10, 10, 10));
}

// The last pool wants less than 40/4, so 37 are left for three. The third wants less than 37/3.
TEST(YarnFairShares, LowMaxShares) {
  EXPECT_THAT(shares_of("fair", 40, {{100}, {50}, {11}, {3}}), ElementsAre(13, 13, 11, 3));
}

// The min shares sum up to the whole cluster.
TEST(YarnFairShares, MinShares) {
  EXPECT_THAT(shares_of("fair", 40, {{40, 1, 20}, {40, 1, 18}, {40}, {40, 1, 2}}),
              ElementsAre(20, 18, 0, 2));
}

TEST(YarnFairShares, WeightedSharing) {
  EXPECT_THAT(shares_of("fair", 45, {{45, 2}, {45, 1}, {45, 1}, {45, 0.5}}),
              ElementsAre(20, 10, 10, 5));
}

// The first two want less than their parts, which are 20 and 11.67 of 35. The other 24 are divided
// 1 : 0.5.
TEST(YarnFairShares, WeightedSharingWithMaxShares) {
  EXPECT_THAT(shares_of("fair", 45, {{10, 2}, {11, 1}, {30, 1}, {20, 0.5}}),
              ElementsAre(10, 11, 16, 8));
}

// The min shares take 40. The second pool has nothing yet, so by weight it comes first and gets the
// rest.
TEST(YarnFairShares, WeightedSharingWithMinShares) {
  EXPECT_THAT(shares_of("fair", 45, {{45, 2, 20}, {45, 1}, {45, 1, 5}, {45, 0.5, 15}}),
              ElementsAre(20, 5, 5, 15));
}

// The same with cores, which drf counts.
TEST(YarnFairShares, Cpu) {
  EXPECT_THAT(shares_of("drf", 45, {{45, 2, 20}, {45, 1}, {45, 1, 5}, {45, 0.5, 15}}),
              ElementsAre(20, 5, 5, 15));
}

// Bhattacharya et al., "Hierarchical Scheduling for Diverse Datacenter Workloads", SoCC 2013: the
// two examples, with memory in place of GPUs. To drf, a parent's share is what its children hold
// together (the paper's naive H-DRF). The static examples give the same results. The starvation
// that the paper shows for the naive form also happens here.

/// Adds a job in a queue of its own. Its containers have that many cores and GiB.
void add_leaf(const char* name, const char* parent, int tasks, int cores, int gib,
              Scenario& scenario) {
  scenario.queues.push_back(queue(name));
  scenario.queues.back().parent = parent;
  scenario.jobs.push_back(in_queue(name, job_of(name, 0, tasks, cores, gib, 10)));
}

// There are 10 cores and 10 GiB. n1 wants <1, 1>, the children of n2 want <1, 0> and <0, 1>. n1 and
// n2 alternate. The share of n2, the larger of its cores and its memory, grows by one for each pair
// of its children's containers.
TEST(HierarchicalDrf, ParentOfComplementaryChildren) {
  Scenario scenario = under("drf", 10, 10);
  add_leaf("n1", "", 10, 1, 1, scenario);
  scenario.queues.push_back(queue("n2"));
  add_leaf("n2,1", "n2", 10, 1, 0, scenario);
  add_leaf("n2,2", "n2", 10, 0, 1, scenario);
  EXPECT_EQ(FinishedRun(scenario).launched(0), (Counts{{"n1", 5}, {"n2,1", 5}, {"n2,2", 5}}));
}

// There are 30 cores and 30 GiB. n1, n2 and n3,1 get a third of the cores each, n3,2 and n4 half of
// the memory each.
TEST(HierarchicalDrf, SaturatedResource) {
  Scenario scenario = under("drf", 30, 30);
  add_leaf("n1", "", 30, 1, 0, scenario);
  add_leaf("n2", "", 30, 1, 0, scenario);
  scenario.queues.push_back(queue("n3"));
  add_leaf("n3,1", "n3", 30, 1, 0, scenario);
  add_leaf("n3,2", "n3", 30, 0, 1, scenario);
  add_leaf("n4", "", 30, 0, 1, scenario);
  EXPECT_EQ(FinishedRun(scenario).launched(0),
            (Counts{{"n1", 10}, {"n2", 10}, {"n3,1", 10}, {"n3,2", 15}, {"n4", 15}}));
}

// n1 wants <0, 1>. No other queue wants cores, so n2,1 has all of them and the share of n2 is 1.
// Every GiB that becomes free at 10 s goes to n1. H-DRF would give n2,2 half of them.
TEST(HierarchicalDrf, ALeafStarvesBesideOneThatHasAllOfItsResource) {
  Scenario scenario = under("drf", 10, 10);
  scenario.queues.push_back(queue("n2"));
  add_leaf("n2,1", "n2", 10, 1, 0, scenario);
  add_leaf("n2,2", "n2", 40, 0, 1, scenario);
  add_leaf("n1", "", 40, 0, 1, scenario);
  scenario.jobs[0].phases[0].sleep.mean = 100e6;
  EXPECT_EQ(FinishedRun(scenario).launched(10), (Counts{{"n1", 10}}));
}

}  // namespace heddle::fair_test
