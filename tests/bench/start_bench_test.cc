#include "bench/start_bench.h"

#include <gtest/gtest.h>

#include "core/resolve.h"
#include "core/scenario/yaml/writer.h"
#include "workloads/scenario_file.h"

namespace heddle::bench::start_bench_test {

TEST(StartBench, ItsScenariosFitASmallMachine) {
  for (int nodes : {1, 100, 2000, 5000}) {
    const Scenario scenario = start_scenario(nodes);
    Result<CheckedScenario> resolved = resolve(scenario, {{2}, real::Bytes(24LL << 30)});
    EXPECT_TRUE(resolved) << nodes << ": " << resolved.error().text;
    EXPECT_EQ(std::ssize(scenario.cluster.nodes), nodes);
  }
}

TEST(StartBench, HeartbeatsTakeAQuarterOfACpuAtMost) {
  EXPECT_EQ(start_scenario(100).cluster.heartbeat, emu_seconds(1));
  EXPECT_EQ(start_scenario(2000).cluster.heartbeat, emu_seconds(4));
}

TEST(StartBench, RowsAndAims) {
  const wire::Json row = start_row(200, {12.5, 500, 1.5, 2.5});
  EXPECT_EQ(row["node_mib"], 2.5);
  const wire::Json results = start_results({row});
  EXPECT_EQ(results["bench"], "start");
  ASSERT_EQ(results["aims"].size(), 2U);
  EXPECT_EQ(results["aims"][0]["met"], true);
  EXPECT_EQ(results["aims"][1]["met"], false);
  EXPECT_EQ(results["met"], false);
  EXPECT_NE(format_start_results(results).find("early end s"), std::string::npos);
}

}  // namespace heddle::bench::start_bench_test
