#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/policy/scheduler/dress/ratio.h"

namespace heddle {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(DressAvailable, ASmallPoolHasWhatItsRatioLeavesItTheLastTheRest) {
  EXPECT_THAT(dress_available({0.3}, {{10, 0, {}}, {50, 0, {}}}, 100, 40), ElementsAre(20, 20));
  // What is free bounds it, and a pool that is over its share has none.
  EXPECT_THAT(dress_available({0.3}, {{10, 0, {}}, {50, 0, {}}}, 100, 15), ElementsAre(15, 0));
  EXPECT_THAT(dress_available({0.3}, {{35, 0, {}}, {50, 0, {}}}, 100, 15), ElementsAre(0, 15));
  EXPECT_THAT(dress_available({0.1, 0.3}, {{2, 0, {}}, {20, 0, {}}, {40, 0, {}}}, 100, 38),
              ElementsAre(8, 10, 20));
}

// Algorithm 3, branch 1: what the small pool has too much goes.
TEST(DressShift, SmallPoolHasEnough) {
  EXPECT_EQ(dress_shift(10, 20, 2, 0, {2, 3}, {90}), -7);
  EXPECT_EQ(dress_shift(10, 20, 2, 0, {}, {}), -12);
}

TEST(DressShift, AnExactFitFitsAndShiftsNothing) {
  EXPECT_EQ(dress_shift(10, 20, 2, 0, {7, 5}, {90}), 0);
  EXPECT_EQ(dress_shift(0, 10, 0, 3, {4}, {6, 7}), 0);
}

// Branch 2: what the large pool has too much comes.
TEST(DressShift, LargePoolHasEnough) {
  EXPECT_EQ(dress_shift(0, 10, 0, 3, {4}, {6}), 7);
  EXPECT_EQ(dress_shift(1, 0, 0.5, 2.5, {4, 4}, {}), 2.5);
}

// Branch 3: both are short.
TEST(DressShift, TheFirstSmallJobThatDoesNotFitGetsItsShortfallFromTheOther) {
  // Large: 5 + 1, job 4 fits, 2 are left. Small: 2 + 1, job 2 fits, 1 is left; job 3 takes 2 more.
  EXPECT_EQ(dress_shift(2, 5, 1, 1, {3, 2}, {9, 4}), 2);
  // The same, and the large jobs leave too little for it.
  EXPECT_EQ(dress_shift(2, 5, 1, 1, {3, 2}, {9, 5}), 0);
}

TEST(DressShift, OneSmallJobAfterTheOtherWhileTheyFit) {
  // 1 + 5: the first takes 1 of the other pool, the second 2, the third the last 2.
  EXPECT_EQ(dress_shift(1, 5, 0, 0, {2, 2, 2}, {9}), 5);
  EXPECT_EQ(dress_shift(1, 5, 0, 0, {2, 2, 3}, {9}), 3);
  // An exact fit of both together fits.
  EXPECT_EQ(dress_shift(1, 5, 0, 0, {6, 60}, {9}), 5);
}

TEST(DressShift, WithNothingFreeNothingMoves) { EXPECT_EQ(dress_shift(0, 0, 0, 0, {1}, {5}), 0); }

TEST(NextDressRatios, TwoPoolsAreThePapers) {
  // A_c1 = 6, A_c2 = 14. Branch 1: 6 + 1 - 3 = 4 too much.
  std::vector<DressPool> pools = {{4, 1, {3}}, {70, 2, {50}}};
  EXPECT_THAT(next_dress_ratios({0.1}, pools, 100, 20, {}), ElementsAre(DoubleNear(0.06, 1e-12)));
  // Branch 2: 14 + 2 - 6 = 10 too much.
  pools = {{4, 1, {9}}, {70, 2, {6}}};
  EXPECT_THAT(next_dress_ratios({0.1}, pools, 100, 20, {}), ElementsAre(DoubleNear(0.2, 1e-12)));
  // Branch 3: 7 for jobs of 3 and 5, 16 for one of 12: 4 are left, and 1 is needed.
  pools = {{4, 1, {5, 3}}, {70, 2, {12, 30}}};
  EXPECT_THAT(next_dress_ratios({0.1}, pools, 100, 20, {}), ElementsAre(DoubleNear(0.11, 1e-12)));
}

TEST(NextDressRatios, StayWithinTheirBounds) {
  const std::vector<DressPool> idle = {{0, 0, {}}, {0, 0, {}}};
  EXPECT_THAT(next_dress_ratios({0.1}, idle, 100, 100, {0.05, 1}), ElementsAre(0.05));
  const std::vector<DressPool> small = {{0, 0, {200}}, {0, 0, {}}};
  EXPECT_THAT(next_dress_ratios({0.1}, small, 100, 100, {0, 0.4}), ElementsAre(0.4));
  EXPECT_THAT(next_dress_ratios({0.1}, small, 100, 100, {0, 1}), ElementsAre(DoubleEq(1)));
}

TEST(NextDressRatios, ThreePoolsEachAgainstAllLargerOnesTogether) {
  // A_c = 10 - 5 = 5, 20 - 15 = 5, and 20. The first wants 8; the others together have 25 and want
  // 10, so it gets 15. The second has 5 and wants 10; the last has 20 and wants nothing: 20 more.
  const std::vector<DressPool> pools = {{5, 0, {8}}, {15, 0, {10}}, {50, 0, {}}};
  EXPECT_THAT(next_dress_ratios({0.1, 0.2}, pools, 100, 30, {}),
              ElementsAre(DoubleNear(0.25, 1e-12), DoubleNear(0.4, 1e-12)));
  // Together they can't have more than there is: the first comes first.
  const std::vector<DressPool> greedy = {{0, 0, {900}}, {0, 0, {900}}, {0, 0, {}}};
  EXPECT_THAT(next_dress_ratios({0.1, 0.2}, greedy, 100, 100, {0, 0.5}),
              ElementsAre(DoubleNear(0.1, 1e-12), DoubleNear(0.4, 1e-12)));
}

TEST(DressShares, AreRoundedAndAddUp) {
  EXPECT_THAT(dress_shares({0.1}, 6), ElementsAre(1, 5));
  EXPECT_THAT(dress_shares({0.25}, 10), ElementsAre(3, 7));
  EXPECT_THAT(dress_shares({0}, 10), ElementsAre(0, 10));
  EXPECT_THAT(dress_shares({0.5, 0.5}, 3), ElementsAre(2, 1, 0));
  EXPECT_THAT(dress_shares({0.1}, 0), ElementsAre(0, 0));
}

// Whatever comes in: ratios stay between their bounds, and what moves is there to be moved.
TEST(NextDressRatios, AreAlwaysShares) {
  std::mt19937 random(5);
  auto below = [&](int n) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
  };
  for (int n = 0; n < 2000; ++n) {
    const std::size_t count = 2 + static_cast<std::size_t>(below(3));
    std::vector<DressPool> pools(count);
    std::int64_t used = 0;
    for (DressPool& pool : pools) {
      pool.used = below(20);
      used += pool.used;
      pool.expected = static_cast<double>(below(50)) / 10;
      for (std::int64_t jobs = below(4); jobs > 0; --jobs) pool.pending.push_back(1 + below(30));
    }
    std::vector<double> ratios(count - 1, 1.0 / static_cast<double>(count + below(5)));
    for (int step = 0; step < 5; ++step) {
      ratios = next_dress_ratios(ratios, pools, 100, 100 - used, {0.01, 0.9});
      double sum = 0;
      for (double ratio : ratios) {
        EXPECT_GE(ratio, 0.01);
        sum += ratio;
      }
      EXPECT_LE(sum, 0.9 + 0.03);
    }
  }
}

}  // namespace
}  // namespace heddle
