#include <map>
#include <set>

#include "core/scenario/blocks.h"
#include "tests/support/matchers.h"

namespace heddle::scenario_blocks_test {

std::vector<double> factors(const Skew& skew, int tasks) {
  std::vector<double> all;
  for (int i = 0; i < tasks; ++i) all.push_back(skew_factor(skew, tasks, i));
  return all;
}

TEST(SkewFactor, HeadingIsOfTheLastTaskTrailingOfTheFirst) {
  EXPECT_THAT(factors({}, 3), ElementsAre(1, 1, 1));
  EXPECT_THAT(factors({0.25, 1, 0}, 4), ElementsAre(1, 1, 1, 0.25));
  EXPECT_THAT(factors({1, 1.38, 0}, 4), ElementsAre(1.38, 1, 1, 1));
  EXPECT_THAT(factors({0.5, 3, 0}, 1), ElementsAre(1.5));
}

TEST(SkewFactor, ZipfHasAMeanOfOne) {
  // 1, 1/2, 1/3 and 1/4 sum up to 25/12.
  const auto all = factors({1, 1, 1}, 4);
  EXPECT_DOUBLE_EQ(all[0], 48.0 / 25);
  EXPECT_DOUBLE_EQ(all[1], 24.0 / 25);
  EXPECT_DOUBLE_EQ(all[2], 16.0 / 25);
  EXPECT_DOUBLE_EQ(all[3], 12.0 / 25);
  EXPECT_DOUBLE_EQ(skew_factor({0.5, 1, 1}, 4, 3), 6.0 / 25);
  for (double zipf : {0.3, 1.0, 1.0000001, 2.0}) {
    double sum = 0;
    for (double factor : factors({1, 1, zipf}, 5000)) sum += factor;
    EXPECT_NEAR(sum, 5000, 1e-6) << zipf;
  }
}

Share share(std::int64_t offset, std::int64_t size) { return {EmuBytes(offset), EmuBytes(size)}; }

TEST(Partition, DividesByTheFactors) {
  const EmuBytes total(1000);
  EXPECT_EQ(partition(total, {}, 4, 0), share(0, 250));
  EXPECT_EQ(partition(total, {}, 4, 3), share(750, 250));
  EXPECT_EQ(partition(total, {}, 4, 1, 2), share(250, 500));
  // With factors 3, 1, 1, the first gets three fifths.
  EXPECT_EQ(partition(total, {1, 3, 0}, 3, 0), share(0, 600));
  EXPECT_EQ(partition(total, {1, 3, 0}, 3, 2), share(800, 200));
  EXPECT_EQ(partition(total, {0.5, 1, 0}, 2, 1), share(666, 334));
  EXPECT_EQ(partition(total, {1, 1, 1}, 2, 0), share(0, 666));
  EXPECT_EQ(partition(total, {0.5, 7, 0}, 1, 0), share(0, 1000));
}

TEST(Partition, LeavesNothingOutAndNothingTwice) {
  const std::vector<Skew> skews = {{}, {0.001, 1.38, 0.5}, {1, 1, 1}, {1, 1000, 2}, {3, 1, 1.001}};
  for (const Skew& skew : skews) {
    for (auto [total, tasks] : {std::pair{7LL, 1000}, {1LL << 50, 3000}, {12345678LL, 65}}) {
      std::int64_t at = 0;
      for (int i = 0; i < tasks; ++i) {
        const Share part = partition(EmuBytes(total), skew, tasks, i);
        ASSERT_EQ(part.offset.count(), at);
        ASSERT_GE(part.size.count(), 0);
        at += part.size.count();
      }
      EXPECT_EQ(at, total);
    }
  }
}

TEST(Partition, OfManyTasksIsInProportion) {
  const Skew skew{1, 1, 0.7};
  constexpr int kTasks = 1000000;
  constexpr double kTotal = 1e15;
  for (int i : {0, 63, 64, 1000, kTasks - 1}) {
    const Share part = partition(EmuBytes(static_cast<std::int64_t>(kTotal)), skew, kTasks, i);
    const double even = kTotal / kTasks;
    EXPECT_NEAR(static_cast<double>(part.size.count()) / even, skew_factor(skew, kTasks, i), 1e-5);
  }
}

ClusterSpec racks(const std::vector<std::string>& names) {
  ClusterSpec cluster;
  for (const std::string& name : names) {
    NodeSpec node;
    node.rack = name;
    cluster.nodes.push_back(node);
  }
  return cluster;
}

TEST(Blocks, ObjectsDifferAndHaveTheTopBitClear) {
  std::set<std::uint64_t> seen;
  for (int job : {0, 1})
    for (int phase : {0, 1})
      for (int index = 0; index < 100; ++index) {
        const std::uint64_t object = block_object(7, {{JobId{job}, phase}, index});
        EXPECT_EQ(object >> 63, 0U);
        seen.insert(object);
      }
  EXPECT_EQ(seen.size(), 400U);
  EXPECT_FALSE(seen.contains(block_object(8, {{JobId{0}, 0}, 0})));
}

TEST(Blocks, LieOnTwoRacksTheSecondAndThirdOnOne) {
  const ClusterSpec cluster = racks({"a", "a", "a", "b", "b", "b", "c", "c", "c"});
  std::map<std::int64_t, int> held;
  for (std::uint64_t key = 0; key < 3000; ++key) {
    const auto nodes = place_block(cluster, 3, key);
    ASSERT_EQ(nodes.size(), 3U);
    auto rack = [&](int i) { return nodes[i].value / 3; };
    EXPECT_NE(rack(0), rack(1));
    EXPECT_EQ(rack(1), rack(2));
    EXPECT_NE(nodes[1], nodes[2]);
    for (NodeId node : nodes) ++held[node.value];
    EXPECT_EQ(place_block(cluster, 3, key), nodes);
  }
  for (std::int64_t node = 0; node < 9; ++node) EXPECT_NEAR(held[node], 1000, 120) << node;
}

TEST(Blocks, TakeWhatThereIs) {
  EXPECT_THAT(place_block(racks({}), 3, 1), IsEmpty());
  EXPECT_THAT(place_block(racks({"a"}), 3, 1), ElementsAre(NodeId{0}));
  for (std::uint64_t key = 0; key < 50; ++key) {
    // The clusters are one rack, two racks (one of a single node), and a rack per node. 100
    // replicas are more than there are nodes.
    for (const ClusterSpec& cluster :
         {racks({"a", "a", "a", "a"}), racks({"a", "a", "a", "b"}), racks({"a", "b", "c", "d"})}) {
      const auto three = place_block(cluster, 3, key);
      EXPECT_EQ(std::set<NodeId>(three.begin(), three.end()).size(), 3U);
      const auto all = place_block(cluster, 100, key);
      EXPECT_EQ(std::set<NodeId>(all.begin(), all.end()).size(), 4U);
    }
    const auto two = place_block(racks({"a", "a", "a", "b"}), 2, key);
    EXPECT_TRUE(two[0] == NodeId{3} || two[1] == NodeId{3});
    EXPECT_EQ(place_block(racks({"a", "b"}), 1, key).size(), 1U);
  }
}

TEST(Blocks, CopiesOfAFileGoElsewhereThanItsWriter) {
  const ClusterSpec cluster = racks({"a", "a", "b", "b"});
  for (std::uint64_t key = 0; key < 50; ++key) {
    const auto copies = place_copies(cluster, NodeId{1}, 3, key);
    ASSERT_EQ(copies.size(), 2U);
    EXPECT_EQ(std::set<NodeId>(copies.begin(), copies.end()), (std::set{NodeId{2}, NodeId{3}}));
  }
  EXPECT_THAT(place_copies(cluster, NodeId{1}, 1, 5), IsEmpty());
}

TEST(Blocks, OfLargeClustersAreSpreadOverAllOfThem) {
  std::vector<std::string> names;
  for (int i = 0; i < 20000; ++i) names.push_back("r" + std::to_string(i / 40));
  const ClusterSpec cluster = racks(names);
  std::set<NodeId> held;
  for (std::uint64_t key = 0; key < 20000; ++key)
    for (NodeId node : place_block(cluster, 3, key)) held.insert(node);
  // 60000 balls in 20000 bins leave about a twentieth of the bins empty.
  EXPECT_GT(held.size(), 18500U);
}

}  // namespace heddle::scenario_blocks_test
