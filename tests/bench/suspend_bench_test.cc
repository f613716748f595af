// `heddle bench suspend`: the results made from its rows.
#include "bench/suspend_bench.h"

#include <gtest/gtest.h>

namespace heddle::bench::suspend_bench_test {

using wire::Json;

Json row(const char* with, const char* beside, double stop_ms, double run_ms) {
  return {{"with", with},
          {"tasks", "paced"},
          {"beside", beside},
          {"times", 10},
          {"stop_ms", {{"p50", 0.1}, {"p99", stop_ms}, {"max", stop_ms}}},
          {"run_ms", {{"p50", 0.1}, {"p99", run_ms}, {"max", run_ms}}}};
}

TEST(SuspendCases, EachOnce) {
  EXPECT_EQ(suspend_cases().size(), 8u);
  const wire::Welcome node = suspend_node({SuspendWith::kFreezer, true, false}, wire::Welcome());
  EXPECT_EQ(node.suspend_with, SuspendWith::kFreezer);
  EXPECT_EQ(node.pacing, Pacing::kNone);
}

TEST(SuspendResults, AimsOfAllButBareRows) {
  const std::vector<Json> bare = {row("bare SIGSTOP", "-", 50, 60),
                                  row("bare SIGSTOP", "-", 10, 20),
                                  row("bare SIGSTOP", "-", 11, 21)};
  const Json results =
      suspend_results(bare, {row("signal", "-", 4.9, 5), row("signal", "launches", 5.1, 1)});
  EXPECT_EQ(results["rows"].size(), 3u);
  EXPECT_EQ(results["rows"][0]["stop_ms"]["p99"], 11);
  ASSERT_EQ(results["aims"].size(), 4u);
  EXPECT_EQ(results["aims"][0]["met"], true);
  EXPECT_EQ(results["aims"][1]["met"], true);
  EXPECT_EQ(results["aims"][2]["aim"],
            "signal, paced, beside launches: ms to stopped, 99th percentile");
  EXPECT_EQ(results["aims"][2]["met"], false);
  EXPECT_EQ(results["met"], false);
  EXPECT_NE(format_bench(kSuspendForm, results).find("bare SIGSTOP"), std::string::npos);
}

}  // namespace heddle::bench::suspend_bench_test
