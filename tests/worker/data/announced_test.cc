#include "worker/data/announced.h"

#include <gtest/gtest.h>

#include "worker/data/peer_bounds.h"

namespace heddle::worker::announced_test {

constexpr DataExpect kCopy{8, 1000, false, NodeId{2}};

DataExpect changed(auto change) {
  DataExpect copy = kCopy;
  change(copy);
  return copy;
}

TEST(Announced, IsExactlyWhatWasSaidAndOnce) {
  Announced announced(10);
  EXPECT_FALSE(announced.take(kCopy));
  announced.add(kCopy);
  EXPECT_FALSE(announced.take(changed([](auto& c) { c.object = 9; })));
  EXPECT_FALSE(announced.take(changed([](auto& c) { c.size = 1001; })));
  EXPECT_FALSE(announced.take(changed([](auto& c) { c.kept = true; })));
  EXPECT_FALSE(announced.take(changed([](auto& c) { c.from = NodeId{3}; })));
  EXPECT_TRUE(announced.take(kCopy));
  EXPECT_FALSE(announced.take(kCopy));
}

TEST(Announced, TheLastWordCounts) {
  Announced announced(10);
  const DataExpect larger = changed([](auto& c) { c.size = 2000; });
  announced.add(kCopy);
  announced.add(larger);
  EXPECT_EQ(announced.size(), 1u);
  EXPECT_FALSE(announced.take(kCopy));
  EXPECT_TRUE(announced.take(larger));
}

TEST(Announced, OfTooManyTheOldestAreForgotten) {
  Announced announced(2);
  const auto of = [](std::uint64_t object) { return changed([&](auto& c) { c.object = object; }); };
  for (std::uint64_t object : {1, 2, 3}) announced.add(of(object));
  EXPECT_EQ(announced.size(), 2u);
  EXPECT_FALSE(announced.take(of(1)));
  EXPECT_TRUE(announced.take(of(2)));
  EXPECT_TRUE(announced.take(of(3)));
}

TEST(PeerBounds, NeitherOneNorAllHoldTooMuch) {
  PeerBounds bounds(2, 3);
  EXPECT_TRUE(bounds.add("a"));
  EXPECT_TRUE(bounds.add("a"));
  EXPECT_FALSE(bounds.add("a"));
  EXPECT_TRUE(bounds.add("b"));
  EXPECT_FALSE(bounds.add("c"));
  EXPECT_EQ(bounds.held(), 3u);
  bounds.remove("a");
  EXPECT_TRUE(bounds.add("c"));
  EXPECT_FALSE(bounds.add("a"));
  for (const char* peer : {"a", "b", "c"}) bounds.remove(peer);
  EXPECT_EQ(bounds.held(), 0u);
}

}  // namespace heddle::worker::announced_test
