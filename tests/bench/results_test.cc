#include "bench/results.h"

#include <gtest/gtest.h>

namespace heddle::bench::results_test {

using wire::Json;

void judge(std::vector<Json>& rows, Aims& aims) {
  for (const Json& row : rows) {
    if (row.at("kind") == "a") aims.at_most("x", 3, 3);
    if (row.at("kind") == "a") aims.at_least("y", 2, 3);
    if (row.at("kind") == "jet") aims.at_least("jet: km/h", row.at("speed"), 800.5);
  }
}

const BenchForm kForm = {"planes",
                         {{"kind", "kind"}, {"seats", "seats"}},
                         {{"speed", "km/h", 1, Better::kMore},
                          {"noise/p50", "kPa", 2, Better::kLess, 1000},
                          {"gates", "gates"}},
                         judge};

Json row(const char* kind, double speed, double noise) {
  return {
      {"kind", kind}, {"seats", 2}, {"speed", speed}, {"noise", {{"p50", noise}}}, {"gates", 7}};
}

TEST(BenchResults, MediansAndTheirSpread) {
  const Json all = combined(kForm, {row("a", 10, 3), row("a", 30, 1), row("a", 20, 2)});
  EXPECT_EQ(all.at("runs"), 3);
  EXPECT_EQ(all.at("speed"), 20);
  EXPECT_EQ(all.at("noise").at("p50"), 2);
  EXPECT_EQ(all.at("spread"),
            (Json{{"speed", {10.0, 30.0}}, {"noise/p50", {1.0, 3.0}}, {"gates", {7.0, 7.0}}}));
}

TEST(BenchResults, WhatIsMissingOnceHasNoMedian) {
  Json none = row("a", 10, 3);
  none["speed"] = nullptr;
  const Json both = combined(kForm, {none, row("a", 30, 1)});
  EXPECT_TRUE(both.at("speed").is_null());
  EXPECT_FALSE(both.at("spread").contains("speed"));
}

TEST(BenchResults, SayWhatIsACaseAndWhatIsBetter) {
  const Json results = bench_results(kForm, {row("a", 1, 1)});
  EXPECT_EQ(results.at("bench"), "planes");
  EXPECT_EQ(results.at("cases"), (Json{"kind", "seats"}));
  EXPECT_EQ(results.at("measures"),
            (Json{{"speed", "more"}, {"noise/p50", "less"}, {"gates", nullptr}}));
  EXPECT_EQ(results.at("aims")[0].at("met"), true);
  EXPECT_EQ(results.at("aims")[1].at("met"), false);
  EXPECT_EQ(results.at("met"), false);
  EXPECT_TRUE(bench_results(kForm, {}).at("met").is_null());
}

TEST(BenchResults, Table) {
  Json slow = row("glider", 88.25, 1500);
  slow["gates"] = nullptr;
  const Json results = bench_results(kForm, {row("jet", 900, 250), slow});
  EXPECT_EQ(format_bench(kForm, results),
            "kind    seats   km/h   kPa  gates\n"
            "jet         2  900.0  0.25      7\n"
            "glider      2   88.2  1.50      -\n"
            "jet: km/h: 900, aim at least 800.5: met\n");
}

}  // namespace heddle::bench::results_test
