#include "core/policy/base/node_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace heddle::node_set_test {

TEST(NodeSet, TheFirstFromANodeOn) {
  NodeSet set(10'000);
  EXPECT_EQ(set.first(), std::nullopt);
  for (int node : {63, 64, 5000, 9999}) set.put(NodeId{node}, true);
  EXPECT_EQ(set.first(), NodeId{63});
  EXPECT_EQ(set.first(NodeId{64}), NodeId{64});
  EXPECT_EQ(set.first(NodeId{65}), NodeId{5000});
  EXPECT_EQ(set.first(NodeId{5001}), NodeId{9999});
  EXPECT_EQ(set.first(NodeId{10'000}), std::nullopt);
  set.put(NodeId{5000}, false);
  EXPECT_EQ(set.first(NodeId{65}), NodeId{9999});
}

TEST(NodeSet, AgreesWithASetOfNumbers) {
  std::mt19937 random(1);
  for (int nodes : {1, 63, 64, 65, 4096, 5000}) {
    NodeSet set(nodes);
    std::set<std::int64_t> plain;
    for (int round = 0; round < 3000; ++round) {
      const auto node = static_cast<std::int64_t>(random() % nodes);
      const bool in = random() % 4 == 0;  // mostly sparse, so that all levels count
      set.put(NodeId{node}, in);
      in ? void(plain.insert(node)) : void(plain.erase(node));
      const auto from = static_cast<std::int64_t>(random() % (nodes + 1));
      const auto expected = plain.lower_bound(from);
      const auto found = set.first(NodeId{from});
      ASSERT_EQ(found.has_value(), expected != plain.end()) << nodes << " from " << from;
      ASSERT_EQ(set.empty(), plain.empty()) << nodes;
      if (found) {
        ASSERT_EQ(found->value, *expected);
      }
    }
  }
}

}  // namespace heddle::node_set_test
