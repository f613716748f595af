#include "core/policy/scheduler/backfill/plan.h"
#include "tests/support/matchers.h"

namespace heddle::backfill::backfill_plan_test {

constexpr EmuTime operator""_s(unsigned long long seconds) {
  return EmuTime(static_cast<std::int64_t>(seconds) * 1'000'000);
}

/// A machine of this many cores.
Resources cores(std::int64_t count) { return {Millicores(count * 1000), EmuBytes(count << 30)}; }

/// A machine of one core that a job holds until `until`.
NodePlan busy_until(EmuTime until) {
  NodePlan node(EmuTime(0), Resources{});
  node.take(until, kForever, Resources{} - cores(1));
  return node;
}
NodePlan idle() { return {EmuTime(0), cores(1)}; }

Waiting job(int tasks, EmuTime walltime) { return {tasks, cores(1), walltime}; }

std::vector<std::optional<EmuTime>> starts(const std::vector<Planned>& planned) {
  std::vector<std::optional<EmuTime>> starts;
  for (const Planned& one : planned) starts.push_back(one.start);
  return starts;
}

constexpr Rules kEasy{false, true}, kEasyByCount{false, false}, kConservative{true, true},
    kConservativeByCount{true, false};

TEST(NodePlan, TakesResourcesForAnInterval) {
  NodePlan node(EmuTime(0), cores(4));
  node.take(2_s, 5_s, cores(3));
  EXPECT_EQ(node.at(1_s), cores(4));
  EXPECT_EQ(node.at(2_s), cores(1));
  EXPECT_EQ(node.at(5_s), cores(4)) << "intervals are half-open";
  EXPECT_EQ(node.least(0_s, 2_s), cores(4));
  EXPECT_EQ(node.least(0_s, 3_s), cores(1));
  EXPECT_EQ(node.least(5_s, kForever), cores(4));
  node.take(4_s, kForever, cores(1));
  EXPECT_EQ(node.at(4_s), cores(0));
  EXPECT_EQ(node.at(9_s), cores(3));
}

TEST(NodePlan, AnEndThatIsTooLateIsForever) {
  EXPECT_EQ(after(5_s, kForever), kForever);
  EXPECT_EQ(after(5_s, 6_s), 11_s);
}

// The first job of two tasks waits for n2 until 10 s. The second would hold n1 for 9 s, the third
// for 10 s, which is just as long as n1 is idle.
TEST(BackfillPlan, AJobMayEndWhenTheReservationBegins) {
  EXPECT_THAT(
      starts(plan(0_s, {idle(), busy_until(10_s)}, std::vector{job(2, 5_s), job(1, 9_s)}, kEasy)),
      ElementsAre(10_s, 0_s));
  EXPECT_THAT(
      starts(plan(0_s, {idle(), busy_until(10_s)}, std::vector{job(2, 5_s), job(1, 10_s)}, kEasy)),
      ElementsAre(10_s, 0_s));
  EXPECT_THAT(
      starts(plan(0_s, {idle(), busy_until(10_s)}, std::vector{job(2, 5_s), job(1, 11_s)}, kEasy)),
      ElementsAre(10_s, std::nullopt));
  EXPECT_THAT(starts(plan(0_s, {idle(), busy_until(10_s)}, std::vector{job(2, 5_s), job(1, 11_s)},
                          kConservative)),
              ElementsAre(10_s, 15_s));
}

// At 10 s, n1 is idle for long and n2, n3 and n4 have just become free. With machines, the first
// job's reservation is on n1 and n2, so a job that holds n1 until 23 s would delay it. By count,
// two nodes of the other three are enough.
TEST(BackfillPlan, MachinesPinReservations) {
  const std::vector<NodePlan> nodes = {idle(), busy_until(10_s), busy_until(10_s),
                                       busy_until(10_s)};
  const std::vector<Waiting> jobs = {job(2, 5_s), job(1, 20_s)};
  EXPECT_THAT(starts(plan(3_s, nodes, jobs, kEasy)), ElementsAre(10_s, std::nullopt));
  const std::vector<Planned> by_count = plan(3_s, nodes, jobs, kEasyByCount);
  EXPECT_THAT(starts(by_count), ElementsAre(10_s, 3_s));
  EXPECT_THAT(by_count[0].nodes, IsEmpty()) << "it starts later";
  EXPECT_THAT(by_count[1].nodes, ElementsAre(0U));
  // At 10 s, three nodes are free beside the second job, and the first takes two.
  EXPECT_THAT(starts(plan(3_s, nodes, std::vector{job(2, 5_s), job(1, 20_s), job(2, 1_s)},
                          kConservativeByCount)),
              ElementsAre(10_s, 3_s, 15_s));
}

// n3 is idle. The second job needs all nodes after the first. Under easy it has no reservation, so
// a long third job may hold n3. Under conservative, the third job waits until 30 s.
TEST(BackfillPlan, OnlyConservativeReservesForAll) {
  const std::vector<NodePlan> nodes = {busy_until(10_s), busy_until(10_s), idle()};
  const std::vector<Waiting> jobs = {job(2, 10_s), job(3, 10_s), job(1, 30_s)};
  EXPECT_THAT(starts(plan(0_s, nodes, jobs, kEasy)), ElementsAre(10_s, std::nullopt, 0_s));
  EXPECT_THAT(starts(plan(0_s, nodes, jobs, kConservative)), ElementsAre(10_s, 20_s, 30_s));
}

TEST(BackfillPlan, JobsWithoutWalltimeNeverEnd) {
  const std::vector<NodePlan> nodes = {idle(), busy_until(10_s)};
  EXPECT_THAT(starts(plan(0_s, nodes, std::vector{job(2, kForever), job(1, kForever)}, kEasy)),
              ElementsAre(10_s, std::nullopt));
  const NodePlan never(EmuTime(0), Resources{});
  EXPECT_THAT(starts(plan(0_s, {never, idle()}, std::vector{job(2, 1_s), job(1, 1_s)}, kEasy)),
              ElementsAre(std::nullopt, 0_s));
}

// A node of 4 cores has room for two tasks of 2 cores, and n2 for one beside a job of 2 cores.
TEST(BackfillPlan, TasksShareNodes) {
  std::vector<NodePlan> nodes(2, NodePlan(EmuTime(0), cores(4)));
  nodes[1].take(0_s, 5_s, cores(2));
  const std::vector<Waiting> jobs = {{3, cores(2), 7_s}, {1, cores(1), 7_s}};
  const std::vector<Planned> planned = plan(0_s, nodes, jobs, kEasy);
  EXPECT_THAT(planned[0].nodes, ElementsAre(0U, 0U, 1U));
  EXPECT_EQ(planned[1].start, 5_s) << "n2 is full until then";
}

}  // namespace heddle::backfill::backfill_plan_test
