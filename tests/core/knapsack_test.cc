#include "core/policy/scheduler/haste/knapsack.h"

#include <random>

#include "tests/support/matchers.h"

namespace heddle::knapsack_test {

constexpr std::int64_t kGib = 1LL << 30;

Resources size_of(double cores, double gib) {
  return {Millicores(static_cast<std::int64_t>(cores * 1000)),
          EmuBytes(static_cast<std::int64_t>(gib * kGib))};
}

// 3 x <2, 1> (value 3 each, 9 in all) use all 6 cores. 2 x <2, 1> and 2 x <1, 3> fill 6 cores and 8
// memory, and are worth more: 2 * 3 + 2 * 4 = 14.
TEST(Knapsack, WhatTogetherIsWorthMost) {
  const std::vector<KnapsackItem> items{{{2, 1}, 3, 9}, {{1, 3}, 4, 9}};
  EXPECT_THAT(knapsack(items, {6, 8}), ElementsAre(2, 2));
  EXPECT_THAT(knapsack(items, {6, 3}), ElementsAre(3, 0));
  EXPECT_THAT(knapsack(items, {1, 9}), ElementsAre(0, 1));
}

// There is room for 5, but only 3 exist.
TEST(Knapsack, NoMoreThanThereAre) {
  EXPECT_THAT(knapsack(std::vector<KnapsackItem>{{{1, 1}, 1, 3}}, {5, 5}), ElementsAre(3));
  EXPECT_THAT(knapsack(std::vector<KnapsackItem>{{{1, 1}, 1, 0}}, {5, 5}), ElementsAre(0));
}

TEST(Knapsack, NothingFitsOrThereIsNothing) {
  EXPECT_THAT(knapsack({}, {5, 5}), IsEmpty());
  EXPECT_THAT(knapsack(std::vector<KnapsackItem>{{{1, 1}, 1, 3}}, {0, 5}), ElementsAre(0));
  EXPECT_THAT(knapsack(std::vector<KnapsackItem>{{{6, 1}, 1, 3}, {{1, 6}, 1, 3}}, {5, 5}), Each(0));
}

// Items that need none of a resource are limited by the other resource, or by their number.
TEST(Knapsack, ThingsWithoutWeight) {
  EXPECT_THAT(knapsack(std::vector<KnapsackItem>{{{0, 2}, 1, 7}, {{0, 0}, 1, 4}}, {0, 5}),
              ElementsAre(2, 4));
}

// 2 x <2, 2>, 4 x <1, 1> or a mix have the same value. The later item is used only if it is better.
TEST(Knapsack, OfEquallyGoodTheEarlier) {
  EXPECT_THAT(knapsack(std::vector<KnapsackItem>{{{2, 2}, 2, 9}, {{1, 1}, 1, 9}}, {4, 4}),
              ElementsAre(2, 0));
  EXPECT_THAT(knapsack(std::vector<KnapsackItem>{{{1, 1}, 1, 9}, {{2, 2}, 2, 9}}, {4, 4}),
              ElementsAre(4, 0));
  EXPECT_THAT(knapsack(std::vector<KnapsackItem>{{{2, 2}, 2, 9}, {{1, 1}, 1, 9}}, {5, 5}),
              ElementsAre(2, 1));
}

double best_by_trying(std::span<const KnapsackItem> items, std::vector<int> room) {
  if (items.empty()) return 0;
  const KnapsackItem& item = items[0];
  double best = 0;
  for (int n = 0; n <= item.count && std::ranges::min(room) >= 0; ++n) {
    best = std::max(best, n * item.value + best_by_trying(items.subspan(1), room));
    for (std::size_t r = 0; r < room.size(); ++r) room[r] -= item.size[r];
  }
  return best;
}

TEST(Knapsack, AsGoodAsTryingEverything) {
  std::mt19937_64 engine(1);
  auto draw = [&](int least, int most) {
    return least + static_cast<int>(engine() % static_cast<std::uint64_t>(most - least + 1));
  };
  for (int instance = 0; instance < 500; ++instance) {
    SCOPED_TRACE(instance);
    std::vector<int> room;
    for (int resources = draw(1, 4); resources > 0; --resources) room.push_back(draw(0, 12));
    std::vector<KnapsackItem> items;
    for (int n = draw(1, 4); n > 0; --n) {
      KnapsackItem& item = items.emplace_back(KnapsackItem{{}, draw(1, 40) / 8.0, draw(0, 7)});
      for (std::size_t r = 0; r < room.size(); ++r) item.size.push_back(draw(0, 5));
    }
    const std::vector<int> counts = knapsack(items, room);
    double value = 0;
    std::vector<int> left = room;
    for (std::size_t i = 0; i < items.size(); ++i) {
      EXPECT_GE(counts[i], 0);
      EXPECT_LE(counts[i], items[i].count);
      value += counts[i] * items[i].value;
      for (std::size_t r = 0; r < room.size(); ++r) left[r] -= counts[i] * items[i].size[r];
    }
    EXPECT_THAT(left, Each(testing::Ge(0)));
    EXPECT_EQ(value, best_by_trying(items, room));
  }
}

const Resources kUnit = size_of(1, 1);

// In a cluster of <80, 40>, <3, 1> is worth 3/80 + 1/40 = .0625 and <1, 3> 1/80 + 3/40 = .0875. On
// a node of <8, 8>, two of each fill it (.3).
TEST(FillRoom, LargestSumOfSharesOfTheCluster) {
  const std::vector<SizeCount> sizes{{size_of(3, 1), 10}, {size_of(1, 3), 10}};
  EXPECT_THAT(fill_room(sizes, size_of(8, 8), size_of(80, 40), kUnit), ElementsAre(2, 2));
  EXPECT_THAT(fill_room(sizes, size_of(8, 2), size_of(80, 40), kUnit), ElementsAre(2, 0));
  EXPECT_THAT(fill_room(sizes, {}, size_of(80, 40), kUnit), Each(0));
}

// On a node of <8, 8> with 2 of a third resource, two of <1, 1> with 1 of it and six without it are
// worth most, because the cluster has 4 of the third: 2 x 1/4 in addition. A node without it takes
// only those that need none.
TEST(FillRoom, CountsOtherResources) {
  const auto with = [](Resources size, std::int64_t count) {
    size.counts.set(1, Thousandths(count * 1000));
    return size;
  };
  const std::vector<SizeCount> sizes{{with(size_of(1, 1), 1), 10}, {size_of(1, 1), 10}};
  const Resources total = with(size_of(80, 80), 4);
  EXPECT_THAT(fill_room(sizes, with(size_of(8, 8), 2), total, kUnit), ElementsAre(2, 6));
  EXPECT_THAT(fill_room(sizes, size_of(8, 8), total, kUnit), ElementsAre(0, 8));
}

// A size of half a unit counts as a whole one, and half a unit of free room counts as none: 4 of 8
// fit into 4.9 units.
TEST(FillRoom, RoundsSizesUpAndRoomDown) {
  EXPECT_THAT(fill_room(std::vector<SizeCount>{{size_of(.5, .5), 8}}, size_of(4.9, 4.9),
                        size_of(8, 8), kUnit),
              ElementsAre(4));
  EXPECT_THAT(
      fill_room(std::vector<SizeCount>{{size_of(5, .5), 8}}, size_of(4.9, 9), size_of(8, 8), kUnit),
      Each(0));
}

// 1000 GiB are divided into 250 units of 4 GiB, because there are at most 256. 5 GiB count as 8.
TEST(FillRoom, CoarserUnitsForLargeNodes) {
  const Resources room = size_of(400, 1000);
  EXPECT_THAT(fill_room(std::vector<SizeCount>{{size_of(1, 5), 400}}, room, room, kUnit),
              ElementsAre(125));
  EXPECT_THAT(fill_room(std::vector<SizeCount>{{size_of(1, 4), 400}}, room, room, kUnit),
              ElementsAre(200));  // 400 cores are 200 units of 2
  EXPECT_THAT(fill_room(std::vector<SizeCount>{{size_of(1, 100000), 1}}, room, room, kUnit),
              ElementsAre(0));
}

}  // namespace heddle::knapsack_test
