// Partitions and qualities of service: how they are read and written, and their errors.

#include "tests/support/cluster.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"
#include "tests/yaml/site_text.h"
#include "yaml/write.h"

namespace heddle::partition_test {

std::string with(const std::string& section, const std::string& job = "partition: a") {
  return site_text(section, job);
}

const Where kInA{{"partition/a", {"yes"}, false}};

TEST(Partitions, EveryKey) {
  const Scenario scenario = scenario_of(with(
      "partitions: [{name: a, nodes: [n1, g], max_time: 2h, priority: 5}, {name: b, where: "
      "{model: V100}}, {name: c, nodes: n, default: true}, {name: d, nodes: {rack: r1}}, {name: "
      "e}]"));
  ASSERT_EQ(scenario.partitions.size(), 5U);
  EXPECT_EQ(scenario.partitions[0],
            (PartitionSpec{"a", node_ids({0, 3}), emu_seconds(7200), 5, false}));
  EXPECT_EQ(scenario.partitions[1], (PartitionSpec{"b", node_ids({3}), std::nullopt, 0, false}));
  EXPECT_EQ(scenario.partitions[2],
            (PartitionSpec{"c", node_ids({0, 1, 2}), std::nullopt, 0, true}));
  EXPECT_EQ(scenario.partitions[3].nodes, node_ids({0, 1, 2}));
  EXPECT_EQ(scenario.partitions[4].nodes, node_ids({0, 1, 2, 3}));
  EXPECT_EQ(scenario.jobs[0].walltime, emu_seconds(7200));
  for (const PhaseSpec& phase : scenario.jobs[0].phases) EXPECT_EQ(phase.where, kInA) << phase.name;
  EXPECT_EQ(scenario_of(write_scenario(scenario)), scenario);
}

// Equal nodes stay one entry, so that a sweep over their count works.
TEST(Partitions, EqualNodesAreWrittenAsOne) {
  const Scenario scenario =
      scenario_of(with("partitions: [{name: a, nodes: [n1, n3]}, {name: c, nodes: [n1, n2, n3]}]"));
  const std::string text = write_scenario(scenario);
  EXPECT_THAT(text, HasSubstr("- {name: n, count: 3,"));
  EXPECT_THAT(text, HasSubstr("- {name: a, nodes: [n1, n3], "));
  EXPECT_THAT(text, HasSubstr("- {name: c, nodes: [n], "));
  EXPECT_THAT(text, Not(HasSubstr("partition/")));
}

TEST(Partitions, AJobWithoutOneIsInTheDefault) {
  const Scenario scenario =
      scenario_of(with("partitions: [{name: a, default: true}, {name: b}]", "user: ann"));
  EXPECT_EQ(scenario.jobs[0].partition, "a");
}

// Without a list, any name will do.
TEST(Partitions, AreCheckedOnlyIfTheyAreListed) {
  EXPECT_EQ(errors_of(with("seed: 1", "partition: any, qos: any")), "none");
}

TEST(Partitions, OfExecutorsStagesAndTables) {
  ScenarioText text;
  text.head += "partitions: [{name: a, nodes: n1}]\n";
  text.jobs =
      "jobs:\n- {name: s, framework: spark, partition: a, executors: {count: 1, cores: 1, memory: "
      "1GiB}, stages: [{tasks: 1, cpu: 1s}]}\n";
  const Scenario spark = scenario_of(text.text());
  for (const PhaseSpec& phase : spark.jobs[0].phases) EXPECT_EQ(phase.where, kInA) << phase.name;
  text.jobs =
      "jobs: {table: 1}\n...\njob,partition,submit_s,phase,tasks,cores,memory,sleep_s\n"
      "j,a,0,p,1,1,1048576,5\n";
  EXPECT_EQ(scenario_of(text.text()).jobs[0].phases[0].where, kInA);
}

TEST(Qos, EveryKey) {
  const Scenario scenario = scenario_of(
      with("qos: [{name: q, priority: 3, max_jobs_per_user: 2, usage_factor: 0.5}, {name: r, "
           "preempt: [q], preempt_mode: cancel, exempt_time: 90s, requeue_delay: 121s}]",
           "qos: q"));
  ASSERT_EQ(scenario.qos.size(), 2U);
  EXPECT_EQ(scenario.qos[0], (QosSpec{"q", 3, 2, 0.5}));
  EXPECT_EQ(scenario.qos[1], (QosSpec{"r",
                                      0,
                                      std::nullopt,
                                      1,
                                      {"q"},
                                      PreemptMode::kCancel,
                                      emu_seconds(90),
                                      emu_seconds(121)}));
  EXPECT_EQ(scenario.jobs[0].qos, "q");
  EXPECT_EQ(scenario_of(write_scenario(scenario)), scenario);
}

TEST(Partitions, Messages) {
  const auto errors = [](const std::string& section) { return errors_of(with(section)); };
  tests::expect_messages_of("yaml/partition.yaml", "sections", errors);
  const auto of_job = [](const std::string& section, const std::string& job) {
    return errors_of(with(section, job));
  };
  tests::expect_messages_of("yaml/partition.yaml", "sections and a job", of_job);
}

}  // namespace heddle::partition_test
