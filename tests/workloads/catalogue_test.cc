#include "workloads/catalogue/catalogue.h"

#include <algorithm>

#include "core/scenario/draw.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "workloads/scenario_file.h"
#include "yaml/write.h"

namespace heddle::workloads::catalogue_test {

constexpr double kMiB = 1 << 20;

WorkloadSizes with_input(double mib) {
  WorkloadSizes sizes;
  sizes.input = EmuBytes(static_cast<std::int64_t>(mib * kMiB));
  return sizes;
}

WorkloadPlan plan_of(std::string_view name, const WorkloadSizes& sizes = {},
                     Framework framework = Framework::kMapReduce) {
  WorkloadContext context;
  context.framework = framework;
  auto plan = expand_workload(name, sizes, context);
  return plan ? *plan : throw std::runtime_error(plan.error().text);
}

std::string error_of(std::string_view name, const WorkloadSizes& sizes,
                     Framework framework = Framework::kMapReduce) {
  WorkloadContext context;
  context.framework = framework;
  auto plan = expand_workload(name, sizes, context);
  return plan ? "none" : plan.error().text;
}

std::vector<std::string> names(const WorkloadPlan& plan) {
  std::vector<std::string> all;
  for (const PhaseSpec& phase : plan.phases) all.push_back(phase.name);
  return all;
}

/// Returns the bytes of all tasks together.
double total(const PhaseSpec& phase, Drawn PhaseSpec::*size) {
  return (phase.*size).mean * (phase.tasks - 1 + phase.skew.heading);
}

TEST(Catalogue, HasTheDocumentedOnes) {
  std::vector<std::string> all;
  for (const WorkloadInfo& info : workloads()) {
    all.push_back(info.name);
    EXPECT_FALSE(info.kind.empty() || info.shape.empty() || info.sizes.empty()) << info.name;
  }
  EXPECT_THAT(all, ElementsAre("wordcount", "grep", "sort", "terasort", "scan", "join", "pi",
                               "bayes", "kmeans", "logistic-regression", "pagerank", "nweight",
                               "index", "hive-query", "msd", "usage-slack"));
}

TEST(Catalogue, ABlockIsATaskAndTheLastOneIsShort) {
  const PhaseSpec even = plan_of("wordcount", with_input(512)).phases[0];
  EXPECT_EQ(even.tasks, 4);
  EXPECT_EQ(even.skew, Skew{});
  EXPECT_EQ(even.input.mean, 128 * kMiB);
  // With blocks of 512 MiB, 1664 and 1280 MiB make 4 and 3 tasks; the last ones read 128 and 256
  // MiB.
  WorkloadContext large;
  large.block_size = EmuBytes(512 << 20);
  const PhaseSpec four = expand_workload("grep", with_input(1664), large)->phases[0];
  EXPECT_EQ(four.tasks, 4);
  EXPECT_EQ(four.skew.heading, 0.25);
  const PhaseSpec three = expand_workload("grep", with_input(1280), large)->phases[0];
  EXPECT_EQ(three.tasks, 3);
  EXPECT_EQ(three.skew.heading, 0.5);
  const PhaseSpec one = plan_of("wordcount", with_input(32)).phases[0];
  EXPECT_EQ(one.tasks, 1);
  EXPECT_EQ(one.skew.heading, 0.25);
}

TEST(Catalogue, CostsFollowTheBlock) {
  WorkloadContext large;
  large.block_size = EmuBytes(256 << 20);
  // A task takes a second, and 117 ms per MiB.
  EXPECT_EQ(plan_of("wordcount").phases[0].cpu.mean, 15.976e6);
  EXPECT_EQ(expand_workload("wordcount", {}, large)->phases[0].cpu.mean, 30.952e6);
}

// The penalty is a fifth for a smaller heap, and three fifths of the bytes handed over per byte
// read.
TEST(Catalogue, SpillingCostsMoreWhereMoreIsSorted) {
  EXPECT_EQ(plan_of("wordcount").phases[0].spill_penalty, 0.23);
  EXPECT_EQ(plan_of("grep").phases[0].spill_penalty, 0.2);
  EXPECT_EQ(plan_of("terasort").phases[0].spill_penalty, 0.8);
  EXPECT_EQ(plan_of("terasort").phases[1].spill_penalty, 0.8);
  EXPECT_EQ(plan_of("nweight").phases[0].spill_penalty, 0.8);  // hands over 1.2, which counts as 1
}

TEST(Catalogue, SizesOfAJobCount) {
  WorkloadSizes sizes = with_input(1000);
  sizes.maps = 10;
  sizes.reduces = 3;
  sizes.cpu = Drawn{Drawn::Dist::kLognormal, 7e6, 0.5};
  const WorkloadPlan plan = plan_of("terasort", sizes);
  EXPECT_EQ(plan.phases[0].tasks, 10);
  EXPECT_EQ(plan.phases[0].input.mean, 100 * kMiB);
  EXPECT_EQ(plan.phases[0].cpu, *sizes.cpu);
  EXPECT_EQ(plan.phases[1].tasks, 3);
}

// Shapes for which the workloads exist.

TEST(Catalogue, ShapesOfOnePass) {
  auto shuffle = [](std::string_view name) {
    const PhaseSpec map = plan_of(name, with_input(4096)).phases[0];
    return map.shuffle.mean / map.input.mean;
  };
  EXPECT_NEAR(shuffle("wordcount"), 0.05, 0.001);
  EXPECT_LT(shuffle("grep"), 0.002);
  EXPECT_EQ(shuffle("sort"), 1);
  EXPECT_EQ(shuffle("terasort"), 1);
  // The time to read a map's block from a disk of 200 MB/s, of which the map gets a quarter.
  const double reading = 128 * kMiB / 50e6;
  auto cpu = [](std::string_view name) { return plan_of(name).phases[0].cpu.mean / 1e6; };
  EXPECT_GT(cpu("wordcount"), 5 * reading);
  EXPECT_LT(cpu("grep"), reading);
  EXPECT_LT(cpu("scan"), reading);
  // Reduces that sort are long compared to their maps; reduces that count are short.
  auto reduce = [](std::string_view name) { return plan_of(name).phases[1].cpu.mean / 1e6; };
  EXPECT_GT(reduce("terasort"), 3 * cpu("terasort"));
  EXPECT_LT(reduce("wordcount"), 0.5 * cpu("wordcount"));
}

TEST(Catalogue, SortWritesWhatItReads) {
  const WorkloadPlan plan = plan_of("sort", with_input(1000));
  EXPECT_NEAR(total(plan.phases[0], &PhaseSpec::input), 1000 * kMiB, 2e3);
  EXPECT_NEAR(total(plan.phases[1], &PhaseSpec::output), 1000 * kMiB, 2e3);
  EXPECT_EQ(plan.phases[1].tasks, 2);
}

TEST(Catalogue, ScanHasMapsOnlyAndJoinTwoInputs) {
  const WorkloadPlan scan = plan_of("scan");
  EXPECT_THAT(names(scan), ElementsAre("map"));
  EXPECT_EQ(scan.phases[0].output.mean, 128 * kMiB);
  EXPECT_EQ(scan.phases[0].shuffle.mean, 0);
  const WorkloadPlan join = plan_of("join", with_input(1280));
  EXPECT_THAT(names(join), ElementsAre("map-large", "map-small", "reduce"));
  EXPECT_EQ(join.phases[0].tasks, 8);
  EXPECT_EQ(join.phases[1].tasks, 2);
  EXPECT_THAT(join.phases[2].after, ElementsAre(0, 1));
  EXPECT_GT(join.phases[1].shuffle.mean, 0);
}

TEST(Catalogue, IterativeOnesChainEqualPasses) {
  WorkloadSizes sizes;
  sizes.iterations = 3;
  const WorkloadPlan plan = plan_of("kmeans", sizes);
  EXPECT_THAT(names(plan),
              ElementsAre("map-1", "reduce-1", "map-2", "reduce-2", "map-3", "reduce-3"));
  for (std::size_t i = 1; i < 6; ++i)
    EXPECT_THAT(plan.phases[i].after, ElementsAre(static_cast<int>(i) - 1));
  EXPECT_EQ(plan.phases[4].cpu, plan.phases[0].cpu);
  EXPECT_EQ(plan.phases[4].tasks, plan.phases[0].tasks);
  EXPECT_LT(plan.phases[0].shuffle.mean, 0.001 * plan.phases[0].input.mean);
}

TEST(Catalogue, GraphsShuffleMuchAndUnevenly) {
  for (const char* name : {"pagerank", "nweight", "index"}) {
    const WorkloadPlan plan = plan_of(name);
    EXPECT_GT(plan.phases[0].shuffle.mean, 0.69 * plan.phases[0].input.mean) << name;
    EXPECT_GT(plan.phases[1].skew.zipf, 0) << name;
    EXPECT_GE(plan.phases[0].request.memory, EmuBytes(3LL << 30)) << name;
  }
  const WorkloadPlan grows = plan_of("nweight");
  EXPECT_GT(grows.phases[2].tasks, grows.phases[0].tasks);
}

TEST(Catalogue, SparkCachesWhatItIteratesOver) {
  WorkloadSizes sizes = with_input(4096);
  sizes.iterations = 4;
  const WorkloadPlan plan = plan_of("kmeans", sizes, Framework::kSpark);
  ASSERT_EQ(plan.phases.size(), 1U);
  const PhaseSpec& executors = plan.phases[0];
  EXPECT_EQ(executors.kind, PhaseKind::kExecutor);
  EXPECT_EQ(executors.tasks, 4);
  EXPECT_EQ(executors.request, (Resources{Millicores(4000), EmuBytes(4LL << 30)}));
  // Memory rises while the input is loaded, in the first of four iterations.
  ASSERT_EQ(executors.memory.size(), 2U);
  EXPECT_EQ(executors.memory[1].first, 0.25);
  EXPECT_GT(executors.memory[1].second.mean, executors.memory[0].second.mean);
  ASSERT_EQ(plan.stages.size(), 8U);
  for (std::size_t i : {0U, 2U, 4U, 6U}) {
    EXPECT_EQ(plan.stages[i], plan.stages[0]);
    EXPECT_TRUE(plan.stages[i].cached);
  }
  EXPECT_EQ(plan.stages[0].tasks, 32);
}

TEST(Catalogue, SparkOverShuffles) {
  const WorkloadPlan plan = plan_of("pagerank", with_input(2048), Framework::kSpark);
  ASSERT_EQ(plan.stages.size(), 4U);
  EXPECT_GT(plan.stages[0].input.mean, 0);
  for (std::size_t i : {0U, 1U, 2U}) EXPECT_GT(plan.stages[i].shuffle.mean, 0) << i;
  EXPECT_EQ(plan.stages[3].shuffle.mean, 0);
  EXPECT_GT(plan.stages[3].output.mean, 0);
  EXPECT_EQ(plan.phases[0].request, (Resources{Millicores(2000), EmuBytes(8LL << 30)}));
  EXPECT_EQ(plan_of("index", {}, Framework::kSpark).phases[0].request,
            (Resources{Millicores(4000), EmuBytes(6LL << 30)}));
  WorkloadSizes own;
  own.executors = {7, Millicores(3000), EmuBytes(5LL << 30)};
  const PhaseSpec executors = plan_of("pagerank", own, Framework::kSpark).phases[0];
  EXPECT_EQ(executors.tasks, 7);
  EXPECT_EQ(executors.request, (Resources{Millicores(3000), EmuBytes(5LL << 30)}));
}

TEST(Catalogue, QueriesAreChainsOfOneToSixJobs) {
  std::vector<int> chains(7, 0);
  int small = 0;
  for (std::uint64_t key = 0; key < 600; ++key) {
    const WorkloadContext context{Framework::kMapReduce, EmuBytes(128 << 20), key};
    auto plan = expand_workload("hive-query", with_input(2048), context);
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->phases.size() % 2, 0U);
    ASSERT_LE(plan->phases.size(), 12U);
    ++chains[plan->phases.size() / 2];
    small += plan->phases[plan->phases.size() - 2].tasks == 1 ? 1 : 0;
  }
  EXPECT_EQ(chains[0], 0);
  for (int jobs = 1; jobs <= 6; ++jobs)
    EXPECT_NEAR(chains[static_cast<std::size_t>(jobs)], 100, 40) << jobs;
  EXPECT_GT(small, 150);
  WorkloadSizes four;
  four.iterations = 4;
  EXPECT_EQ(plan_of("hive-query", four).phases.size(), 8U);
}

TEST(Catalogue, PiAsWritten) {
  JobSpec job;
  job.phases = plan_of("pi").phases;
  EXPECT_EQ(write_work(job, "  "),
            "  application_master: none\n"
            "  phases:\n"
            "    - {name: map, kind: map, tasks: 8, request: {cores: 1, memory: 1GiB}, gang: "
            "false, cpu: 10s, sleep: 0s, memory: 400MiB}\n"
            "    - {name: reduce, kind: reduce, after: [map], tasks: 1, request: {cores: 1, "
            "memory: 1GiB}, gang: false, cpu: 1s, sleep: 0s, memory: 400MiB}\n");
}

TEST(Catalogue, WhatCannotBe) {
  EXPECT_THAT(error_of("wordcoutn", {}), HasSubstr("did you mean \"wordcount\"?"));
  EXPECT_EQ(error_of("grep", {}, Framework::kSpark),
            "workload \"grep\" cannot run as a Spark job; expected one of bayes, kmeans, "
            "logistic-regression, pagerank, nweight, index");
  EXPECT_EQ(error_of("msd", {}), "workload \"msd\" is a mix of many jobs");
  WorkloadSizes sizes = with_input(1 << 30);  // 1024TiB
  EXPECT_EQ(error_of("grep", sizes),
            "workload \"grep\" with these parameters makes 8388608 tasks in one phase or stage; "
            "expected at most 1000000");
  sizes.maps = 1;
  EXPECT_EQ(
      error_of("wordcount", sizes),
      "workload \"wordcount\" with these parameters makes tasks of more than 1024TiB or 10000h");
  sizes = {};
  sizes.iterations = 501;
  EXPECT_EQ(error_of("kmeans", sizes),
            "workload \"kmeans\" with these parameters makes 1002 phases; expected at most 1000");
  sizes.iterations = 10000;  // its data grows without limit
  sizes.reduces = 4;
  EXPECT_THAT(error_of("nweight", sizes, Framework::kSpark),
              HasSubstr("with these parameters makes "));
}

// In a scenario -----------------------------------------------------------------------------------

Result<CheckedScenario> read_jobs_text(const std::string& jobs, std::uint64_t seed = 1) {
  return read_scenario_text("heddle: 1\nname: t\nseed: " + std::to_string(seed) +
                                "\ncluster: {nodes: [{name: n, count: 4, cores: 8, memory: "
                                "32GiB}]}\njobs:\n" +
                                jobs,
                            "s.yaml");
}

std::string errors_of(const std::string& jobs) {
  auto read = read_jobs_text(jobs);
  return read ? "none" : read.error().text;
}

TEST(WorkloadJobs, AllReadWithoutAWarningAndReadBackEqual) {
  for (const WorkloadInfo& info : workloads()) {
    for (const char* framework : {"mapreduce", "spark"}) {
      if (std::string(framework) == "spark" && !info.spark) continue;
      SCOPED_TRACE(info.name + framework);
      auto read = read_jobs_text("- {name: j, workload: " + info.name +
                                 ", framework: " + framework + "}\n");
      ASSERT_TRUE(read) << read.error().text;
      EXPECT_THAT(read->warnings, IsEmpty());
      for (const JobSpec& job : read->scenario.jobs) {
        ASSERT_TRUE(job.has_am());
        ASSERT_EQ(job.phases[0].request, (Resources{Millicores(1000), EmuBytes(1LL << 30)}));
      }
      const std::string text = write_scenario(read->scenario);
      auto again = read_scenario_text(text, "again.yaml");
      ASSERT_TRUE(again) << again.error().text;
      EXPECT_EQ(again->scenario, read->scenario);
    }
  }
}

TEST(WorkloadJobs, SizesAndExecutorsOfAJob) {
  auto read = read_jobs_text(
      "- {name: k, workload: kmeans, framework: spark, deploy: yarn-client, input: 1GiB, maps: 4, "
      "reduces: 2, iterations: 2, cpu: 3s, executors: {count: 5, memory: 3GiB, threads: 9, use: "
      "1GiB}}\n");
  ASSERT_TRUE(read) << read.error().text;
  const JobSpec& job = read->scenario.jobs[0];
  ASSERT_EQ(job.phases.size(), 1U);
  EXPECT_EQ(job.phases[0].tasks, 5);
  EXPECT_EQ(job.phases[0].request, (Resources{Millicores(4000), EmuBytes(3LL << 30)}));
  EXPECT_EQ(job.phases[0].threads, 9);
  EXPECT_EQ(job.phases[0].memory.size(), 1U);
  ASSERT_EQ(job.stages.size(), 4U);
  EXPECT_EQ(job.stages[0].tasks, 4);
  EXPECT_EQ(job.stages[0].input.mean, 256 * kMiB);
  EXPECT_EQ(job.stages[1].tasks, 2);
  EXPECT_EQ(job.stages[0].cpu.mean, 3e6);
}

TEST(WorkloadJobs, QueriesOfOneEntryDiffer) {
  auto read = read_jobs_text("- {name: q, count: 20, workload: hive-query}\n");
  ASSERT_TRUE(read);
  const auto& jobs = read->scenario.jobs;
  ASSERT_EQ(jobs.size(), 20U);
  EXPECT_EQ(jobs[19].name, "q-20");
  EXPECT_TRUE(std::any_of(jobs.begin(), jobs.end(), [&](const JobSpec& job) {
    return job.phases.size() != jobs[0].phases.size();
  }));
}

TEST(WorkloadJobs, OfMixesThatDoNotFitAreToldOnce) {
  const std::string errors = errors_of(
      "- {name: m, workload: msd, gang: true, application_master: none, input: 100GiB}\n");
  EXPECT_THAT(errors, HasSubstr("s.yaml:6: jobs.m.workload: phase \"map\" requests "));
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 0);
}

TEST(Catalogue, Messages) {
  tests::expect_messages_of("workloads/catalogue.yaml", "errors", errors_of);
}

}  // namespace heddle::workloads::catalogue_test
