#include "net/refusal_log.h"

#include "tests/support/matchers.h"

namespace heddle::net::refusal_log_test {

using namespace std::chrono_literals;
using testing::Optional;
using namespace std::string_literals;

real::Time at(real::Duration since) { return real::Time(1h + since); }

TEST(RefusalLog, TellsTheFirstTryAndThenOncePerMinuteWithTheirNumber) {
  RefusalLog log;
  EXPECT_THAT(log.refused("10.0.0.5", "no key", at(0s)), Optional("refused 10.0.0.5: no key"s));
  for (int i = 0; i < 5000; ++i)
    EXPECT_EQ(log.refused("10.0.0.5", "no key", at(i * 10ms)), std::nullopt);
  EXPECT_THAT(log.on_time(at(59'999ms)), IsEmpty());
  EXPECT_THAT(log.refused("10.0.0.5", "not listed", at(60s)),
              Optional("refused 10.0.0.5: not listed (5000 earlier tries not logged)"s));
  EXPECT_EQ(log.refused("10.0.0.5", "not listed", at(61s)), std::nullopt);
  EXPECT_THAT(log.refused("10.0.0.5", "not listed", at(120s)),
              Optional("refused 10.0.0.5: not listed (1 earlier try not logged)"s));
}

TEST(RefusalLog, TellsOfTriesOfOneWhoHasGoneOnceAMinuteIsOver) {
  RefusalLog log;
  EXPECT_TRUE(log.refused("a", "why", at(0s)));
  EXPECT_FALSE(log.refused("a", "why", at(1s)));
  EXPECT_FALSE(log.refused("a", "otherwise", at(2s)));
  EXPECT_THAT(log.on_time(at(30s)), IsEmpty());
  EXPECT_THAT(log.on_time(at(60s)), ElementsAre("refused a: otherwise (1 earlier try not logged)"));
  EXPECT_THAT(log.on_time(at(60s)), IsEmpty());
  EXPECT_FALSE(log.refused("a", "why", at(90s)));  // a minute counts from the last line
  EXPECT_THAT(log.on_time(at(120s)), ElementsAre("refused a: why"));
  EXPECT_THAT(log.on_time(at(180s)), IsEmpty());
  EXPECT_THAT(log.refused("a", "why", at(181s)), Optional("refused a: why"s));
}

TEST(RefusalLog, OfManyPeersMostShareALine) {
  RefusalLog log(2);
  EXPECT_TRUE(log.refused("a", "why", at(0s)));
  EXPECT_TRUE(log.refused("b", "why", at(1s)));
  EXPECT_THAT(log.refused("c", "why", at(2s)), Optional("refused others: why"s));
  for (int i = 0; i < 100'000; ++i)
    EXPECT_FALSE(log.refused("x" + std::to_string(i), "why", at(3s)));
  EXPECT_FALSE(log.refused("a", "why", at(4s)));
  EXPECT_THAT(
      log.on_time(at(62s)),
      ElementsAre("refused a: why", "refused others: why (99999 earlier tries not logged)"));
}

TEST(RefusalLog, RoomIsMadeWhenAMinuteIsOver) {
  RefusalLog log(1);
  EXPECT_TRUE(log.refused("a", "why", at(0s)));
  EXPECT_THAT(log.on_time(at(60s)), IsEmpty());
  EXPECT_THAT(log.refused("b", "why", at(60s)), Optional("refused b: why"s));
}

}  // namespace heddle::net::refusal_log_test
