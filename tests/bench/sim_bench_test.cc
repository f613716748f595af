#include "bench/sim_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::bench::sim_bench_test {

using ::testing::HasSubstr;
using wire::Json;

Json row(const char* scheduler, int nodes, double step_us, double cpu_s) {
  return {{"nodes", nodes},
          {"tasks", nodes * 10},
          {"wall_s", cpu_s},
          {"cpu_s", cpu_s},
          {"steps", 1000},
          {"step_us", step_us},
          {"x", nullptr},
          {"task_us", 12.5},
          {"decision_us", {{"p50", 1.5}, {"p99", 9.0}, {"max", 900.0}}},
          {"tasks_per_s", 80000},
          {"makespan_s", 95.5},
          {"journal_bytes", 1000},
          {"peak_bytes", 64 << 20},
          {"scheduler", scheduler}};
}

TEST(SimBench, MeasuresASimulationToItsEnd) {
  SimLoad load;
  load.nodes = 5;
  const Json measured = measure_sim(load);
  EXPECT_EQ(measured.at("nodes"), 5);
  EXPECT_EQ(measured.at("tasks"), 50);
  // Each node reports about once per second until the last task has ended, and the last task is
  // submitted by 30 s.
  const double makespan = measured.at("makespan_s");
  EXPECT_GT(measured.at("steps").get<double>(), 5 * (makespan - 1));
  EXPECT_GT(makespan, 20);
  const double cpu = measured.at("cpu_s");
  EXPECT_GT(cpu, 0);
  EXPECT_NEAR(measured.at("task_us").get<double>(), cpu * 1e6 / 50, 1);
  EXPECT_GT(measured.at("journal_bytes").get<std::int64_t>(), 50 * 100);
  EXPECT_GT(measured.at("peak_bytes").get<std::int64_t>(), 1 << 20);
  const Json& us = measured.at("decision_us");
  EXPECT_LE(us.at("p50"), us.at("p99"));
  EXPECT_LE(us.at("p99"), us.at("max"));
}

TEST(SimBench, TheSameIsSimulatedEachTime) {
  SimLoad load;
  load.nodes = 5;
  load.dispatch = Dispatch::kImmediate;
  const Json one = measure_sim(load), other = measure_sim(load);
  for (const char* key : {"steps", "makespan_s", "journal_bytes"})
    EXPECT_EQ(one.at(key), other.at(key)) << key;
}

TEST(SimBench, TheMiddleOfThree) {
  const Json three =
      combined(kSimForm, {row("fifo", 1, 1, 0.5), row("fifo", 1, 1, 0.1), row("fifo", 1, 1, 0.2)});
  EXPECT_EQ(three.at("cpu_s"), 0.2);
  EXPECT_EQ(three.at("runs"), 3);
  EXPECT_EQ(three.at("spread").at("cpu_s"), (Json{0.1, 0.5}));
  EXPECT_EQ(combined(kSimForm, {row("fifo", 1, 1, 0.5)}).at("cpu_s"), 0.5);
}

TEST(SimBench, GrowthIsOverTheSameSchedulersFewestNodes) {
  const Json results =
      bench_results(kSimForm, {row("fifo", 10000, 8, 30), row("fair", 100, 5, 0.1),
                               row("fifo", 100, 4, 0.1), row("fair", 10000, 20, 61)});
  EXPECT_EQ(results.at("bench"), "sim");
  std::vector<double> x;
  for (const Json& one : results.at("rows")) x.push_back(one.at("x"));
  EXPECT_EQ(x, (std::vector<double>{2, 1, 1, 4}));
  ASSERT_EQ(results.at("aims").size(), 4u);
  EXPECT_EQ(results.at("aims")[0],
            (Json{{"aim", "fifo: CPU seconds of 100000 tasks on 10000 nodes"},
                  {"value", 30.0},
                  {"limit", 60.0},
                  {"bound", "at most"},
                  {"met", true}}));
  EXPECT_EQ(results.at("aims")[1].at("aim"),
            "fifo: growth of the cost of a step from 100 to 10000 nodes");
  EXPECT_EQ(results.at("aims")[2].at("met"), false);  // fair: 61 s
  EXPECT_EQ(results.at("aims")[3].at("met"), false);  // fair: x is 4
  EXPECT_EQ(results.at("met"), false);
}

TEST(SimBench, MetIfEveryAimIs) {
  EXPECT_EQ(
      bench_results(kSimForm, {row("fifo", 100, 4, 0.1), row("fifo", 10000, 12, 60)}).at("met"),
      true);
  // With another number of tasks there is no aim for the time.
  Json busy = row("fifo", 10000, 4, 300);
  busy["tasks"] = 500'000;
  EXPECT_EQ(bench_results(kSimForm, {row("fifo", 100, 4, 0.1), busy}).at("met"), true);
}

TEST(SimBench, EndsASecondAndBytes) {
  Json fifo = row("fifo", 1000, 1, 0.1), fair = row("fair", 1000, 1, 0.1);
  Json many = row("fifo", 10000, 1, 0.1);
  many["tasks"] = 1'000'000;
  many["peak_bytes"] = 1'900'000'000;
  fifo["tasks_per_s"] = 299'000;
  fair["tasks_per_s"] = 201'000;
  const Json aims = bench_results(kSimForm, {fifo, many, fair}).at("aims");
  ASSERT_EQ(aims.size(), 4u);
  EXPECT_EQ(aims[0].at("aim"), "fifo: ends of tasks a second on 1000 nodes");
  EXPECT_EQ(aims[0].at("bound"), "at least");
  EXPECT_EQ(aims[0].at("met"), false);
  EXPECT_EQ(aims[1].at("aim"), "fifo: bytes of 1000000 tasks on 10000 nodes");
  EXPECT_EQ(aims[1].at("met"), true);
  EXPECT_EQ(aims[3].at("aim"), "fair: ends of tasks a second on 1000 nodes");
  EXPECT_EQ(aims[3].at("met"), true);
}

TEST(SimBench, WithoutAnythingToJudgeNothingIsMet) {
  EXPECT_EQ(bench_results(kSimForm, {row("fifo", 100, 4, 0.1)}).at("met"), nullptr);
}

TEST(SimBench, Table) {
  const std::string text = format_bench(
      kSimForm, bench_results(kSimForm, {row("fifo", 100, 4, 0.1), row("fifo", 200, 6, 0.2)}));
  EXPECT_THAT(text, HasSubstr("scheduler"));
  EXPECT_THAT(
      text, HasSubstr("\nfifo              -    200   2000    0.20   0.20   1000     6.00  1.50"));
  EXPECT_THAT(text, HasSubstr("fifo: growth of the cost of a step from 100 to 200 nodes: 1.5, aim "
                              "at most 3: met\n"));
}

}  // namespace heddle::bench::sim_bench_test
