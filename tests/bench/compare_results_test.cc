#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/results.h"

namespace heddle::bench::compare_results_test {

using ::testing::HasSubstr;
using wire::Json;

Json row(const char* scheduler, int nodes, double rate, double least, double most) {
  return {{"scheduler", scheduler},
          {"nodes", nodes},
          {"rate", rate},
          {"us", {{"p99", 5.0}}},
          {"steps", 100},
          {"runs", 3},
          {"spread", {{"rate", {least, most}}, {"us/p99", {5.0, 5.0}}, {"steps", {90.0, 110.0}}}}};
}

Json results(const std::vector<Json>& rows) {
  return {{"bench", "sim"},
          {"cases", {"scheduler", "nodes"}},
          {"measures", {{"rate", "more"}, {"us/p99", "less"}, {"steps", nullptr}}},
          {"rows", rows}};
}

Json compared(const Json& a, const Json& b) {
  Result<Json> both = compare_results(a, b);
  EXPECT_TRUE(both) << both.error().text;
  return both ? *both : Json();
}

TEST(CompareResults, AChangeIsOneIfTheRunsDoNotMeet) {
  const Json a = results({row("fifo", 10, 100, 90, 110)});
  const Json faster = compared(a, results({row("fifo", 10, 150, 145, 155)}));
  EXPECT_EQ(faster.at("rows")[0], (Json{{"case", "fifo, nodes 10"},
                                        {"measure", "rate"},
                                        {"a", 100.0},
                                        {"b", 150.0},
                                        {"change", 0.5},
                                        {"a_spread", 0.2},
                                        {"b_spread", 0.066667},
                                        {"verdict", "better"}}));
  auto verdict = [&](double rate, double least, double most) {
    return compared(a, results({row("fifo", 10, rate, least, most)})).at("rows")[0].at("verdict");
  };
  EXPECT_EQ(verdict(60, 59, 61), "worse");
  EXPECT_EQ(verdict(70, 65, 75), "within noise");  // the gap is 15, the widths sum to 30
  EXPECT_EQ(verdict(100, 95, 105), "within noise");
}

TEST(CompareResults, LessIsBetterWhereThatIsSo) {
  Json slow = row("fifo", 10, 100, 90, 110);
  slow["us"]["p99"] = 9.0;
  slow["spread"]["us/p99"] = {8.0, 10.0};
  slow["steps"] = 300;
  slow["spread"]["steps"] = {290, 310};
  const Json a = results({row("fifo", 10, 100, 90, 110)}), b = results({slow});
  EXPECT_EQ(compared(a, b).at("rows")[1].at("verdict"), "worse");
  EXPECT_EQ(compared(b, a).at("rows")[1].at("verdict"), "better");
  EXPECT_EQ(compared(a, b).at("rows")[2].at("verdict"), "changed");
}

TEST(CompareResults, OneRunSaysNothingOfNoise) {
  Json once = row("fifo", 10, 100, 90, 110);
  once["runs"] = 1;
  const Json both = compared(results({once}), results({row("fifo", 10, 200, 190, 210)}));
  EXPECT_EQ(both.at("rows")[0].at("verdict"), "one run");
  EXPECT_TRUE(both.at("rows")[0].at("a_spread").is_null());
}

TEST(CompareResults, CasesAreFoundInAnyOrder) {
  const Json both = compared(
      results({row("fifo", 10, 1, 1, 1), row("fair", 10, 2, 2, 2), row("drf", 9, 3, 3, 3)}),
      results({row("fair", 10, 4, 4, 4), row("fifo", 10, 3, 3, 3)}));
  ASSERT_EQ(both.at("rows").size(), 6u);
  EXPECT_EQ(both.at("rows")[0].at("change"), 2.0);
  EXPECT_EQ(both.at("rows")[3].at("change"), 1.0);
  EXPECT_EQ(both.at("only_a"), 1);
  EXPECT_EQ(both.at("only_b"), 0);
  EXPECT_THAT(format_result_comparison(both), HasSubstr("fair, nodes 10  rate"));
  EXPECT_THAT(format_result_comparison(both), HasSubstr("+200.0 %"));
  EXPECT_THAT(format_result_comparison(both), HasSubstr("\n1 case only in A\n"));
}

TEST(CompareResults, WhatIsNullIsLeftOut) {
  Json none = row("fifo", 10, 1, 1, 1);
  none["rate"] = nullptr;
  EXPECT_EQ(compared(results({none}), results({row("fifo", 10, 1, 1, 1)})).at("rows").size(), 2u);
}

TEST(CompareResults, DifferentThingsAreRefused) {
  Json io = results({row("fifo", 10, 1, 1, 1)});
  io["bench"] = "io";
  EXPECT_THAT(compare_results(io, results({})).error().text,
              HasSubstr("different benches: io and sim"));
  EXPECT_THAT(compare_results(results({row("fifo", 10, 1, 1, 1)}), results({})).error().text,
              HasSubstr("no case was measured in both"));
}

TEST(ReadBenchResults, OnlyWhatBenchesPrint) {
  EXPECT_TRUE(read_bench_results(results({row("fifo", 10, 1, 1, 1)}).dump()));
  for (const char* text :
       {"", "{", "[]", "{}", R"({"bench": 3, "cases": [], "measures": {}, "rows": []})",
        R"({"bench": "sim", "cases": [3], "measures": {}, "rows": []})",
        R"({"bench": "sim", "cases": [], "measures": {}, "rows": [3]})"})
    EXPECT_FALSE(read_bench_results(text)) << text;
}

}  // namespace heddle::bench::compare_results_test
