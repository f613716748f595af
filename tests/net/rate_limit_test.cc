#include "net/rate_limit.h"

#include <gtest/gtest.h>

#include "tests/support/clock.h"

namespace heddle::net::rate_limit_test {

using namespace std::chrono_literals;

TEST(RateLimit, ABurstAndThenTheRate) {
  RateLimit limit(2, 3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.take("a", at(0ms))) << i;
  EXPECT_FALSE(limit.take("a", at(0ms)));
  EXPECT_FALSE(limit.take("a", at(499ms)));
  EXPECT_TRUE(limit.take("a", at(500ms)));
  EXPECT_FALSE(limit.take("a", at(500ms)));
  // No more than a burst is saved up.
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.take("a", at(10s))) << i;
  EXPECT_FALSE(limit.take("a", at(10s)));
}

TEST(RateLimit, EachHasItsOwn) {
  RateLimit limit(1, 1);
  EXPECT_TRUE(limit.take("a", at(0ms)));
  EXPECT_FALSE(limit.take("a", at(0ms)));
  EXPECT_TRUE(limit.take("b", at(0ms)));
}

TEST(RateLimit, WhatIsTooMuchTakesNothing) {
  RateLimit limit(1, 10);
  EXPECT_FALSE(limit.take("a", at(0ms), 11));
  EXPECT_TRUE(limit.take("a", at(0ms), 10));
  EXPECT_FALSE(limit.take("a", at(4s), 5));
  EXPECT_TRUE(limit.take("a", at(5s), 5));
}

TEST(RateLimit, TimeThatGoesBackGivesNothing) {
  RateLimit limit(1, 1);
  EXPECT_TRUE(limit.take("a", at(10s)));
  EXPECT_FALSE(limit.take("a", at(0ms)));
  EXPECT_FALSE(limit.take("a", at(10s)));
  EXPECT_TRUE(limit.take("a", at(11s)));
}

TEST(RateLimit, OfTooManyPeersTheNewOnesShare) {
  RateLimit limit(1, 2, 2);
  EXPECT_TRUE(limit.take("a", at(0ms)));
  EXPECT_TRUE(limit.take("b", at(0ms)));
  EXPECT_TRUE(limit.take("c", at(0ms)));
  EXPECT_TRUE(limit.take("d", at(0ms)));
  EXPECT_FALSE(limit.take("e", at(0ms)));
  EXPECT_TRUE(limit.take("a", at(0ms)));
  // Peers that have not been heard of lately make room.
  EXPECT_TRUE(limit.take("f", at(5s)));
  EXPECT_TRUE(limit.take("f", at(5s)));
  EXPECT_FALSE(limit.take("f", at(5s)));
  EXPECT_TRUE(limit.take("g", at(5s)));
}

}  // namespace heddle::net::rate_limit_test
