#include "report/comparison/expectation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::report::expectation_test {

using Kind = Expectation::Kind;
using ::testing::HasSubstr;

Expectation parsed(std::string_view text) {
  auto expectation = parse_expectation(text);
  EXPECT_TRUE(expectation) << text;
  return expectation ? *expectation : Expectation{};
}

TEST(Expectations, AreRead) {
  EXPECT_EQ(parsed("less").kind, Kind::kLess);
  EXPECT_EQ(parsed("more").kind, Kind::kMore);
  EXPECT_EQ(parsed(" same ").kind, Kind::kSame);
  EXPECT_EQ(parsed("-27.5 %"), (Expectation{Kind::kRange, -0.275, -0.275}));
  EXPECT_EQ(parsed("+25%"), (Expectation{Kind::kRange, 0.25, 0.25}));
  EXPECT_EQ(parsed("50 % .. 12.5 %"), (Expectation{Kind::kRange, 0.125, 0.5}));
  EXPECT_EQ(parsed("40 s"), (Expectation{Kind::kRange, 40, 40}));
  EXPECT_EQ(parsed("at most 7.5 %"), (Expectation{Kind::kAtMost, 0.075, 0.075}));
  EXPECT_EQ(parsed("at least 2"), (Expectation{Kind::kAtLeast, 2, 2}));
}

TEST(Expectations, OtherTextsAreRefused) {
  for (const char* text :
       {"", "shorter", "5 % of 3", "..", "1 ..", "at most", "at most few", "nan", "inf %", "--3"}) {
    auto expectation = parse_expectation(text);
    ASSERT_FALSE(expectation) << text;
    EXPECT_THAT(expectation.error().text, HasSubstr("expected less, more, same, NUMBER")) << text;
  }
}

ClaimMeasurement difference(double low, double value, double high) {
  return {value, Interval{low, high}, true};
}
std::string verdict(std::string_view expected, const ClaimMeasurement& measured) {
  return name_of(judge(parsed(expected), measured));
}

TEST(Verdicts, OfDifferencesWithAPapersSize) {
  // The difference is from half to twice the paper's 20 %, and the interval does not contain 0.
  EXPECT_EQ(verdict("-20 %", difference(-0.25, -0.2, -0.15)), "reproduced");
  EXPECT_EQ(verdict("-20 %", difference(-0.12, -0.1, -0.08)), "reproduced");
  EXPECT_EQ(verdict("-20 %", difference(-0.45, -0.4, -0.35)), "reproduced");
  EXPECT_EQ(verdict("-20 %", difference(-0.10, -0.09, -0.08)), "direction only");
  EXPECT_EQ(verdict("-20 %", difference(-0.50, -0.41, -0.40)), "direction only");
  EXPECT_EQ(verdict("-20 %", difference(-0.45, -0.2, 0.05)), "not reproduced");
  EXPECT_EQ(verdict("-20 %", difference(0.15, 0.2, 0.25)), "not reproduced");
  // For a range, it is from half of 12 % to twice 16 %.
  EXPECT_EQ(verdict("12 % .. 16 %", difference(0.05, 0.06, 0.07)), "reproduced");
  EXPECT_EQ(verdict("12 % .. 16 %", difference(0.30, 0.32, 0.33)), "reproduced");
  EXPECT_EQ(verdict("12 % .. 16 %", difference(0.30, 0.33, 0.35)), "direction only");
  // With one run each, only the value counts.
  EXPECT_EQ(verdict("-20 %", {-0.2, std::nullopt, true}), "reproduced");
}

TEST(Verdicts, OfDifferencesWithADirection) {
  EXPECT_EQ(verdict("less", difference(-0.03, -0.02, -0.01)), "reproduced");
  EXPECT_EQ(verdict("less", difference(-0.03, -0.01, 0.01)), "not reproduced");
  EXPECT_EQ(verdict("more", difference(0.01, 0.02, 0.03)), "reproduced");
  EXPECT_EQ(verdict("more", difference(-0.03, -0.02, -0.01)), "not reproduced");
  EXPECT_EQ(verdict("same", difference(-0.05, 0.0, 0.05)), "reproduced");
  EXPECT_EQ(verdict("same", difference(-0.06, 0.0, 0.05)), "not reproduced");
  EXPECT_EQ(verdict("at most 3 %", difference(-0.5, 0.01, 0.03)), "reproduced");
  EXPECT_EQ(verdict("at most 3 %", difference(-0.5, 0.01, 0.04)), "not reproduced");
  EXPECT_EQ(verdict("at least 3 %", difference(0.03, 0.1, 0.4)), "reproduced");
  EXPECT_EQ(verdict("at least 3 %", difference(0.02, 0.1, 0.4)), "not reproduced");
}

TEST(Verdicts, OfValues) {
  auto value = [](double number) { return ClaimMeasurement{number, Interval{0, 1}, false}; };
  // The bounds are a factor of 1.5 around 30 %: 20 % to 45 %.
  EXPECT_EQ(verdict("30 %", value(0.2)), "reproduced");
  EXPECT_EQ(verdict("30 %", value(0.44)), "reproduced");
  EXPECT_EQ(verdict("30 %", value(0.19)), "not reproduced");
  EXPECT_EQ(verdict("30 %", value(0.46)), "not reproduced");
  // 99 % is within that factor of a share of 68 %, but 31 points away.
  EXPECT_EQ(verdict("68 %", value(0.99)), "reproduced");
  EXPECT_EQ(verdict("68 %", {0.99, std::nullopt, false, true}), "not reproduced");
  EXPECT_EQ(verdict("68 %", {0.77, std::nullopt, false, true}), "reproduced");
  EXPECT_EQ(verdict("0 s", value(0)), "reproduced");
  EXPECT_EQ(verdict("0 s", value(0.001)), "not reproduced");
  EXPECT_EQ(verdict("at most 7.5 %", value(0.075)), "reproduced");
  EXPECT_EQ(verdict("at most 7.5 %", value(0.076)), "not reproduced");
  EXPECT_EQ(verdict("at least 2", value(2)), "reproduced");
  EXPECT_EQ(verdict("at least 2", value(1.9)), "not reproduced");
}

}  // namespace heddle::report::expectation_test
