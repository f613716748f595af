// Ideal resources of queues: the tables of YARN's TestProportionalCapacityPreemptionPolicy (Apache
// Hadoop, hadoop-yarn-server-resourcemanager, .../monitor/capacity), with its names, guarantees,
// maxima, used and pending resources. Each test shows the calculation; docs/explanation/checked.md
// lists all tests.
#include "core/policy/queues/ideal_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::ideal_shares_test {

using ::testing::DoubleNear;
using ::testing::Pointwise;

struct Row {
  int parent = 0;  ///< 0: the root; 1: the first row
  double guaranteed = 0, used = 0, pending = 0;
  double maximum = 0;  ///< 0: the whole cluster
};

/// Returns the ideal of each row, in the units of the rows. `whole` is the cluster.
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

// A has no requests, so B and C keep what they hold. 100 - 0 - 40 - 20 = 40 are left. B gets the 20
// and C the 20 that they still want.
TEST(IdealShares, Ignore) {
  EXPECT_THAT(ideal(100, {{0, 40, 0, 0}, {0, 40, 60, 0}, {0, 20, 40, 0}}), near({0, 60, 40}));
}

// Demands: A min(50, max(10, 30)) = 30, B 60, C min(30, max(20, 10)) = 20, D 0. First they get 10,
// 40, 20, 0. The 30 left go to A and B as 10 : 40, which is 6 and 24. B needs 20 of that, and A
// gets the other 4: 10 + 10. A holds 10 more than that.
TEST(IdealShares, ProportionalPreemption) {
  EXPECT_THAT(ideal(100, {{0, 10, 30, 20}, {0, 40, 60, 5}, {0, 20, 10, 20}, {0, 30, 0, 0}}),
              near({20, 60, 20, 0}));
}

// B is at its maximum of 45 and A at 55. No other queue wants anything.
TEST(IdealShares, MaxCap) {
  EXPECT_THAT(ideal(100, {{0, 40, 55, 10}, {0, 40, 45, 10, 45}, {0, 20, 0, 0}}), near({55, 45, 0}));
}

// First A gets 10, B 40, C 20. 30 are left and divided 2 : 1, 20 and 10. C holds 10 more than that.
TEST(IdealShares, PreemptCycle) {
  EXPECT_THAT(ideal(100, {{0, 40, 0, 10}, {0, 40, 60, 0}, {0, 20, 40, 0}}), near({10, 60, 30}));
}

// First A gets 10, B 25, C 20. 45 are left and divided 25 : 20. B holds 4 more than that, C 6.
TEST(IdealShares, PerQueueDisablePreemptionWithNoneDisabled) {
  EXPECT_THAT(ideal(100, {{0, 55, 0, 10}, {0, 25, 54, 0}, {0, 20, 46, 0}}), near({10, 50, 40}));
}

// Both queues are above their guarantee and none is below, so they stay as they are.
TEST(IdealShares, OverCapacityImbalance) {
  EXPECT_THAT(ideal(100, {{0, 40, 55, 10}, {0, 40, 45, 10}, {0, 20, 0, 0}}), near({55, 45, 0}));
}

// A demands 110 and D 90 + 10 (F demands 10), so both get 100. Of A's, B and C get 50 each, so B
// holds 10 more. E, far above its guarantee of 10, keeps 10 + 80.
TEST(IdealShares, Hierarchical) {
  EXPECT_THAT(ideal(200, {{0, 100, 0, 0},
                          {1, 50, 60, 0},
                          {1, 50, 50, 0},
                          {0, 100, 0, 0},
                          {4, 10, 90, 0},
                          {4, 90, 0, 10}}),
              near({100, 50, 50, 100, 90, 10}));
}

// Demands: A 400, D 250 + 200 = 450, G 200. First they get 350, 400, 200. The 50 left go to A and D
// as 350 : 400, 23.33 and 26.67. Of A's, B gets 150 + 23.33 and C 200; of D's, F gets 200 and E 200
// + 26.67; of G's, H gets 100 + 50 and I 50. B holds 26.67 more, E 23.33, H nothing.
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

// A and E get 500 each. Of A's, B gets 0, C 200, D 100, and 200 more are divided 2 : 1: C has
// 333.33, D 166.67. C holds 16.67 more, D 183.33.
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

// 170 of 200 are used and 10 requested, so all queues get what they want, including B, which is
// guaranteed nothing.
TEST(IdealShares, ZeroGuar) {
  EXPECT_THAT(ideal(200, {{0, 100, 0, 0},
                          {1, 0, 60, 0},
                          {1, 99, 20, 0},
                          {0, 100, 0, 0},
                          {4, 10, 90, 0},
                          {4, 90, 0, 10}}),
              near({80, 60, 20, 100, 90, 10}));
}

// A's demand is B 60, C min(30, max(100, 20)) = 30, D 90; E's is F's 20. A gets 180. C gets its 30
// first. B and D, both guaranteed nothing, divide the other 150 equally, up to what they want.
TEST(IdealShares, ZeroGuarOverCap) {
  EXPECT_THAT(ideal(200, {{0, 100, 0, 0},
                          {1, 0, 60, 30},
                          {1, 100, 20, 10},
                          {1, 0, 90, 10},
                          {0, 100, 0, 0},
                          {5, 100, 0, 20}}),
              near({180, 60, 30, 90, 20, 20}));
}

// Demands: A 210, D 100, G 90 + 15. First they get 200, 100, 100, and nothing is left. Of A's, B
// gets 60 and C 140, so B holds 10 more. Of G's, I gets 15 and H 10 + 75, so H holds 5 more. (YARN,
// with floats: 9 and 6.)
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

// A demands 210 and gets 200: B 60, C 140, of which D 100 and E 40, which holds 10 more. (YARN: 9.)
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

// Half of the cluster is A's guarantee and is used. B requests exactly its own half.
TEST(IdealShares, SkipAMContainer) {
  EXPECT_THAT(ideal(100, {{0, 50, 100, 20}, {0, 50, 0, 50}}), near({50, 50}));
}

// Only one queue has requests, for more than its guarantee. It holds 70, above its guarantee, and
// keeps them.
TEST(IdealShares, PreemptionNotHappenForSingleReservedQueue) {
  EXPECT_THAT(ideal(100, {{0, 40, 70, 30}, {0, 40, 0, 0}, {0, 20, 0, 0}}), near({70, 0, 0}));
}

// Guarantees are 30 + 90 of 100, which is possible because min shares of fair queues may exceed the
// cluster. All queues get 100/120 of theirs.
TEST(IdealShares, GuaranteesOfMoreThanThereIsAreCutAlike) {
  EXPECT_THAT(ideal(100, {{0, 30, 0, 50}, {0, 90, 100, 0}}), near({25, 75}));
}

}  // namespace heddle::ideal_shares_test
