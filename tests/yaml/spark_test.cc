// Spark jobs: executors, stages, iterations, deploy modes.

#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"

namespace heddle::spark_test {

const std::string kExecutors = "executors: {count: 2, cores: 2, memory: 2GiB}";
const std::string kStages = "stages: [{tasks: 4, cpu: 1s}]";

std::string spark(const std::string& words) {
  return text_with_jobs("jobs:\n- {name: s, framework: spark, " + words + "}\n");
}

std::string wrong(const std::string& words) { return errors_of(spark(words)); }

TEST(Spark, EveryWord) {
  const JobSpec job =
      scenario_of(
          spark("deploy: dynamic, executor_idle_timeout: 7s, gang: true, "
                "application_master: {cores: 0.5, memory: 512MiB}, executors: {count: 3, "
                "cores: 1.5, memory: 2GiB, threads: 4, use: [[0, 1GiB], [1, 1.5GiB]], gang: "
                "false}, stages: [{tasks: 8, cpu: 2s, input: 64MiB, cached: true, shuffle: "
                "1MiB, skew: {heading: 0.5}}, {output: 2MiB}]"))
          .jobs[0];
  EXPECT_EQ(job.framework, Framework::kSpark);
  EXPECT_EQ(job.deploy, Deploy::kDynamic);
  EXPECT_EQ(job.executor_idle_timeout, emu_seconds(7));
  ASSERT_EQ(job.phases.size(), 2U);
  EXPECT_EQ(job.phases[0].request, (Resources{Millicores(500), EmuBytes(512LL << 20)}));
  const PhaseSpec& executors = job.phases[1];
  EXPECT_EQ(executors.kind, PhaseKind::kExecutor);
  EXPECT_EQ(executors.name, "executor");
  EXPECT_EQ(executors.tasks, 3);
  EXPECT_EQ(executors.request, (Resources{Millicores(1500), EmuBytes(2048LL << 20)}));
  EXPECT_EQ(executors.threads, 4);
  EXPECT_EQ(executors.memory.size(), 2U);
  EXPECT_FALSE(executors.gang);
  ASSERT_EQ(job.stages.size(), 2U);
  StageSpec first;
  first.tasks = 8;
  first.cpu = {Drawn::Dist::kConstant, 2e6, 0};
  first.input = {Drawn::Dist::kConstant, 64.0 * (1 << 20), 0};
  first.cached = true;
  first.shuffle = {Drawn::Dist::kConstant, 1 << 20, 0};
  first.skew.heading = 0.5;
  EXPECT_EQ(job.stages[0], first);
  EXPECT_EQ(job.stages[1].output.mean, 2 << 20);
}

TEST(Spark, IterativeAreJobsWhoseStagesIterateUnlessToldOtherwise) {
  auto iterative = [](const std::string& words) {
    return scenario_of(spark(kExecutors + ", " + words)).jobs[0].iterative;
  };
  EXPECT_FALSE(iterative("stages: [{tasks: 4, cpu: 1s}, {tasks: 2, cpu: 1s}]"));
  EXPECT_TRUE(iterative(
      "iterations: 3, stages: [{tasks: 4, cpu: 1s}, {tasks: 2, cpu: 1s, iterate: true}]"));
  EXPECT_FALSE(iterative("iterations: 1, stages: [{tasks: 2, cpu: 1s, iterate: true}]"));
  EXPECT_TRUE(iterative("iterative: true, stages: [{tasks: 4, cpu: 1s}, {tasks: 2, cpu: 1s}]"));
  EXPECT_FALSE(
      iterative("iterative: false, iterations: 3, stages: [{tasks: 2, cpu: 1s, iterate: true}]"));
}

TEST(Spark, MastersByDeployMode) {
  auto master = [](const std::string& words) {
    return scenario_of(spark(kExecutors + ", " + kStages + words)).jobs[0].has_am();
  };
  EXPECT_TRUE(master(""));
  EXPECT_TRUE(master(", deploy: yarn-cluster"));
  EXPECT_TRUE(master(", deploy: dynamic"));
  EXPECT_FALSE(master(", deploy: yarn-client"));
  EXPECT_FALSE(master(", deploy: yarn-client, application_master: none"));
  EXPECT_FALSE(master(", application_master: none"));
  EXPECT_EQ(scenario_of(spark(kExecutors + ", " + kStages)).jobs[0].phases[0].request,
            (Resources{Millicores(1000), EmuBytes(1LL << 30)}));
}

std::vector<int> stage_tasks(const std::string& words) {
  const Scenario scenario = scenario_of(spark(kExecutors + ", " + words));
  std::vector<int> tasks;
  for (const StageSpec& stage : scenario.jobs[0].stages) tasks.push_back(stage.tasks);
  return tasks;
}

TEST(Spark, IterationsRepeatWhatIsMarkedOrAll) {
  const std::string a = "{tasks: 1, cpu: 1s", b = "{tasks: 2, cpu: 1s", c = "{tasks: 3, cpu: 1s",
                    mark = ", iterate: true}, ";
  EXPECT_THAT(stage_tasks("stages: [" + a + "}, " + b + "}], iterations: 2"),
              ElementsAre(1, 2, 1, 2));
  EXPECT_THAT(stage_tasks("stages: [" + a + "}, " + b + mark + c + mark + a + "}], iterations: 3"),
              ElementsAre(1, 2, 3, 2, 3, 2, 3, 1));
  EXPECT_THAT(stage_tasks("stages: [" + a + mark + b + "}], iterations: 1"), ElementsAre(1, 2));
}

TEST(Spark, ReadsBackEqual) {
  for (const char* words :
       {"iterations: 3", "deploy: yarn-client", "deploy: dynamic, executor_idle_timeout: 3s",
        "application_master: none", "gang: true, max_am_attempts: 3"}) {
    const Scenario scenario = scenario_of(spark(
        std::string(words) +
        ", executors: {count: 2, cores: 1.3, memory: 1000001B, use: {dist: normal, mean: 1MB, cv: "
        "0.1}}, stages: [{tasks: 8, cpu: {dist: lognormal, mean: 2s, cv: 1/3}, input: 64MiB, "
        "cached: true, shuffle: 1MiB, skew: {heading: 1/3}}, {output: 2MiB}]"));
    expect_round_trip(scenario);
  }
}

TEST(Spark, WordsOfTheOtherFramework) {
  ScenarioText text;
  auto mapreduce = [&](const std::string& words) {
    text.jobs = "jobs:\n- {name: j, " + words +
                ", phases: [{name: m, request: {cores: 1, memory: 1GiB}, cpu: 1s}]}\n";
    return errors_of(text.text());
  };
  tests::expect_messages_of("yaml/spark.yaml", "words of the other framework", mapreduce);
}

TEST(Spark, ExecutorsAreNoPhase) {
  EXPECT_EQ(errors_of(text_with_jobs(
                one_phase("name: m, kind: executor, request: {cores: 1, memory: 1GiB}, cpu: 1s"))),
            "s.yaml:7: jobs.wc.phases.m.kind: executors are not a phase; expected map, reduce or "
            "command, or a job of framework: spark with executors and stages");
}

TEST(ScenarioSpark, Messages) { tests::expect_messages_of("yaml/spark.yaml", "wrong", wrong); }

}  // namespace heddle::spark_test
