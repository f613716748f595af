#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/fidelity.h"

namespace heddle::bench::fidelity_bench_test {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using wire::Json;

Json row(FidelityKind kind, double fraction, double seconds, double p50, double p99,
         bool paced = true) {
  Json row = fidelity_row({kind, fraction, seconds, 1, 1, 1, paced});
  row["tasks"] = 20;
  row["error"] = {{"p50", p50}, {"p99", p99}, {"max", p99}};
  row["lost"] = 0.0;
  row["foreign_cpu"] = 0.01;
  return row;
}

TEST(FidelityResults, AimsByTime) {
  const Json results = fidelity_results({row(FidelityKind::kAlone, 0.08, 4, 0.002, 0.01),
                                         row(FidelityKind::kTogether, 0.08, 1, 0.005, 0.021),
                                         row(FidelityKind::kTogether, 0.08, 0.5, 0.5, 0.5),
                                         row(FidelityKind::kCrowded, 0.1, 4, 0.001, 0.02)});
  EXPECT_EQ(results.at("bench"), "fidelity");
  const Json& aims = results.at("aims");
  ASSERT_EQ(aims.size(), 6U);  // half a second has no aim
  EXPECT_EQ(aims[0], (Json{{"aim", "alone, 8 % of a CPU, 4 s: median error"},
                           {"value", 0.002},
                           {"limit", 0.002},
                           {"bound", "at most"},
                           {"met", true}}));
  EXPECT_EQ(aims[3].at("aim"), "together, 8 % of a CPU, 1 s: 99th percentile");
  EXPECT_EQ(aims[3].at("limit"), 0.02);
  EXPECT_EQ(aims[3].at("met"), false);
  EXPECT_EQ(aims[4].at("limit"), 0.02);
  EXPECT_EQ(results.at("met"), false);
  EXPECT_EQ(results.at("rows")[0].at("met"), true);
  EXPECT_EQ(results.at("rows")[1].at("met"), false);
  EXPECT_TRUE(results.at("rows")[2].at("met").is_null());
  EXPECT_TRUE(results.at("rows")[2].at("aim").is_null());
}

TEST(FidelityResults, BaselineIsTheSameUnpaced) {
  const Json results = fidelity_results({row(FidelityKind::kAlone, 0.08, 4, 0.001, 0.001),
                                         row(FidelityKind::kAlone, 0.08, 1, 0.001, 0.001),
                                         row(FidelityKind::kCommand, 0.08, 4, 0.03, 0.09, false),
                                         row(FidelityKind::kCrowded, 0.1, 4, 0.001, 0.002),
                                         row(FidelityKind::kCrowded, 0.1, 4, 0.2, 0.4, false)});
  const Json& rows = results.at("rows");
  EXPECT_EQ(rows[0].at("baseline"), (Json{{"p50", 0.03}, {"p99", 0.09}}));
  EXPECT_TRUE(rows[1].at("baseline").is_null());
  EXPECT_TRUE(rows[2].at("baseline").is_null());
  EXPECT_TRUE(rows[2].at("aim").is_null());
  EXPECT_EQ(rows[3].at("baseline"), (Json{{"p50", 0.2}, {"p99", 0.4}}));
  EXPECT_EQ(results.at("aims").size(), 6U);
}

Json trusted(const std::vector<std::pair<double, double>>& medians) {
  std::vector<Json> rows;
  for (auto [fraction, median] : medians)
    rows.push_back(row(FidelityKind::kTogether, fraction, 4, median, median));
  return fidelity_results(rows).at("trusted_fraction");
}

TEST(FidelityResults, TrustedFromTheLargestFractionDown) {
  EXPECT_EQ(trusted({{0.025, 0.001}, {0.08, 0.001}, {0.25, 0.001}}), 0.025);
  EXPECT_EQ(trusted({{0.025, 0.003}, {0.25, 0.001}, {0.08, 0.001}}), 0.08);
  EXPECT_EQ(trusted({{0.025, 0.001}, {0.08, 0.003}, {0.25, 0.001}}), 0.25);
  EXPECT_EQ(trusted({{0.025, 0.001}, {0.25, 0.003}}), nullptr);
  // All rows of a fraction count.
  EXPECT_EQ(trusted({{0.025, 0.001}, {0.025, 0.003}, {0.25, 0.001}}), 0.25);
}

TEST(FidelityResults, WithoutAnAimNothingIsMet) {
  const Json results = fidelity_results({row(FidelityKind::kAlone, 0.08, 0.5, 0.001, 0.001),
                                         fidelity_row({FidelityKind::kAlone, 0.9, 4}, "no room")});
  EXPECT_EQ(results.at("met"), nullptr);
  EXPECT_EQ(results.at("trusted_fraction"), nullptr);
  EXPECT_THAT(format_fidelity_results(results), HasSubstr("alone, 90 % of a CPU, 4 s: no room\n"));
  EXPECT_THAT(format_fidelity_results(results),
              EndsWith("\nNo measurement shows whether ideal times can be trusted.\n"));
}

TEST(FidelityResults, Table) {
  std::vector<Json> rows = {row(FidelityKind::kTogether, 0.025, 4, 0.0001, 0.0005),
                            row(FidelityKind::kCommand, 0.025, 4, 0.034, 0.098, false)};
  std::string text = format_fidelity_results(fidelity_results(rows));
  EXPECT_THAT(text, HasSubstr("\ntogether            2.5        4     20     0.010  0.050  0.050  "
                              "0.2 / 1.0  met  3.4 / 9.8        0.000        1.0\n"));
  EXPECT_THAT(text, HasSubstr("\ncommand, unpaced    2.5        4     20     3.400  9.800  9.800   "
                              "       -    -          -        0.000        1.0\n"));
  EXPECT_THAT(text, EndsWith("\nIdeal times can be trusted down to 2.5 % of a CPU: all "
                             "measurements at and above this share met their aims.\n"));
  rows[0]["error"]["p50"] = 0.01;
  text = format_fidelity_results(fidelity_results(rows));
  EXPECT_THAT(text, HasSubstr("\nAn aim was missed."));
  EXPECT_THAT(text, EndsWith("\nIdeal times can't be trusted here: the largest fraction missed its "
                             "aims.\n"));
}

Json memory_row(FidelityKind kind, std::int64_t request, double p99, double late_ms) {
  Json one = row(kind, 0.08, 4, 0.0001, 0.0005);
  one["case"] = name_of(FidelityCase{kind, 0.08, 4, 1, 1, 1, true, request});
  one["memory"] = {{"request", request},
                   {"p50", 0.001},
                   {"p99", p99},
                   {"late_ms", {{"p50", late_ms}, {"p99", 4 * late_ms}}},
                   {"short", 0}};
  return one;
}

TEST(FidelityResults, MemoryHasAimsOfItsOwn) {
  constexpr std::int64_t kMiB = 1 << 20;
  const Json results = fidelity_results({memory_row(FidelityKind::kAlone, 64 * kMiB, 0.02, 10),
                                         memory_row(FidelityKind::kTogether, 10 * kMiB, 0.11, 90)});
  const Json& aims = results.at("aims");
  ASSERT_EQ(aims.size(), 10U);  // two of time; two, and two of the lag of a task alone
  EXPECT_EQ(aims[2].at("aim"), "alone, memory, 8 % of a CPU, 4 s: memory, 99th percentile");
  EXPECT_EQ(aims[2].at("limit"), 0.02);
  EXPECT_EQ(aims[4].at("limit"), 10);
  EXPECT_EQ(aims[5].at("limit"), 40);
  EXPECT_EQ(results.at("rows")[0].at("met"), true);
  EXPECT_EQ(aims[8].at("limit"), 0.1);  // 1 MiB of 10
  EXPECT_EQ(aims[8].at("met"), false);
  EXPECT_THAT(
      format_fidelity_results(results),
      HasSubstr(
          "\nalone, memory       8.0           64                 0.10   2.00         10.0    "
          "40.0             0\n"));
}

}  // namespace heddle::bench::fidelity_bench_test
