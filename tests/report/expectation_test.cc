#include "report/comparison/expectation.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/messages.h"

namespace heddle::report::expectation_test {

constexpr const char* kFile = "report/expectation.yaml";

/// Returns an expectation as its kind and, if it has a size, its bounds; or the error.
std::string text_of(const std::string& text) {
  static constexpr const char* kKinds[] = {"less", "more", "same", "range", "at most", "at least"};
  const Result<Expectation> read = parse_expectation(text);
  if (!read) return read.error().text;
  std::ostringstream out;
  out << kKinds[static_cast<int>(read->kind)];
  if (read->kind >= Expectation::Kind::kRange) out << " " << read->low << " " << read->high;
  return out.str();
}

std::string verdict(const std::string& expected, const ClaimMeasurement& measured) {
  const Result<Expectation> expectation = parse_expectation(expected);
  return expectation ? name_of(judge(*expectation, measured)) : expectation.error().text;
}

TEST(Expectations, AreRead) { tests::expect_messages_of(kFile, "read", text_of); }

TEST(Verdicts, OfDifferences) {
  tests::expect_messages(kFile, "differences", [](const auto& row) {
    std::istringstream in(row[1]);
    double low = 0, value = 0, high = 0;
    EXPECT_TRUE(in >> low >> value >> high);
    return verdict(row[0], {value, Interval{low, high}, true});
  });
  // A metric of which less is better, and one of which more is better.
  for (const char* expected : {"same", "0 %"}) {
    EXPECT_EQ(verdict(expected, {-0.2, Interval{-0.3, -0.1}, true, false, true}), "reproduced");
    EXPECT_EQ(verdict(expected, {0.1, Interval{0.02, 0.2}, true, false, true}), "not reproduced");
    EXPECT_EQ(verdict(expected, {0.2, Interval{0.1, 0.3}, true, false, false}), "reproduced");
    EXPECT_EQ(verdict(expected, {-0.1, Interval{-0.2, -0.02}, true, false, false}),
              "not reproduced");
    EXPECT_EQ(verdict(expected, {0.1, Interval{0.02, 0.2}, true}), "not reproduced");
  }
  // With one run each, only the value counts.
  EXPECT_EQ(verdict("-20 %", {-0.2, std::nullopt, true}), "reproduced");
}

TEST(Verdicts, OfValues) {
  tests::expect_messages(kFile, "values", [](const auto& row) {
    return verdict(row[0], {std::stod(row[1]), Interval{0, 1}, false});
  });
  tests::expect_messages(kFile, "shares", [](const auto& row) {
    return verdict(row[0], {std::stod(row[1]), std::nullopt, false, true});
  });
}

}  // namespace heddle::report::expectation_test
