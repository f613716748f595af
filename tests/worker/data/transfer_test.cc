#include "worker/data/transfer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle::worker::transfer_test {

using namespace std::chrono_literals;

constexpr NodeId kA{1}, kB{2};

Transfer transfer(std::int64_t size, std::vector<NodeId> from, int window = 2) {
  DataFetch fetch;
  fetch.object = 0x8000000000000007;
  fetch.offset = 1000;
  fetch.size = size;
  fetch.from = std::move(from);
  return Transfer(fetch, 100, window);
}

/// Returns all ranges that may be requested, as "offset+size ...".
std::string asks(Transfer& t) {
  std::string all;
  while (auto ask = t.ask())
    all += std::to_string(ask->offset) + "+" + std::to_string(ask->size) + " ";
  return all;
}

TEST(Transfer, AsksAheadOfWhatHasPassed) {
  Transfer t = transfer(350, {kA});
  EXPECT_EQ(asks(t), "1000+100 1100+100 ");
  EXPECT_TRUE(t.came({1000, 100}));
  EXPECT_EQ(asks(t), "");
  t.passed(100);
  EXPECT_EQ(asks(t), "1200+100 ");
  EXPECT_TRUE(t.came({1100, 100}));
  EXPECT_TRUE(t.came({1200, 100}));
  EXPECT_FALSE(t.waiting());
  t.passed(200);
  EXPECT_EQ(asks(t), "1300+50 ");
  EXPECT_TRUE(t.waiting());
  EXPECT_TRUE(t.came({1300, 50}));
  EXPECT_TRUE(t.all_came());
  EXPECT_FALSE(t.complete());
  t.passed(50);
  EXPECT_TRUE(t.complete());
  EXPECT_EQ(asks(t), "");
}

TEST(Transfer, TakesOnlyWhatWasAskedForAndInOrder) {
  Transfer t = transfer(300, {kA});
  EXPECT_FALSE(t.came({1000, 100}));
  asks(t);
  for (Transfer::Stretch wrong : {Transfer::Stretch{1100, 100}, {1000, 50}, {0, 100}, {1000, 0}})
    EXPECT_FALSE(t.came(wrong));
  EXPECT_TRUE(t.came({1000, 100}));
  EXPECT_FALSE(t.came({1000, 100}));
}

TEST(Transfer, NextSourceGoesOnWhereTheLastOneFailed) {
  Transfer t = transfer(300, {kA, kB}, 3);
  asks(t);
  EXPECT_TRUE(t.came({1000, 100}));
  EXPECT_EQ(t.source(), kA);
  t.failed("is silent");
  EXPECT_EQ(t.source(), kB);
  EXPECT_EQ(asks(t), "1100+100 1200+100 ");
  t.failed("open x: No such file");
  EXPECT_EQ(t.source(), std::nullopt);
  EXPECT_EQ(
      t.error(),
      "object 8000000000000007 cannot be read: node 1: is silent; node 2: open x: No such file");
}

TEST(Transfer, NobodyHasIt) {
  Transfer t = transfer(300, {});
  EXPECT_EQ(t.source(), std::nullopt);
  EXPECT_EQ(t.error(), "object 8000000000000007 cannot be read: no node has it");
}

using Verdict = Silence::Verdict;
constexpr real::Time kStart{100s};

TEST(Silence, PingsOnceThenGivesUp) {
  Silence s(3s, kStart);
  EXPECT_EQ(s.check(kStart + 999ms), Verdict::kNone);
  EXPECT_EQ(s.check(kStart + 1000ms), Verdict::kPing);
  EXPECT_EQ(s.check(kStart + 1100ms), Verdict::kNone);
  EXPECT_EQ(s.check(kStart + 2999ms), Verdict::kNone);
  EXPECT_EQ(s.check(kStart + 3000ms), Verdict::kGiveUp);
}

TEST(Silence, AWordBeginsItAnew) {
  Silence s(3s, kStart);
  s.heard(kStart + 2s);
  EXPECT_EQ(s.check(kStart + 2900ms), Verdict::kNone);
  EXPECT_EQ(s.check(kStart + 3s), Verdict::kPing);
  EXPECT_TRUE(s.pong(1, kStart + 4s));
  EXPECT_EQ(s.check(kStart + 4900ms), Verdict::kNone);
  EXPECT_EQ(s.check(kStart + 5s), Verdict::kPing);
}

TEST(Silence, WhoOwesNothingHasForgotten) {
  Silence s(3s, kStart);
  EXPECT_TRUE(s.pong(0, kStart));  // answers no recent ping: the data that was owed has come
  EXPECT_EQ(s.check(kStart + 1s), Verdict::kPing);
  EXPECT_FALSE(s.pong(0, kStart + 1s));
}

}  // namespace heddle::worker::transfer_test
