#include "net/backlog.h"

#include <gtest/gtest.h>

#include "tests/support/clock.h"

namespace heddle::net::backlog_test {

using namespace std::chrono_literals;
using Indices = std::vector<std::size_t>;

TEST(Backlogs, WhatWaitsIsWhatWasReceivedAndNotTaken) {
  Backlogs backlogs;
  EXPECT_EQ(backlogs.over({{7, 1000, 0, 1000}, {8, 1001, 0, 1000}, {9, 5000, 4000, 1000}}, at(0s)),
            Indices{1});
  // The first has sent one byte more, of the second enough was taken.
  EXPECT_EQ(backlogs.over({{7, 1001, 0, 1000}, {8, 1001, 1, 1000}}, at(0s)), Indices{0});
}

TEST(Backlogs, EachHasItsOwnLimit) {
  Backlogs backlogs;
  EXPECT_EQ(backlogs.over({{7, 300, 0, 299}, {8, 300, 0, 300}}, at(0s)), Indices{0});
}

TEST(Backlogs, PingsDoNotAddUp) {
  Backlogs backlogs;
  std::uint64_t received = 0;
  for (int second = 0; second < 100; ++second)
    EXPECT_EQ(backlogs.over({{7, received += 1024, 0, 2000}}, at(second * 1s)), Indices{})
        << second;
  // No more than what was received is forgotten.
  EXPECT_EQ(backlogs.over({{7, received, 0, 2000}}, at(1000s)), Indices{});
  EXPECT_EQ(backlogs.over({{7, received + 2001, 0, 2000}}, at(1000s)), Indices{0});
}

TEST(Backlogs, AnotherConnectionBeginsAnew) {
  Backlogs backlogs;
  EXPECT_EQ(backlogs.over({{7, 900, 0, 1000}}, at(0s)), Indices{});
  EXPECT_EQ(backlogs.over({{8, 900, 0, 1000}}, at(0s)), Indices{});
  // Bytes that a connection before it had sent are counted as taken from this one.
  EXPECT_EQ(backlogs.over({{8, 1000, 5000, 1000}}, at(0s)), Indices{});
  EXPECT_EQ(backlogs.over({{8, 2001, 5000, 1000}}, at(0s)), Indices{0});
}

}  // namespace heddle::net::backlog_test
