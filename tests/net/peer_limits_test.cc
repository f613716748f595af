#include "net/peer_limits.h"

#include <gtest/gtest.h>

#include "net/peer_name.h"
#include "tests/support/clock.h"

namespace heddle::net::peer_limits_test {

using namespace std::chrono_literals;

constexpr std::size_t kMiB = 1 << 20;

/// Returns how many of `count` messages that come at the same time are accepted.
int taken(PeerLimits& limits, const std::string& peer, bool plays, std::size_t bytes, int count,
          std::chrono::milliseconds when) {
  int taken = 0;
  for (int i = 0; i < count; ++i) taken += limits.take(peer, plays, bytes, at(when));
  return taken;
}

TEST(PeerLimits, AWorkersMessagesAndBytes) {
  PeerLimits limits(2);
  EXPECT_EQ(taken(limits, "w1/01", true, 100, 20'000, 0ms), 10'000);
  EXPECT_EQ(taken(limits, "w1/01", true, 100, 20'000, 1000ms), 5'000);
  // Another connection with the same key has limits of its own.
  EXPECT_EQ(taken(limits, "w1/02", true, 2 * kMiB, 100, 1000ms), 16);
  EXPECT_EQ(taken(limits, "w1/02", true, 2 * kMiB, 100, 2000ms), 4);
}

TEST(PeerLimits, WhoPlaysNoNodeHasWhatHellosNeedHoweverOftenItConnects) {
  PeerLimits limits(2);
  int heard = 0;
  for (int i = 0; i < 3000; ++i)
    heard += limits.take(peer_name("w1", std::to_string(i)), false, 300, at(0ms));
  EXPECT_EQ(heard, 208);  // twice 100 + 2 x 2
  EXPECT_FALSE(limits.take("w1/ff", false, 300, at(0ms)));
  EXPECT_TRUE(limits.take("w2/ff", false, 300, at(0ms)));
  EXPECT_TRUE(limits.take("w1/ff", true, 300, at(0ms)));
  EXPECT_EQ(taken(limits, "w1/ff", false, 300, 3000, 1000ms), 104);
}

TEST(PeerLimits, AllNodesMayComeAtOnce) {
  PeerLimits limits(20'000);
  EXPECT_EQ(taken(limits, "w/01", false, 400, 40'000, 0ms), 40'000);
}

}  // namespace heddle::net::peer_limits_test
