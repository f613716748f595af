#include "report/forecast.h"

#include "core/resolve.h"
#include "tests/support/matchers.h"
#include "workloads/scenario_file.h"

namespace heddle::report::forecast_test {

using Point = WorkCurve::Point;

/// Half of the work takes 50 s, nothing happens for 30 s, and the other half takes 50 s.
WorkCurve with_pause() { return WorkCurve({{0, 0}, {50, 0.5}, {80, 0.5}, {130, 1}}); }

// Half a percent of the work is half a second of these curves.
TEST(WorkCurve, KnowsWhenTheWorkIsDone) {
  EXPECT_DOUBLE_EQ(with_pause().time_of(0.2, 60), 20.5);
  EXPECT_DOUBLE_EQ(with_pause().time_of(0.2, 10), 19.5);
  EXPECT_DOUBLE_EQ(with_pause().time_of(0.2, 20.1), 20.1);
  EXPECT_DOUBLE_EQ(with_pause().time_of(0.9, 0), 119.5);
  EXPECT_DOUBLE_EQ(with_pause().time_of(1, 200), 130);
  EXPECT_DOUBLE_EQ(with_pause().time_of(0, -1), 0);
}

TEST(WorkCurve, APauseIsAnyTimeOfItself) {
  EXPECT_DOUBLE_EQ(with_pause().time_of(0.5, 60), 60);
  EXPECT_DOUBLE_EQ(with_pause().time_of(0.5, 100), 80.5);
  EXPECT_DOUBLE_EQ(with_pause().time_of(0.5, 30), 49.5);
}

TEST(WorkCurve, TakesTheNearestTimeIfWorkWasLost) {
  // 0.3 of the work is there at 30 s, at 50 s and at 70 s.
  const WorkCurve curve({{0, 0}, {40, 0.4}, {60, 0.2}, {140, 1}});
  EXPECT_DOUBLE_EQ(curve.time_of(0.3, 0), 29.5);
  EXPECT_DOUBLE_EQ(curve.time_of(0.3, 52), 50.5);
  EXPECT_DOUBLE_EQ(curve.time_of(0.3, 100), 70.5);
}

TEST(WorkCurve, WithoutPointsNothingIsLeft) {
  EXPECT_EQ(WorkCurve().end_s(), 0);
  EXPECT_EQ(WorkCurve().time_of(0.5, 10), 0);
}

TEST(CurveSampler, DropsEverySecondPointWhenThereAreTooMany) {
  CurveSampler sampler(1, 4);
  for (double t = 0; t < 8; ++t)
    if (t >= sampler.next_s()) sampler.add(t, t / 10);
  // After 0, 1, 2 and 3, the points 0 and 2 are left and the distance is 2.
  EXPECT_THAT(std::move(sampler).finish(7.5, 1).points(),
              ElementsAre(Point{0, 0}, Point{2, 0.2}, Point{4, 0.4}, Point{6, 0.6}, Point{7.5, 1}));
}

Forecast forecast() {
  Forecast f;
  f.status = "failed";
  f.reason = "all jobs have ended";
  f.makespan_s = 41.5;
  f.range = {{41, 50.5}};
  f.work = with_pause();
  f.cpus = {0.75};
  f.memory = real::Bytes(3 << 20);
  f.jobs = {{"a", 2, "completed", {10, 20}}, {"b", 3, "failed", {}, 1, 2, 3, {{1, 0.5}}}};
  f.outages = {{"n1", 5, 10}, {"n2", 7, std::nullopt}};
  return f;
}

TEST(Forecast, IsReadAsItWasWritten) {
  const Result<Forecast> read = forecast_from_json(to_json(forecast()).dump());
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->status, "failed");
  EXPECT_EQ(read->reason, "all jobs have ended");
  EXPECT_EQ(read->makespan_s, 41.5);
  EXPECT_EQ(read->range, (Forecast::Range{41, 50.5}));
  EXPECT_EQ(read->work.points(), with_pause().points());
  EXPECT_EQ(read->cpus, real::Cpus{0.75});
  EXPECT_EQ(read->memory, real::Bytes(3 << 20));
  EXPECT_EQ(read->jobs, forecast().jobs);
  EXPECT_EQ(read->outages, forecast().outages);
  Forecast endless = forecast();
  endless.makespan_s.reset();
  EXPECT_EQ(forecast_from_json(to_json(endless).dump())->makespan_s, std::nullopt);
}

TEST(Forecast, RefusesWhatIsNoForecast) {
  EXPECT_FALSE(forecast_from_json(""));
  EXPECT_FALSE(forecast_from_json("{}"));
  EXPECT_FALSE(forecast_from_json(to_json(forecast()).dump().substr(0, 100)));
  wire::Json wrong = to_json(forecast());
  wrong["work"][0]["share"] = 2;
  EXPECT_FALSE(forecast_from_json(wrong.dump()));
}

TEST(Forecast, KnowsWhatIsCompletedAndWhoIsOut) {
  const Forecast f = forecast();
  EXPECT_EQ(f.jobs[0].completed(9.9), 0);
  EXPECT_EQ(f.jobs[0].completed(10), 1);
  EXPECT_EQ(f.jobs[0].completed(100), 2);
  EXPECT_TRUE(f.out("n1", 5));
  EXPECT_FALSE(f.out("n1", 10));
  EXPECT_TRUE(f.out("n2", 1000));
  EXPECT_FALSE(f.out("n3", 8));
  EXPECT_EQ(f.jobs[1].done(0.9), 0);
  EXPECT_EQ(f.jobs[1].done(1), 0.5);
  // Task 0 or 1 had to run again.
  EXPECT_EQ((Forecast::Job{"c", 2, "completed", {1, 2, 3}}.completed(5)), 2);
}

/// Returns a scenario with a node of four cores, without delays. A core is a tenth of a CPU, and a
/// GiB is 16 MiB.
Scenario scenario(const std::string& jobs) {
  const std::string head = R"(
heddle: 1
name: s
simulation: {ideal: true}
emulation: {time_scale: 0.1, core_fraction: 0.1, memory_scale: 1/64, overhead: 1MiB}
cluster: {heartbeat: 1s, nodes: [{name: n, cores: 4, memory: 8GiB}]}
policy: fifo
jobs:
)";
  auto read = workloads::read_scenario_text(head + jobs, "s.yaml", {});
  if (!read) throw std::runtime_error(read.error().text);
  return resolve_simulated(read->scenario);
}

TEST(Forecast, OfTwoWaves) {
  const Result<Forecast> made = make_forecast(
      scenario("  - {name: a, phases: [{name: map, tasks: 8, request: {cores: 1, memory: 1GiB}, "
               "cpu: 10s, memory: 640MiB}]}\n"));
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_EQ(made->status, "done");
  EXPECT_EQ(made->makespan_s, 20);
  EXPECT_EQ(made->work.end_s(), 20);
  EXPECT_NEAR(made->work.time_of(0.25, 0), 5, 1);
  EXPECT_NEAR(made->work.time_of(0.75, 0), 15, 1);
  EXPECT_NEAR(made->cpus.value, 0.4, 0.001);
  // Each of the four tasks has 10 MiB and 1 MiB of overhead.
  EXPECT_NEAR(static_cast<double>(made->memory.count()), 44 << 20, 1 << 10);
  ASSERT_THAT(made->jobs, SizeIs(1));
  EXPECT_EQ(made->jobs[0].state, "completed");
  EXPECT_THAT(made->jobs[0].completed_s, ElementsAre(10, 10, 10, 10, 20, 20, 20, 20));
  EXPECT_EQ(made->jobs[0].kills(), 0);
  EXPECT_NEAR(made->jobs[0].done(10), 0.5, 0.1);
  EXPECT_THAT(made->outages, IsEmpty());
}

TEST(Forecast, UseOfTasksThatAreShorterThanAHeartbeat) {
  Scenario quick = scenario(
      "  - {name: a, phases: [{name: map, tasks: 4, request: {cores: 1, memory: 1GiB}, "
      "cpu: 2s, memory: 640MiB}]}\n");
  quick.cluster.heartbeat = emu_seconds(30);
  const Result<Forecast> made = make_forecast(quick);
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_NEAR(made->cpus.value, 0.4, 0.001);
  EXPECT_NEAR(static_cast<double>(made->memory.count()), 44 << 20, 1 << 10);
}

TEST(Forecast, UseOfASlowNodeIsASmallerPartOfACpu) {
  Scenario slow = scenario(
      "  - {name: a, phases: [{name: map, tasks: 4, request: {cores: 1, memory: 1GiB}, "
      "cpu: 10s, memory: 640MiB}]}\n");
  slow.cluster.nodes[0].speed = 0.5;
  const Result<Forecast> made = make_forecast(slow);
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_EQ(made->makespan_s, 20);
  EXPECT_NEAR(made->cpus.value, 0.2, 0.001);
}

TEST(Forecast, CountsKillsForLackOfMemory) {
  // The task needs more than its request, so each of its two attempts is killed.
  const Result<Forecast> made = make_forecast(scenario(
      "  - {name: big, max_attempts: 2, phases: [{name: map, tasks: 1, request: {cores: 1, "
      "memory: 1GiB}, cpu: 10s, memory: 2GiB}]}\n"));
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_EQ(made->status, "failed");
  EXPECT_EQ(made->jobs[0].state, "failed");
  EXPECT_EQ(made->jobs[0].container_kills, 2);
  EXPECT_EQ(made->jobs[0].node_kills, 0);
}

TEST(Forecast, HasTheFaultsOfTheScenario) {
  Scenario broken = scenario(
      "  - {name: a, phases: [{name: map, tasks: 1, request: {cores: 1, memory: 1GiB}, "
      "cpu: 100s}]}\nfaults: [{fault: kill-worker, node: n, at: 20s, restart_after: 60s}]\n");
  const Result<Forecast> made = make_forecast(broken);
  ASSERT_TRUE(made) << made.error().text;
  ASSERT_THAT(made->outages, SizeIs(1));
  EXPECT_EQ(made->outages[0].node, "n");
  EXPECT_TRUE(made->out("n", 79));
  EXPECT_FALSE(made->out("n", 19));
  // The second attempt begins after the node is back at 80 s.
  EXPECT_GE(made->makespan_s, 180);
}

}  // namespace heddle::report::forecast_test
