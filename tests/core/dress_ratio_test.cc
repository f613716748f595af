#include <random>

#include "core/policy/scheduler/dress/ratio.h"
#include "tests/support/matchers.h"

namespace heddle::dress_ratio_test {

using Shares = std::vector<std::int64_t>;

Resources of(std::int64_t cores, std::int64_t gib) {
  return {Millicores(1000 * cores), EmuBytes(gib << 30)};
}

TEST(Billionths, AreRoundedDown) {
  EXPECT_EQ(billionths_of(1, 3), 333'333'333);
  EXPECT_EQ(billionths_of(2, 3), 666'666'666);
  EXPECT_EQ(billionths_of(3, 3), kWholeCluster);
  EXPECT_EQ(billionths_of(1, 0), 0);
  // With 9000 nodes of 1 TiB, the product exceeds 64 bits.
  EXPECT_EQ(billionths_of(4500LL << 40, 9000LL << 40), 500'000'000);
}

// The shares of requests never sum up to more than the share that they fit into: 333'333'333 +
// 333'333'333 is at most 666'666'666, and ten of 1/21 (47'619'047) at most 10/21 (476'190'476).
TEST(Billionths, WhatFitsFitsByItsShares) {
  for (std::int64_t cores = 1; cores <= 200; ++cores)
    for (std::int64_t n = 0; n <= cores; ++n)
      ASSERT_LE(n * billionths_of(1, cores), billionths_of(n, cores)) << n << " of " << cores;
}

TEST(Billionths, OfTheLargestAndOfTheSmallestShare) {
  // The request is 1 of 100 cores and 8 of 400 GiB.
  EXPECT_EQ(dominant_billionths(of(1, 8), of(100, 400)), 20'000'000);
  EXPECT_EQ(least_billionths(of(1, 8), of(100, 400)), 10'000'000);
}

TEST(DressAvailable, ASmallPoolHasWhatItsRatioLeavesItTheLastTheRest) {
  EXPECT_THAT(dress_available({30}, {{10, 0, {}}, {50, 0, {}}}, 40), ElementsAre(20, 20));
  // The free capacity bounds it, and a pool above its share has none.
  EXPECT_THAT(dress_available({30}, {{10, 0, {}}, {50, 0, {}}}, 15), ElementsAre(15, 0));
  EXPECT_THAT(dress_available({30}, {{35, 0, {}}, {50, 0, {}}}, 15), ElementsAre(0, 15));
  EXPECT_THAT(dress_available({10, 30}, {{2, 0, {}}, {20, 0, {}}, {40, 0, {}}}, 38),
              ElementsAre(8, 10, 20));
}

// Algorithm 3, branch 1: the small pool gives away its surplus.
TEST(DressShift, SmallPoolHasEnough) {
  EXPECT_EQ(dress_shift(10, 20, 2, 0, {2, 3}, {90}), -7);
  EXPECT_EQ(dress_shift(10, 20, 2, 0, {}, {}), -12);
}

TEST(DressShift, AnExactFitFitsAndShiftsNothing) {
  EXPECT_EQ(dress_shift(10, 20, 2, 0, {7, 5}, {90}), 0);
  EXPECT_EQ(dress_shift(0, 10, 0, 3, {4}, {6, 7}), 0);
}

// Branch 2: the small pool gets the surplus of the large pool.
TEST(DressShift, LargePoolHasEnough) {
  EXPECT_EQ(dress_shift(0, 10, 0, 3, {4}, {6}), 7);
  EXPECT_EQ(dress_shift(10, 0, 5, 25, {40, 40}, {}), 25);
}

// Branch 3: both pools are short.
TEST(DressShift, TheFirstSmallJobThatDoesNotFitGetsItsShortfallFromTheOther) {
  // Large pool: of 5 + 1, job 4 fits and 2 are left. Small pool: of 2 + 1, job 2 fits and 1 is
  // left. Job 3 takes 2 more.
  EXPECT_EQ(dress_shift(2, 5, 1, 1, {3, 2}, {9, 4}), 2);
  // The same, but the large jobs leave too little for job 3.
  EXPECT_EQ(dress_shift(2, 5, 1, 1, {3, 2}, {9, 5}), 0);
}

TEST(DressShift, OneSmallJobAfterTheOtherWhileTheyFit) {
  // 1 + 5 are there. The first job takes 1 of the other pool, the second 2, the third the last 2.
  EXPECT_EQ(dress_shift(1, 5, 0, 0, {2, 2, 2}, {9}), 5);
  EXPECT_EQ(dress_shift(1, 5, 0, 0, {2, 2, 3}, {9}), 3);
  // Jobs that fit both pools together exactly do fit.
  EXPECT_EQ(dress_shift(1, 5, 0, 0, {6, 60}, {9}), 5);
}

TEST(DressShift, WithNothingFreeNothingMoves) { EXPECT_EQ(dress_shift(0, 0, 0, 0, {1}, {5}), 0); }

TEST(NextDressRatios, TwoPoolsAreThePapers) {
  // A_c1 = 6 and A_c2 = 14. Branch 1: the surplus is 6 + 1 - 3 = 4.
  std::vector<DressPool> pools = {{4, 1, {3}}, {70, 2, {50}}};
  EXPECT_THAT(next_dress_ratios({10}, pools, 20, {}), ElementsAre(6));
  // Branch 2: the surplus is 14 + 2 - 6 = 10.
  pools = {{4, 1, {9}}, {70, 2, {6}}};
  EXPECT_THAT(next_dress_ratios({10}, pools, 20, {}), ElementsAre(20));
  // Branch 3: 7 for jobs of 3 and 5, and 16 for a job of 12, which leaves 4. 1 is needed.
  pools = {{4, 1, {5, 3}}, {70, 2, {12, 30}}};
  EXPECT_THAT(next_dress_ratios({10}, pools, 20, {}), ElementsAre(11));
}

TEST(NextDressRatios, StayWithinTheirBounds) {
  const std::vector<DressPool> idle = {{0, 0, {}}, {0, 0, {}}};
  EXPECT_THAT(next_dress_ratios({10}, idle, 100, {5, 100}), ElementsAre(5));
  const std::vector<DressPool> small = {{0, 0, {200}}, {0, 0, {}}};
  EXPECT_THAT(next_dress_ratios({10}, small, 100, {0, 40}), ElementsAre(40));
  EXPECT_THAT(next_dress_ratios({10}, small, 100, {0, 100}), ElementsAre(100));
}

TEST(NextDressRatios, ThreePoolsEachAgainstAllLargerOnesTogether) {
  // A_c is 10 - 5 = 5, 20 - 15 = 5, and 20. The first wants 8. The others together have 25 and want
  // 10, so the first gets 15. The second has 5 and wants 10. The last has 20 and wants nothing, so
  // the second gets 20 more.
  const std::vector<DressPool> pools = {{5, 0, {8}}, {15, 0, {10}}, {50, 0, {}}};
  EXPECT_THAT(next_dress_ratios({10, 20}, pools, 30, {}), ElementsAre(25, 40));
  // Together they can't get more than there is. The first gets its part first.
  const std::vector<DressPool> greedy = {{0, 0, {900}}, {0, 0, {900}}, {0, 0, {}}};
  EXPECT_THAT(next_dress_ratios({10, 20}, greedy, 100, {0, 50}), ElementsAre(10, 40));
}

// 60 is free, of which 10 - 4 = 6 belongs to the small pool. It has more than the 3 that its job
// wants, so the ratio would fall by 3. The floor is 4 + 3. Without waiting jobs there is no floor.
TEST(NextDressRatios, WithTheFloorAPoolKeepsWhatItsSmallestJobNeeds) {
  const DressBounds floor{0, 100, true};
  std::vector<DressPool> pools = {{4, 0, {3}}, {36, 0, {200}}};
  EXPECT_THAT(next_dress_ratios({10}, pools, 60, {0, 100}), ElementsAre(7));
  EXPECT_THAT(next_dress_ratios({10}, pools, 60, floor), ElementsAre(7));
  // 8 is expected to be released, so the paper's ratio falls below what the pool holds.
  pools[0].expected = 8;
  EXPECT_THAT(next_dress_ratios({10}, pools, 60, {0, 100}), ElementsAre(0));
  EXPECT_THAT(next_dress_ratios({10}, pools, 60, floor), ElementsAre(7));
  pools[0].pending = {};
  EXPECT_THAT(next_dress_ratios({10}, pools, 60, floor), ElementsAre(0));
}

// Nothing is free: the paper's third rule moves nothing, and the ratio stays where it was. With the
// floor it is what the pool holds and the smallest of its jobs' demands.
TEST(NextDressRatios, TheFloorRisesAboveARatioThatHasFallen) {
  const std::vector<DressPool> pools = {{8, 0, {12, 8}}, {92, 0, {50}}};
  EXPECT_THAT(next_dress_ratios({8}, pools, 0, {0, 100}), ElementsAre(8));
  EXPECT_THAT(next_dress_ratios({8}, pools, 0, {0, 100, true}), ElementsAre(16));
  EXPECT_THAT(next_dress_ratios({8}, pools, 0, {0, 14, true}), ElementsAre(14));
}

// The floors are 5 + 8 and 15 + 10. Together they are at most 30.
TEST(NextDressRatios, EachPoolHasItsFloor) {
  const std::vector<DressPool> pools = {{5, 0, {8}}, {15, 0, {10, 40}}, {80, 0, {9}}};
  EXPECT_THAT(next_dress_ratios({0, 0}, pools, 0, {0, 100, true}), ElementsAre(13, 25));
  EXPECT_THAT(next_dress_ratios({0, 0}, pools, 0, {0, 30, true}), ElementsAre(13, 17));
}

// The second pool has all: 75, and 25 for its next job. A small job comes, and the second pool
// gives up what the small job needs. Pools of smaller demand come first.
TEST(NextDressRatios, TheFloorOfASmallerPoolComesFirst) {
  const std::vector<DressPool> pools = {{0, 0, {4}}, {75, 0, {25}}, {25, 0, {9}}};
  EXPECT_THAT(next_dress_ratios({0, 100}, pools, 0, {0, 100, true}), ElementsAre(4, 96));
  EXPECT_THAT(next_dress_ratios({0, 100}, pools, 0, {0, 100}), ElementsAre(0, 100));
  // The second pool keeps its lower bound.
  const std::vector<DressPool> large = {{90, 0, {20}}, {0, 0, {}}, {0, 0, {}}};
  EXPECT_THAT(next_dress_ratios({90, 10}, large, 0, {5, 100, true}), ElementsAre(100, 5));
}

TEST(DressReserve, IsWhatThePoolsHaveNotUsedOfTheirShares) {
  EXPECT_EQ(dress_reserve({10}, {4, 70}), 6);
  EXPECT_EQ(dress_reserve({10}, {14, 70}), 0);
  // A pool above its share takes nothing from another's.
  EXPECT_EQ(dress_reserve({10, 20}, {14, 5, 70}), 15);
}

// For any input, ratios stay between their bounds, and no more is moved than is available.
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
      pool.used = below(200);
      used += pool.used;
      pool.expected = below(50);
      for (std::int64_t jobs = below(4); jobs > 0; --jobs) pool.pending.push_back(1 + below(300));
    }
    Shares ratios(count - 1, 1000 / (std::ssize(pools) + below(5)));
    for (int step = 0; step < 5; ++step) {
      ratios = next_dress_ratios(ratios, pools, 1000 - used, {10, 900});
      std::int64_t sum = 0;
      for (std::int64_t ratio : ratios) {
        EXPECT_GE(ratio, 10);
        sum += ratio;
      }
      EXPECT_LE(sum, 900 + 30);
    }
  }
}

}  // namespace heddle::dress_ratio_test
