#include "report/comparison/league.h"

#include "tests/support/matchers.h"

namespace heddle::report::league_test {

using wire::Json;

/// Returns a summary of jobs a and b with these completion times in seconds. A time below 0 means
/// failed.
Json summary(double makespan, double a, double b) {
  auto job = [](const char* name, double completion) -> Json {
    if (completion < 0) return {{"name", name}, {"state", "failed"}, {"completion_s", nullptr}};
    return {{"name", name}, {"state", "completed"}, {"completion_s", completion}};
  };
  return {{"makespan_s", makespan}, {"jobs", {job("a", a), job("b", b)}}};
}

const JobReferences kAlone = {{{"a", {10, false}}, {"b", {40, false}}}, 2, 2};

TEST(League, RatiosToTheBest) {
  // The slowdowns are (20/10 + 40/40) / 2 = 1.5 for x, (10/10 + 80/40) / 2 = 1.5 for y and (30/10 +
  // 80/40) / 2 = 2.5 for z.
  const LeagueRow row = league_row(
      "s", {{"x", summary(50, 20, 40)}, {"y", summary(100, 10, 80)}, {"z", summary(80, 30, 80)}},
      kAlone);
  ASSERT_EQ(row.entries.size(), 3U);
  EXPECT_DOUBLE_EQ(*row.entries[0].makespan, 1);
  EXPECT_DOUBLE_EQ(*row.entries[1].makespan, 2);
  EXPECT_DOUBLE_EQ(*row.entries[2].makespan, 1.6);
  EXPECT_DOUBLE_EQ(*row.entries[0].slowdown, 1);
  EXPECT_DOUBLE_EQ(*row.entries[1].slowdown, 1);
  EXPECT_DOUBLE_EQ(*row.entries[2].slowdown, 2.5 / 1.5);
}

TEST(League, WhoLosesAJobIsNotTheBestAndItsJobCountsForNobody) {
  // Job b failed under x, so only job a has slowdowns, 2 and 1.
  const LeagueRow row =
      league_row("s", {{"x", summary(20, 20, -1)}, {"y", summary(80, 10, 80)}}, kAlone);
  EXPECT_EQ(row.entries[0].unfinished, 1);
  EXPECT_DOUBLE_EQ(*row.entries[0].makespan, 0.25);
  EXPECT_DOUBLE_EQ(*row.entries[1].makespan, 1);
  EXPECT_DOUBLE_EQ(*row.entries[0].slowdown, 2);
  EXPECT_DOUBLE_EQ(*row.entries[1].slowdown, 1);
  const std::string text = format_league({row}, LeagueFormat::kText);
  EXPECT_THAT(text, HasSubstr("0.25 !1"));
}

TEST(League, Tables) {
  const std::vector<LeagueRow> rows = {
      league_row("s", {{"x", summary(50, 20, 40)}, {"y", summary(100, 10, 80)}}, kAlone),
      league_row("t", {{"x", summary(80, 20, 40)}, {"y", summary(10, 10, 80)}}, {})};
  // The geometric mean is sqrt(2 * 1) = 1.41 for y and sqrt(1 * 8) = 2.83 for x.
  const std::string text = format_league(rows, LeagueFormat::kText);
  EXPECT_THAT(text, HasSubstr("scenario           x     y\n"
                              "s               1.00  2.00\n"
                              "t               8.00  1.00\n"
                              "geometric mean  2.83  1.41\n"
                              "above 1.5          1     1\n"));
  EXPECT_THAT(text, HasSubstr("t                  -     -\n"));
  EXPECT_THAT(format_league(rows, LeagueFormat::kMarkdown), HasSubstr("| s | 1.00 | 2.00 |\n"));
  const Json json = Json::parse(format_league(rows, LeagueFormat::kJson));
  EXPECT_EQ(json["scenarios"][1]["policies"][0]["makespan"], 8);
  EXPECT_EQ(json["scenarios"][1]["policies"][0]["mean_slowdown"], nullptr);
  EXPECT_EQ(format_league({}, LeagueFormat::kText), "no scenarios\n");
}

}  // namespace heddle::report::league_test
