#include "bench/heartbeat_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::bench::heartbeat_bench_test {

using ::testing::HasSubstr;
using wire::Json;

/// Returns 10 s of one heartbeat per second and worker. The master uses 200 us for each.
BeatsMeasured measured(int workers) {
  BeatsMeasured m;
  m.seconds = 10;
  m.beats = workers * 10;
  m.server_cpu_s = workers * 10 * 200e-6;
  m.workers_cpu_s = workers * 10 * 300e-6;
  m.trip_ms = {0.3, 0.1, 4};
  m.sent = m.beats * 280;
  m.received = 3 * 120;
  return m;
}

TEST(HeartbeatBench, ScenarioHasTheContainersOnly) {
  const Scenario with = beat_scenario({false, false, 20, 5});
  EXPECT_EQ(with.cluster.nodes.size(), 20u);
  EXPECT_EQ(with.cluster.nodes[0].capacity.cores, Millicores(5000));
  EXPECT_EQ(with.jobs.at(0).phases.at(0).tasks, 100);
  EXPECT_EQ(with.jobs[0].submit, EmuTime(0));
  EXPECT_EQ(with.emulation.core_fraction, 0.01);
  // The scenario needs a job, which must not start during the measurement.
  const Scenario without = beat_scenario({false, false, 5000, 0});
  EXPECT_EQ(without.jobs.at(0).submit, emu_seconds(86'400));
  EXPECT_EQ(without.emulation.core_fraction, 0.001);
}

TEST(HeartbeatBench, CostsAreThoseOfABeat) {
  BeatsMeasured echo = measured(1000);
  echo.server_cpu_s /= 4;
  const Json row = beat_row({false, true, 1000, 0}, measured(1000), &echo);
  EXPECT_EQ(row.at("transport"), "tcp");
  EXPECT_EQ(row.at("master_us"), 200);
  EXPECT_EQ(row.at("master_share"), 0.0032);  // 16 heartbeats per second
  EXPECT_EQ(row.at("worker_us"), 300);
  EXPECT_TRUE(row.at("worker_share").is_null());  // no real workers
  EXPECT_EQ(row.at("sent_bytes"), 280);
  EXPECT_EQ(row.at("received_bytes"), 120);
  EXPECT_EQ(row.at("trip_ms").at("p50"), 0.3);
  EXPECT_EQ(row.at("trip_ms").at("max"), 4);
  EXPECT_EQ(row.at("echo").at("us"), 50);
  EXPECT_EQ(row.at("x"), 4);
}

TEST(HeartbeatBench, RealWorkersTellTheirShareAndNoRoundTrips) {
  BeatsMeasured m = measured(16);
  m.trip_ms.clear();
  m.sent = m.received = 0;
  const Json row = beat_row({true, false, 16, 0}, m, nullptr);
  EXPECT_EQ(row.at("worker"), "real");
  EXPECT_EQ(row.at("worker_share"), 0.0048);
  for (const char* none : {"sent_bytes", "received_bytes", "echo", "x"})
    EXPECT_TRUE(row.at(none).is_null()) << none;
  EXPECT_TRUE(row.at("trip_ms").at("p99").is_null());
}

TEST(HeartbeatBench, AimsAreJudgedWhereTheyAreMeant) {
  BeatsMeasured slow = measured(1000);
  slow.trip_ms = {60};
  BeatsMeasured costly = measured(16);
  costly.server_cpu_s = 2;
  const Json results =
      bench_results(kHeartbeatForm, {beat_row({false, false, 1, 0}, costly, nullptr),
                                     beat_row({true, false, 16, 0}, costly, nullptr),
                                     beat_row({false, false, 1000, 0}, slow, nullptr)});
  std::vector<std::pair<std::string, bool>> aims;
  for (const Json& aim : results.at("aims"))
    aims.emplace_back(aim.at("aim"), aim.at("met").get<bool>());
  const std::string real = "16 real workers by ipc, 0 containers each: ",
                    light = "1000 light workers by ipc, 0 containers each: ";
  EXPECT_EQ(aims, (std::vector<std::pair<std::string, bool>>{
                      {real + "master's share of a CPU per 16 nodes", false},
                      {real + "worker's share of a CPU per 16 nodes", true},
                      {light + "p99 of round trips, ms", false},
                      {light + "master's share of a CPU per 16 nodes", true}}));
  EXPECT_EQ(results.at("met"), false);
  EXPECT_THAT(format_bench(kHeartbeatForm, results), HasSubstr("60, aim at most 50: not met\n"));
}

}  // namespace heddle::bench::heartbeat_bench_test
