// What queues should hold: the tables of YARN's TestProportionalCapacityPreemptionPolicy (Apache
// Hadoop, hadoop-yarn-server-resourcemanager, .../monitor/capacity), with its names, guarantees,
// maxima, used and pending. The division is worked out beside each; docs/checked.md lists them all.
#include "core/policy/queues/ideal_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::ideal_shares_test {

using ::testing::DoubleNear;
using ::testing::Pointwise;

struct Row {
  int parent = 0;  ///< 0: the root; 1: the first row
  double guaranteed = 0, used = 0, pending = 0;
  double maximum = 0;  ///< 0: no other than the cluster
};

/// The ideal of each row, in the units of the rows; `whole` is the cluster.
std::vector<double> ideal(double whole, const std::vector<Row>& rows) {
  std::vector<QueueShares> queues(rows.size() + 1);
  for (std::size_t i = 1; i < queues.size(); ++i) {
    const Row& row = rows[i - 1];
    queues[i].guaranteed = row.guaranteed / whole;
    queues[i].maximum = row.maximum > 0 ? row.maximum / whole : 1;
    queues[i].held = row.used / whole;
    queues[i].wanted = (row.used + row.pending) / whole;
    queues[row.parent].children.push_back(static_cast<int>(i));
  }
  std::vector<double> shares = ideal_shares(queues);
  EXPECT_EQ(shares.front(), 1);
  shares.erase(shares.begin());
  for (double& share : shares) share *= whole;
  return shares;
}

auto near(std::vector<double> expected) { return Pointwise(DoubleNear(0.005), expected); }

// A asks for nothing: B and C keep what they hold. 100 - 0 - 40 - 20 = 40 are left, of which B gets
// the 20 and C the 20 that they still want.
TEST(IdealShares, Ignore) {
  EXPECT_THAT(ideal(100, {{0, 40, 0, 0}, {0, 40, 60, 0}, {0, 20, 40, 0}}), near({0, 60, 40}));
}

// Demands: A min(50, max(10, 30)) = 30, B 60, C min(30, max(20, 10)) = 20, D 0. First 10, 40, 20,
// 0. The 30 left go to A and B 10 : 40, 6 and 24; B needs 20 of that, the other 4 are A's: 10 + 10.
// A holds 10 more than that.
TEST(IdealShares, ProportionalPreemption) {
  EXPECT_THAT(ideal(100, {{0, 10, 30, 20}, {0, 40, 60, 5}, {0, 20, 10, 20}, {0, 30, 0, 0}}),
              near({20, 60, 20, 0}));
}

// B is at its maximum of 45, A at 55: nobody else wants anything.
TEST(IdealShares, MaxCap) {
  EXPECT_THAT(ideal(100, {{0, 40, 55, 10}, {0, 40, 45, 10, 45}, {0, 20, 0, 0}}), near({55, 45, 0}));
}

// First A 10, B 40, C 20; 30 are left 2 : 1, 20 and 10. C holds 10 more.
TEST(IdealShares, PreemptCycle) {
  EXPECT_THAT(ideal(100, {{0, 40, 0, 10}, {0, 40, 60, 0}, {0, 20, 40, 0}}), near({10, 60, 30}));
}

// First A 10, B 25, C 20; 45 are left 25 : 20. B holds 4 more, C 6.
TEST(IdealShares, PerQueueDisablePreemptionWithNoneDisabled) {
  EXPECT_THAT(ideal(100, {{0, 55, 0, 10}, {0, 25, 54, 0}, {0, 20, 46, 0}}), near({10, 50, 40}));
}

// Both above their guarantee and nobody below: as they are.
TEST(IdealShares, OverCapacityImbalance) {
  EXPECT_THAT(ideal(100, {{0, 40, 55, 10}, {0, 40, 45, 10}, {0, 20, 0, 0}}), near({55, 45, 0}));
}

// A 110 against D 90 + 10 (F's demand is 10): both get 100. A's: B and C 50 each, so B holds 10
// more; E, far above its guarantee of 10, keeps 10 + 80.
TEST(IdealShares, Hierarchical) {
  EXPECT_THAT(ideal(200, {{0, 100, 0, 0},
                          {1, 50, 60, 0},
                          {1, 50, 50, 0},
                          {0, 100, 0, 0},
                          {4, 10, 90, 0},
                          {4, 90, 0, 10}}),
              near({100, 50, 50, 100, 90, 10}));
}

// Demands: A 400, D 250 + 200 = 450, G 200. First 350, 400, 200; the 50 left go to A and D 350 :
// 400, 23.33 and 26.67. A's are B's (150 + 23.33) and C's 200; D's are F's 200 and E's 200 + 26.67;
// G's H's 100 + 50 and I's 50. B holds 26.67 more, E 23.33, H nothing.
TEST(IdealShares, PerQueueDisablePreemptionBroadHierarchicalWithNoneDisabled) {
  EXPECT_THAT(ideal(1000, {{0, 350, 0, 0},
                           {1, 150, 200, 0},
                           {1, 200, 200, 0},
                           {0, 400, 0, 0},
                           {4, 200, 250, 0},
                           {4, 200, 150, 50},
                           {0, 250, 0, 0},
                           {7, 100, 150, 0},
                           {7, 150, 50, 0}}),
              near({373.33, 173.33, 200, 426.67, 226.67, 200, 200, 150, 50}));
}

// A 500, E 500. A's: B 0, C 200, D 100, and 200 more 2 : 1: C 333.33, D 166.67. C holds 16.67 more,
// D 183.33.
TEST(IdealShares, PerQueueDisablePreemptionInheritParentWithNoneDisabled) {
  EXPECT_THAT(ideal(1000, {{0, 500, 0, 0},
                           {1, 200, 0, 0},
                           {1, 200, 350, 0},
                           {1, 100, 350, 0},
                           {0, 500, 0, 0},
                           {5, 200, 0, 200},
                           {5, 200, 200, 0},
                           {5, 100, 100, 0}}),
              near({500, 0, 333.33, 166.67, 500, 200, 200, 100}));
}

// 170 of 200 are used and 10 asked for: all get what they want, B too, which is guaranteed nothing.
TEST(IdealShares, ZeroGuar) {
  EXPECT_THAT(ideal(200, {{0, 100, 0, 0},
                          {1, 0, 60, 0},
                          {1, 99, 20, 0},
                          {0, 100, 0, 0},
                          {4, 10, 90, 0},
                          {4, 90, 0, 10}}),
              near({80, 60, 20, 100, 90, 10}));
}

// A's demand is B 60, C min(30, max(100, 20)) = 30, D 90; E's is F's 20. A gets 180: C its 30
// first, and of the other 150 B and D, both guaranteed nothing, equal parts up to what they want.
TEST(IdealShares, ZeroGuarOverCap) {
  EXPECT_THAT(ideal(200, {{0, 100, 0, 0},
                          {1, 0, 60, 30},
                          {1, 100, 20, 10},
                          {1, 0, 90, 10},
                          {0, 100, 0, 0},
                          {5, 100, 0, 20}}),
              near({180, 60, 30, 90, 20, 20}));
}

// Demands: A 210, D 100, G 90 + 15. First 200, 100, 100: nothing is left. A's: B 60, C 140, so B
// holds 10 more; G's: I 15, H 10 + 75, so H holds 5 more. (YARN, in floats: 9 and 6.)
TEST(IdealShares, HierarchicalLarge) {
  EXPECT_THAT(ideal(400, {{0, 200, 0, 0},
                          {1, 60, 70, 0},
                          {1, 140, 140, 0},
                          {0, 100, 0, 0},
                          {4, 70, 50, 0},
                          {4, 30, 50, 0},
                          {0, 100, 0, 0},
                          {7, 10, 90, 0},
                          {7, 90, 0, 15}}),
              near({200, 60, 140, 100, 50, 50, 100, 85, 15}));
}

// A 210 against 200: B 60, C 140, and there D 100, E 40, which holds 10 more. (YARN: 9.)
TEST(IdealShares, HierarchicalLarge3Levels) {
  EXPECT_THAT(ideal(400, {{0, 200, 0, 0},
                          {1, 60, 60, 0},
                          {1, 140, 0, 0},
                          {3, 100, 100, 0},
                          {3, 40, 50, 0},
                          {0, 100, 0, 0},
                          {6, 70, 50, 0},
                          {6, 30, 50, 0},
                          {0, 100, 0, 0},
                          {9, 10, 10, 0},
                          {9, 90, 80, 10}}),
              near({200, 60, 140, 100, 40, 100, 50, 50, 100, 10, 90}));
}

// Half of the cluster is A's guarantee, and used: what B asks for, all of it, is its own half.
TEST(IdealShares, SkipAMContainer) {
  EXPECT_THAT(ideal(100, {{0, 50, 100, 20}, {0, 50, 0, 50}}), near({50, 50}));
}

// One queue that asks, more than its guarantee: it holds 70, above its guarantee, and keeps them.
TEST(IdealShares, PreemptionNotHappenForSingleReservedQueue) {
  EXPECT_THAT(ideal(100, {{0, 40, 70, 30}, {0, 40, 0, 0}, {0, 20, 0, 0}}), near({70, 0, 0}));
}

// Guarantees of 30 + 90 of 100, as fair queues' min can add up to: all get 100/120 of theirs.
TEST(IdealShares, GuaranteesOfMoreThanThereIsAreCutAlike) {
  EXPECT_THAT(ideal(100, {{0, 30, 0, 50}, {0, 90, 100, 0}}), near({25, 75}));
}

}  // namespace heddle::ideal_shares_test
