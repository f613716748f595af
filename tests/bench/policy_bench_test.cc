#include "bench/policy_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/policy/registry.h"

namespace heddle::bench::policy_bench_test {

using ::testing::HasSubstr;
using wire::Json;

PolicyLoad small(const char* policy) {
  PolicyLoad load;
  load.policy = *parse_policy(policy);
  load.heartbeats = 200;
  return load;
}

Json row(const char* scheduler, int nodes, int pending, double beat_us) {
  return {{"scheduler", scheduler},
          {"nodes", nodes},
          {"pending", pending},
          {"heartbeats", 1000},
          {"placements", 1500},
          {"idle_us", 1.5},
          {"beat_us", beat_us},
          {"decide_us", 2.5},
          {"x", nullptr},
          {"decision_us", {{"p50", 1.5}, {"p99", 9.0}, {"max", 900.0}}},
          {"step_us", {{"p50", 2.5}, {"p99", 19.0}, {"max", 950.0}}},
          {"placements_per_s", 50'000},
          {"grown_bytes", 10},
          {"peak_bytes", 64 << 20}};
}

TEST(PolicyScenario, JobsOfSeveralKindsForTheWholeMeasurement) {
  const PolicyLoad load = small("fifo");
  const Scenario scenario = policy_scenario(load);
  EXPECT_EQ(scenario.cluster.nodes.size(), 10u);
  EXPECT_EQ(scenario.queues.size(), 4u);
  std::int64_t tasks = 0;
  std::set<std::string> queues;
  std::set<std::int64_t> cores, memory;
  int spark = 0, local = 0;
  for (const JobSpec& job : scenario.jobs) {
    tasks += job.task_count();
    queues.insert(job.queue);
    spark += job.framework == Framework::kSpark ? 1 : 0;
    for (const PhaseSpec& phase : job.phases) {
      local += phase.prefer.empty() ? 0 : 1;
      cores.insert(phase.request.cores.count());
      memory.insert(phase.request.memory.count());
      EXPECT_TRUE(phase.request.fits_in(scenario.cluster.nodes[0].allowance));
    }
  }
  EXPECT_GE(tasks, 10 * 16 + load.pending + (load.warm_up() + load.heartbeats) * 3);
  EXPECT_EQ(queues.size(), 4u);
  EXPECT_EQ(cores, (std::set<std::int64_t>{500, 1000, 2000, 4000}));
  EXPECT_GE(memory.size(), 4u);
  EXPECT_EQ(spark, (std::ssize(scenario.jobs) + 9) / 10);
  EXPECT_GT(local, std::ssize(scenario.jobs) / 4);
}

TEST(PolicyScenario, AnotherSeedDrawsOtherJobs) {
  PolicyLoad load = small("fifo");
  const Scenario one = policy_scenario(load);
  EXPECT_EQ(policy_scenario(load).jobs, one.jobs);
  load.seed = 2;
  EXPECT_NE(policy_scenario(load).jobs, one.jobs);
}

TEST(PolicyFeed, EndsContainersAfterSomeHeartbeatsOfTheirNode) {
  PolicyLoad load = small("fifo");
  load.nodes = 2;
  const Scenario scenario = policy_scenario(load);
  PolicyFeed feed(scenario);
  EXPECT_EQ(feed.registrations().size(), 2u);
  Step step;
  Launch launch;
  launch.phase = {JobId{1}, 0};
  launch.node = NodeId{1};
  launch.container = ContainerId{0};
  launch.resources = {Millicores(1000), EmuBytes(1000)};
  step.actions.push_back({launch, ""});
  feed.next();
  feed.take_in(step);
  EXPECT_EQ(feed.report().size(), 1u);  // for the other node
  feed.next();
  const std::vector<Event> first = feed.report();
  ASSERT_EQ(first.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<ContainerStarted>(first[0].what));
  const auto& beat = std::get<NodeHeartbeat>(first[1].what);
  EXPECT_EQ(beat.node, NodeId{1});
  ASSERT_EQ(beat.containers.size(), 1u);
  EXPECT_EQ(beat.use.containers, (Resources{Millicores(500), EmuBytes(800)}));
  int beats = 0;
  while (feed.ended() == 0 && beats < 20) {
    feed.next();
    feed.report();
    feed.next();
    feed.report();
    ++beats;
  }
  EXPECT_GE(beats, 1);
  EXPECT_LE(beats, 9);
}

TEST(PolicyFeed, TellsOfWakesOnceTheirTimeHasCome) {
  const Scenario scenario = policy_scenario(small("fifo"));
  PolicyFeed feed(scenario);
  Step step;
  step.actions.push_back({WakeAt{emu_seconds(0.15)}, ""});
  feed.take_in(step);
  feed.next();  // at 0.1 s
  EXPECT_EQ(feed.report(true).size(), 1u);
  feed.next();
  EXPECT_EQ(feed.report(true).size(), 2u);
  feed.next();
  EXPECT_EQ(feed.report(true).size(), 1u);
}

class PolicyBench : public testing::TestWithParam<std::string> {};

TEST_P(PolicyBench, KeepsTheClusterBusyAndTasksWaiting) {
  const Json measured = measure_policy(small(GetParam().c_str()));
  EXPECT_EQ(measured.at("heartbeats"), 200);
  EXPECT_GT(measured.at("placements"), 0) << measured.dump();
  EXPECT_GT(measured.at("containers"), 10) << measured.dump();
  EXPECT_GE(measured.at("waiting"), 100);
  EXPECT_GT(measured.at("beat_us"), 0);
  EXPECT_LE(measured.at("decide_us"), measured.at("beat_us"));
  EXPECT_LE(measured.at("decision_us").at("p50"), measured.at("decision_us").at("p99"));
  EXPECT_LE(measured.at("decision_us").at("p99"), measured.at("decision_us").at("max"));
}

TEST(PolicyScenario, ALoadOfExecutorsAlone) {
  PolicyLoad load = small("ikayak");
  EXPECT_TRUE(has_executor_load(load.policy));
  EXPECT_FALSE(has_executor_load(small("fair").policy));
  load.executors = true;
  for (const JobSpec& job : policy_scenario(load).jobs) {
    ASSERT_EQ(job.phases.size(), 1u);
    EXPECT_EQ(job.phases[0].kind, PhaseKind::kExecutor);
  }
  const Json measured = measure_policy(load);
  // 10 nodes of 8 cores hold 20 to 40 executors of 2 or 4 cores.
  EXPECT_GE(measured.at("containers"), 20);
  EXPECT_LE(measured.at("containers"), 40);
  EXPECT_GE(measured.at("waiting"), 100);
  EXPECT_GT(measured.at("placements"), 0);
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const PolicyPreset& preset : policy_presets()) names.emplace_back(preset.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, PolicyBench, testing::ValuesIn(preset_names()),
                         [](const auto& policy) {
                           std::string name = policy.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(PolicyResults, TheSameIsDecidedEachTime) {
  const Json one = measure_policy(small("fair")), other = measure_policy(small("fair"));
  for (const char* key : {"placements", "containers", "waiting"})
    EXPECT_EQ(one.at(key), other.at(key)) << key;
}

TEST(PolicyResults, GrowthIsOverTheFewestNodesWithAsMuchPending) {
  const Json results = bench_results(
      kPolicyForm,
      {row("fifo", 1000, 100, 8), row("fifo", 10, 100, 4), row("fifo", 1000, 10'000, 30)});
  EXPECT_EQ(results.at("bench"), "policy");
  std::vector<double> x;
  for (const Json& one : results.at("rows")) x.push_back(one.at("x"));
  EXPECT_EQ(x, (std::vector<double>{2, 1, 1}));
  ASSERT_EQ(results.at("aims").size(), 1u);
  EXPECT_EQ(results.at("aims")[0].at("met"), true);
}

TEST(PolicyResults, AimsAtTenThousandNodes) {
  Json slow = row("dress", 10'000, 100'000, 30), heavy = row("haste", 10'000, 100'000, 30);
  slow["placements_per_s"] = heavy["placements_per_s"] = 30'000;
  slow["step_us"]["p99"] = 101;
  const Json results = bench_results(kPolicyForm, {row("fifo", 10'000, 100'000, 10), slow, heavy});
  const Json& aims = results.at("aims");
  ASSERT_EQ(aims.size(), 5u);
  EXPECT_EQ(aims[0].at("aim"), "fifo: placements a second");
  EXPECT_EQ(aims[0].at("met"), true);
  EXPECT_EQ(aims[1].at("aim"), "fifo: microseconds of 99 % of heartbeats");
  EXPECT_EQ(aims[1].at("met"), true);
  EXPECT_EQ(aims[2].at("met"), false);
  EXPECT_EQ(aims[3].at("met"), false);
  EXPECT_EQ(aims[4].at("limit"), 20'000.0);
  EXPECT_EQ(aims[4].at("met"), true);
  EXPECT_EQ(results.at("met"), false);
}

TEST(PolicyResults, ALoadOfExecutorsHasAimsOfItsOwn) {
  Json slow = row("ikayak (executors)", 10'000, 100'000, 30);
  slow["step_us"]["p99"] = 201;
  const Json results =
      bench_results(kPolicyForm, {row("ikayak (executors)", 10, 100'000, 11), slow});
  const Json& aims = results.at("aims");
  ASSERT_EQ(aims.size(), 2u);
  EXPECT_EQ(aims[0].at("aim"), "ikayak (executors): microseconds of 99 % of heartbeats");
  EXPECT_EQ(aims[0].at("limit"), 200.0);
  EXPECT_EQ(aims[0].at("met"), false);
  EXPECT_EQ(aims[1].at("met"), true);  // 30 is less than 3 x 11
}

TEST(PolicyResults, TableWithWhatOthersPublished) {
  const std::string text =
      format_policy_results(bench_results(kPolicyForm, {row("fifo", 10, 100, 4)}));
  EXPECT_THAT(text, HasSubstr("placements/s"));
  EXPECT_THAT(text, HasSubstr("Hydra 40000"));
}

}  // namespace heddle::bench::policy_bench_test
