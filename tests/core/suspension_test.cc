#include "core/policy/reduces/suspension.h"

#include <gtest/gtest.h>

#include "core/policy/reduces/framework_shares.h"

namespace heddle::suspension_test {

double span_s(double lambda, double power, double threshold) {
  return to_seconds(suspend_span(lambda, power, threshold, emu_seconds(300)));
}

// The span is max(0, lambda^v - theta) x 300 s.
TEST(SuspendSpan, IsThePapersRule) {
  EXPECT_DOUBLE_EQ(span_s(0, 1, 0.15), 0);
  EXPECT_DOUBLE_EQ(span_s(0.15, 1, 0.15), 0);
  EXPECT_DOUBLE_EQ(span_s(0.1, 1, 0.15), 0);
  EXPECT_DOUBLE_EQ(span_s(0.25, 1, 0.15), 30);
  EXPECT_DOUBLE_EQ(span_s(0.25, 0.5, 0.15), 105);  // lambda^v is 0.5
  EXPECT_DOUBLE_EQ(span_s(0.25, 2, 0.15), 0);      // lambda^v is 0.0625
  EXPECT_DOUBLE_EQ(span_s(0.5, 2, 0.15), 30);      // lambda^v is 0.25
  EXPECT_DOUBLE_EQ(span_s(0.5, 1, 0), 150);
  EXPECT_DOUBLE_EQ(span_s(1, 1, 0.15), 255);
  EXPECT_DOUBLE_EQ(span_s(1, 0.01, 0), 300);
  EXPECT_DOUBLE_EQ(span_s(1, 1, 1), 0);
}

// The cluster has 8 cores and 16 GiB. From 0 to 10 s Spark has 2 cores and 8 GiB, then 2 cores and
// 2 GiB more. From 5 s on, MapReduce has 4 cores and 4 GiB. At 20 s, Spark has 2 x 10 + 4 x 10 = 60
// of 160 core-seconds and 8 x 10 + 10 x 10 = 180 of 320 GiB-seconds. MapReduce has 60 of 160 and 60
// of 320.
TEST(FrameworkSharesTest, AreAveragesSinceTheLastControlPoint) {
  const auto of = [](int cores, int gib) {
    return Resources{Millicores(1000 * cores), EmuBytes(gib * (1LL << 30))};
  };
  const Resources total = of(8, 16);
  FrameworkShares shares;
  EXPECT_EQ(shares.at(EmuTime(0), total).lambda(), 0);
  shares.hold(JobId{0}, Framework::kSpark, of(2, 8), EmuTime(0));
  EXPECT_EQ(shares.at(EmuTime(0), total).spark, 0.5);  // no time has passed
  EXPECT_EQ(shares.at(EmuTime(0), total).lambda(), 1);
  shares.add(JobId{1}, Framework::kMapReduce, of(4, 4), emu_seconds(5));
  shares.hold(JobId{1}, Framework::kMapReduce, of(4, 4), emu_seconds(5));
  shares.hold(JobId{2}, Framework::kSpark, of(2, 2), emu_seconds(10));
  EXPECT_DOUBLE_EQ(shares.at(emu_seconds(20), total).spark, 180.0 / 320);
  EXPECT_DOUBLE_EQ(shares.at(emu_seconds(20), total).mapreduce, 60.0 / 160);
  EXPECT_DOUBLE_EQ(shares.at(emu_seconds(20), total).lambda(), 0.6);
  // From 20 s on, Spark has 4 cores and 10 GiB for 5 s, then 2 and 8 for 5 s.
  shares.begin_at(emu_seconds(20));
  shares.hold(JobId{1}, Framework::kMapReduce, {}, emu_seconds(20));
  shares.hold(JobId{2}, Framework::kSpark, {}, emu_seconds(25));
  EXPECT_DOUBLE_EQ(shares.at(emu_seconds(30), total).spark, 90.0 / 160);
}

}  // namespace heddle::suspension_test
