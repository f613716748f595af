#include "core/resolve.h"
#include "core/scenario/fidelity_limits.h"
#include "tests/support/matchers.h"
#include "tests/support/scenario_texts.h"

namespace heddle::scenario_fidelity_limits_test {

/// Returns a scenario with two nodes of 4 cores, the second of speed 2. An emulated second takes
/// 0.1 real seconds.
Scenario with_jobs(const std::string& jobs, const std::string& emulation = "time_scale: 0.1") {
  ScenarioText text;
  text.head += "emulation: {core_fraction: 0.1, memory_scale: 1/64, " + emulation + "}\n";
  text.cluster =
      "cluster: {nodes: [{name: n, cores: 4, memory: 8GiB}, {name: fast, cores: 4, memory: 8GiB, "
      "speed: 2}]}\n";
  text.jobs = jobs;
  return scenario_of(text.text());
}

std::optional<double> seconds_of(const std::string& words,
                                 const std::string& emulation = "time_scale: 0.1") {
  const Scenario scenario =
      with_jobs(one_phase("name: work, request: {cores: 1, memory: 1GiB}, " + words), emulation);
  return ideal_real_seconds(scenario, scenario.jobs[0], scenario.jobs[0].phases[0]);
}

TEST(IdealSeconds, OfAMeanTaskOnTheFastestNode) {
  struct Case {
    const char* words;
    double seconds;
  };
  for (const Case& one :
       {Case{"cpu: 4s", 0.2}, Case{"sleep: 3s", 0.3}, Case{"cpu: 4s, sleep: 3s", 0.5},
        Case{"cpu: {dist: exponential, mean: 8s}", 0.4}, Case{"cpu: 4s, threads: 2", 0.2},
        Case{"cpu: 4s, idle: {count: 2, length: 1s}", 0.4}}) {
    std::optional<double> seconds = seconds_of(one.words);
    ASSERT_TRUE(seconds) << one.words;
    EXPECT_NEAR(*seconds, one.seconds, 1e-9) << one.words;
  }
  EXPECT_NEAR(*seconds_of("cpu: 4s, threads: 2", "time_scale: 0.1, cpu_limit: shares"), 0.1, 1e-9);
  EXPECT_NEAR(*seconds_of("cpu: 4s", "time_scale: 2"), 4, 1e-9);
}

TEST(IdealSeconds, NotOfWhatHasNone) {
  for (const char* words :
       {"cpu: 4s, input: 1GiB", "cpu: 4s, output: 1MiB", "cpu: 4s, shuffle: 1MiB",
        "kind: command, command: [sleep, 1], cpu: 1s"})
    EXPECT_EQ(seconds_of(words), std::nullopt) << words;
  const Scenario scenario = with_jobs(
      "jobs:\n- name: j\n  application_master: {cores: 1, memory: 1GiB}\n  phases:\n"
      "  - {name: map, request: {cores: 1, memory: 1GiB}, cpu: 1s, shuffle: 1MiB}\n"
      "  - {name: reduce, kind: reduce, after: [map], request: {cores: 1, memory: 1GiB}, cpu: "
      "1s}\n");
  ASSERT_EQ(scenario.jobs[0].phases.size(), 3U);
  for (const PhaseSpec& phase : scenario.jobs[0].phases)
    EXPECT_EQ(ideal_real_seconds(scenario, scenario.jobs[0], phase), std::nullopt) << phase.name;
}

TEST(TooShort, NamesTheShortestPhase) {
  auto jobs = [](const std::string& first, const std::string& second) {
    return "jobs:\n- name: j\n  phases:\n  - {name: a, request: {cores: 1, memory: 1GiB}, cpu: " +
           first +
           "}\n- name: k\n  phases:\n  - {name: b, request: {cores: 1, memory: 1GiB}, cpu: " +
           second + "}\n";
  };
  EXPECT_FALSE(shortest_task_below_limit(with_jobs(jobs("4s", "5s"))));
  const Scenario both = with_jobs(jobs("3s", "2s"));
  std::optional<ShortTask> shortest = shortest_task_below_limit(both);
  ASSERT_TRUE(shortest);
  EXPECT_EQ(shortest->job->name, "k");
  EXPECT_EQ(shortest->phase->name, "b");
  EXPECT_NEAR(shortest->seconds, 0.1, 1e-9);
  const Scenario equal = with_jobs(jobs("3s", "3s"));
  EXPECT_EQ(shortest_task_below_limit(equal)->job->name, "j");
}

std::vector<std::string> warnings_of(const Scenario& scenario) {
  auto resolved = resolve(scenario, {{2.0}, real::Bytes(8LL << 30)});
  return resolved ? resolved->warnings : std::vector<std::string>{resolved.error().text};
}

TEST(TooShort, IsWarnedOfWithWhatToChange) {
  auto of = [](const std::string& cpu, const std::string& scale) {
    return warnings_of(
        with_jobs(one_phase("name: map, request: {cores: 1, memory: 1GiB}, cpu: " + cpu),
                  "time_scale: " + scale));
  };
  EXPECT_THAT(of("4s", "0.1"), IsEmpty());
  EXPECT_THAT(
      of("3s", "0.1"),
      ElementsAre(
          "emulation.time_scale: a task of job \"wc\", phase \"map\" takes 0.15 s real; below 0.2 "
          "s, its time may be off by more than 2 %; expected a time_scale of at least 0.134"));
  EXPECT_THAT(of("3s", "0.134"), IsEmpty());
}

// A node is lost after at least 2 real seconds, which are 20 s at a time_scale of 0.1.
TEST(NodeTimeout, ThatIsTooShortIsWarnedOf) {
  Scenario scenario = with_jobs(one_phase("name: map, request: {cores: 1, memory: 1GiB}, cpu: 4s"),
                                "time_scale: 0.1");
  EXPECT_THAT(warnings_of(scenario), IsEmpty()) << "nobody chose the default";
  scenario.cluster.node_timeout = emu_seconds(12);
  EXPECT_THAT(warnings_of(scenario),
              ElementsAre("cluster.node_timeout: 12s is 1.2 s real, but a node is lost after at "
                          "least 2 s real; expected at least 20s, or a larger time_scale"));
  scenario.cluster.node_timeout = emu_seconds(20);
  EXPECT_THAT(warnings_of(scenario), IsEmpty());
}

}  // namespace heddle::scenario_fidelity_limits_test
