#include "report/disturbance.h"

#include "tests/support/matchers.h"
#include "tests/support/messages.h"

namespace heddle::report::disturbance_test {

using enum DisturbanceWord;

TEST(Disturbance, IsWeighedByItsEffect) {
  struct Case {
    Disturbance disturbance;
    DisturbanceWord word;
  };
  constexpr double kNone = 0;
  const Case cases[] = {
      // The same load beside two runs: one with tasks 118 % off, one with tasks 0.06 % off.
      {{0.5, kNone, 1.18}, kAffected},
      {{0.5, kNone, 0.0006}, kUnaffected},
      // Both bounds are 5 %, and are included.
      {{0.05, kNone, 0.5}, kClean},
      {{0.051, kNone, 0.05}, kUnaffected},
      {{0.051, kNone, 0.0501}, kAffected},
      {{0.051, kNone, std::nullopt}, kAffected},
      {{0.05, kNone, std::nullopt}, kClean},
      {{0, kNone, 0.0, true}, kAffected},
      {{0.5, kNone, 0.0006, true}, kAffected},
  };
  for (const Case& one : cases)
    EXPECT_EQ(word_of(one.disturbance), one.word)
        << one.disturbance.foreign_cpu << " " << one.disturbance.task_error.value_or(-1);
}

TEST(Disturbance, StatementsAreAsInTheTable) {
  tests::expect_messages_of(
      "report/disturbance.yaml", "statements",
      [](const std::string& members) { return disturbance_text(wire::Json::parse(members)); });
}

TEST(Disturbance, OfTheSummary) {
  EXPECT_EQ(to_json(Disturbance{0.34, 3.21, 0.0062}).dump(),
            R"({"word":"unaffected","foreign_cpu":0.34,"lost_s":3.21,"task_error":0.0062})");
  EXPECT_EQ(to_json(Disturbance{0.01, 0, std::nullopt}).dump(),
            R"({"word":"clean","foreign_cpu":0.01,"lost_s":0.0,"task_error":null})");
  EXPECT_TRUE(to_json(std::nullopt).is_null());
}

/// A summary of a version that called each run beside other programs disturbed.
TEST(Disturbance, OfAnOldSummaryIsWeighedAsWell) {
  const auto old = wire::Json::parse(R"({
    "disturbed": true, "host": {"foreign_cpu": 0.34}, "host_lost_s": 0.1,
    "fidelity": {"median_error": 0.0002, "p99_error": 0.0062, "memory": null}})");
  const auto disturbance = disturbance_of(old);
  ASSERT_TRUE(disturbance);
  EXPECT_EQ(word_of(*disturbance), kUnaffected);
}

}  // namespace heddle::report::disturbance_test
