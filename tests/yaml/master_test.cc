// Application masters and delay scheduling in scenarios.

#include "core/policy/registry.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"
#include "yaml/write.h"

namespace heddle::master_test {

/// `phases` is the text of the job's phases, after "- ".
std::string with_master(const std::string& master, const std::string& phases = "") {
  ScenarioText text;
  text.jobs = "jobs:\n- name: j\n  application_master: {" + master + "}\n  phases:\n";
  text.jobs += phases.empty()
                   ? "  - {name: red, after: [map], request: {cores: 1, memory: 1GiB}, cpu: 1s}\n"
                     "  - {name: map, tasks: 5, request: {cores: 1, memory: 1GiB}, cpu: 1s}\n"
                   : "  - " + phases + "\n";
  return text.text();
}

TEST(ApplicationMaster, IsPhaseZero) {
  auto read = read_text(with_master("cores: 0.5, memory: 700MiB"));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_THAT(read->warnings, IsEmpty());
  const JobSpec& job = read->scenario.jobs[0];
  ASSERT_TRUE(job.has_am());
  ASSERT_EQ(job.phases.size(), 3U);
  PhaseSpec master;
  master.name = "am";
  master.kind = PhaseKind::kAm;
  master.request = {Millicores(500), EmuBytes(700LL << 20)};
  master.threads = 1;
  EXPECT_EQ(job.phases[0], master);
  // The other phases moved up by one, and so did the phases that they wait for.
  EXPECT_EQ(job.phases[1].name, "red");
  EXPECT_THAT(job.phases[1].after, ElementsAre(2));
  EXPECT_EQ(job.task_count(), 6);
}

TEST(ApplicationMaster, OfAWorkloadAndOfEveryCopy) {
  Scenario s = scenario_of(text_with_jobs(
      "jobs:\n- {name: p, count: 2, gang: true, workload: pi, maps: 7, application_master: {cores: "
      "1, "
      "memory: 1GiB}}\n"));
  for (const JobSpec& job : s.jobs) {
    ASSERT_TRUE(job.has_am());
    EXPECT_FALSE(job.phases[0].gang);
    EXPECT_TRUE(job.phases[1].gang);
    EXPECT_THAT(job.phases[2].after, ElementsAre(1));
    EXPECT_EQ(job.task_count(), 8);
  }
}

TEST(ApplicationMaster, IsNormalisedLikeOthers) {
  std::string text = with_master("cores: 0.5, memory: 700MiB");
  EXPECT_EQ(scenario_of(text, set({"cluster.normalise=true"})).jobs[0].phases[0].request,
            (Resources{Millicores(1000), EmuBytes(1LL << 30)}));
}

TEST(ApplicationMaster, IsWrittenAsItself) {
  Scenario s = scenario_of(with_master("cores: 0.5, memory: 700MiB"));
  std::string text = write_scenario(s);
  EXPECT_THAT(text, HasSubstr("    application_master: {cores: 0.5, memory: 700MiB}\n"
                              "    phases:\n"
                              "      - {name: red, kind: map, after: [map], "));
  EXPECT_THAT(text, Not(HasSubstr("name: am")));
  EXPECT_EQ(scenario_of(text), s);
}

TEST(ApplicationMaster, Errors) {
  tests::expect_messages_of("yaml/master.yaml", "master and phases",
                            [](const std::string& master, const std::string& phases) {
                              return errors_of(with_master(master, phases));
                            });
  // Without a master the name is free.
  EXPECT_EQ(
      errors_of(text_with_jobs(one_phase("name: am, request: {cores: 1, memory: 1GiB}, cpu: 1s"))),
      "none");
}

// A master runs as long as its job, so the job's requests must fit beside it.
TEST(ApplicationMaster, TakesRoomFromThePhases) {
  auto errors = [](const std::string& nodes, const std::string& words) {
    ScenarioText text;
    text.cluster = "cluster: {nodes: [" + nodes + "]}\n";
    text.jobs =
        "jobs:\n- name: j\n  application_master: {cores: 1, memory: 1GiB}\n  phases:\n  - {name: "
        "m, "
        "cpu: 1s, " +
        words + "}\n";
    return errors_of(text.text());
  };
  tests::expect_messages_of("yaml/master.yaml", "takes room from the phases", errors);
}

// Delay scheduling --------------------------------------------------------------------------------

PolicySpec policy_of(const std::string& delay) {
  return scenario_of(text_with_head("policy: {delay: " + delay + "}\n")).policy;
}

TEST(Delay, AMapIsTheOptionsWord) {
  for (const auto& [written, word] : std::initializer_list<std::pair<const char*, const char*>>{
           {"{mapreduce: true, spark: false}", "mapreduce"},
           {"{spark: true}", "spark"},
           {"{mapreduce: true, spark: true}", "both"},
           {"{mapreduce: false}", "none"},
           {"{}", "none"},
           {"both", "both"}})
    EXPECT_EQ(option_text(policy_of(written), *find_option("delay")), word) << written;
  ScenarioText text;
  EXPECT_EQ(option_text(scenario_of(text.text(), set({"policy.delay.spark=true"})).policy,
                        *find_option("delay")),
            "spark");
}

TEST(Delay, IsWrittenAsOneWord) {
  Scenario s = scenario_of(text_with_head("policy: {delay: {mapreduce: true}}\n"));
  EXPECT_THAT(write_scenario(s), HasSubstr("delay: mapreduce"));
  EXPECT_EQ(scenario_of(write_scenario(s)), s);
}

TEST(Delay, Errors) {
  auto errors = [](const std::string& delay) {
    return errors_of(text_with_head("policy: {delay: " + delay + "}\n"));
  };
  tests::expect_messages_of("yaml/master.yaml", "delay", errors);
}

}  // namespace heddle::master_test
