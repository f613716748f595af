#include "core/policy/base/free_index.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::free_index_test {

Resources res(std::int64_t cores, std::int64_t memory) {
  return {Millicores(cores), EmuBytes(memory)};
}

TEST(FreeIndex, FirstFromANodeOnAndTheBest) {
  FreeIndex index(5);
  index.set(NodeId{1}, res(4, 1), 0.2);
  index.set(NodeId{2}, res(1, 4), 0.9);
  index.set(NodeId{4}, res(4, 4), 0.5);
  EXPECT_EQ(index.first(res(1, 1)), NodeId{1});
  EXPECT_EQ(index.first(res(1, 1), NodeId{2}), NodeId{2});
  EXPECT_EQ(index.first(res(1, 1), NodeId{3}), NodeId{4});
  EXPECT_EQ(index.first(res(1, 1), NodeId{5}), std::nullopt);
  EXPECT_EQ(index.first(res(2, 2)), NodeId{4});  // 1 and 2 lack room in one resource each
  EXPECT_EQ(index.first(res(5, 1)), std::nullopt);
  EXPECT_EQ(index.best(res(1, 1)), NodeId{2});
  EXPECT_EQ(index.best(res(2, 1)), NodeId{4});
  EXPECT_EQ(index.best(res(1, 5)), std::nullopt);
  EXPECT_EQ(index.free(NodeId{2}), res(1, 4));
}

TEST(FreeIndex, ANodeWithoutRoomHasNoneEvenForNothing) {
  FreeIndex index(3);
  EXPECT_EQ(index.first(res(0, 0)), std::nullopt);
  EXPECT_EQ(index.best(res(0, 0)), std::nullopt);
  index.set(NodeId{2}, res(0, 0), 0);
  EXPECT_EQ(index.first(res(0, 0)), NodeId{2});
  EXPECT_EQ(index.best(res(0, 0)), NodeId{2});
  index.set(NodeId{2}, res(-1, -1), -1);
  EXPECT_EQ(index.first(res(0, 0)), std::nullopt);
  EXPECT_EQ(index.best(res(0, 0)), std::nullopt);
}

// Node 3 makes the right half look better but has no room. Nodes 0 and 2 are equal.
TEST(FreeIndex, OfEqualSharesTheFirstThoughTheOtherHalfLooksBetter) {
  FreeIndex index(4);
  index.set(NodeId{0}, res(4, 4), 0.5);
  index.set(NodeId{2}, res(4, 4), 0.5);
  index.set(NodeId{3}, res(1, 1), 0.9);
  EXPECT_EQ(index.best(res(2, 2)), NodeId{0});
}

/// A reference that looks at all nodes.
struct Plain {
  std::vector<Resources> free;
  std::vector<double> share;

  std::optional<NodeId> first(const Resources& wanted, std::int64_t from) const {
    for (std::int64_t i = from; i < std::ssize(free); ++i)
      if (wanted.fits_in(free[i])) return NodeId{i};
    return std::nullopt;
  }
  std::optional<NodeId> best(const Resources& wanted) const {
    std::optional<NodeId> found;
    for (std::int64_t i = 0; i < std::ssize(free); ++i)
      if (wanted.fits_in(free[i]) && (!found || share[i] > share[found->value])) found = NodeId{i};
    return found;
  }
};

TEST(FreeIndex, AgreesWithLookingAtAllNodes) {
  std::mt19937 random(1);
  auto pick = [&](int least, int most) {
    return least + static_cast<int>(random() % (most - least + 1));
  };
  for (int nodes : {1, 2, 3, 7, 8, 9, 40}) {
    FreeIndex index(nodes);
    Plain plain{std::vector(nodes, res(-1, -1)), std::vector<double>(nodes, -1)};
    for (int round = 0; round < 2000; ++round) {
      const int node = pick(0, nodes - 1);
      const bool gone = pick(0, 5) == 0;
      // There are few values, so that many are equal.
      plain.free[node] = gone ? res(-1, -1) : res(pick(0, 4), pick(0, 4));
      plain.share[node] = gone ? -1 : pick(0, 4) / 4.0;
      index.set(NodeId{node}, plain.free[node], plain.share[node]);
      const Resources wanted = res(pick(0, 5), pick(0, 5));
      const int from = pick(0, nodes);
      // Some sizes are watched from some round on, others never.
      if (round % 50 == 0 && wanted.cores > Millicores(2)) index.watch({{wanted, 1}});
      ASSERT_EQ(index.first(wanted, NodeId{from}), plain.first(wanted, from));
      if (const std::optional<bool> fits = index.fits_if_watched(wanted)) {
        ASSERT_EQ(*fits, plain.first(wanted, 0).has_value());
      }
      ASSERT_EQ(index.best(wanted), plain.best(wanted)) << nodes << " nodes, round " << round;
    }
  }
}

TEST(FreeIndex, MoreSizesThanCanBeWatched) {
  FreeIndex index(2);
  FreeIndex::Sizes sizes;
  for (int memory = 0; memory < 100; ++memory) sizes.emplace(res(1, memory), 1);
  index.watch(sizes);
  index.watch({{res(2, 1), 1}});  // takes the place of others
  index.set(NodeId{1}, res(2, 50), 0.5);
  for (int memory = 0; memory < 100; ++memory)
    EXPECT_EQ(index.first(res(1, memory)).has_value(), memory <= 50) << memory;
  EXPECT_EQ(index.first(res(2, 1)), NodeId{1});
  EXPECT_EQ(index.fits_if_watched(res(2, 1)), true);
  EXPECT_EQ(index.fits_if_watched(res(3, 1)), std::nullopt);
  index.set(NodeId{1}, res(1, 50), 0.5);
  EXPECT_EQ(index.first(res(2, 1)), std::nullopt);
  EXPECT_EQ(index.fits_if_watched(res(2, 1)), false);
}

}  // namespace heddle::free_index_test
