// Requests that are computed to fit the usage.

#include <gtest/gtest.h>

#include "core/scenario/draw.h"
#include "core/scenario/yaml/writer.h"
#include "tests/support/scenario_texts.h"

namespace heddle::scenario_requests_test {

constexpr EmuBytes mib(std::int64_t n) { return EmuBytes(n << 20); }

std::string job_of(const std::string& requests, const std::string& phase,
                   const std::string& more = "") {
  ScenarioText text;
  text.jobs = "jobs:\n- name: wc\n  requests: " + requests + "\n" + more +
              "  phases:\n  - {name: map, request: {cores: 1, memory: 1GiB}, " + phase + "}\n";
  return text.text();
}

Resources request_of(const std::string& requests, const std::string& phase) {
  return scenario_of(job_of(requests, phase)).jobs[0].phases[0].request;
}

Resources cores_and_mib(std::int64_t millicores, std::int64_t n) {
  return {Millicores(millicores), mib(n)};
}

TEST(Requests, FitWhatTasksUseAtMost) {
  struct Case {
    const char* requests;
    const char* phase;
    Resources expected;
  };
  for (const Case& one :
       {Case{"as-made", "cpu: 1s, memory: 3MiB", cores_and_mib(1000, 1024)},
        Case{"exact-fit", "cpu: 1s, memory: 3MiB, threads: 2", cores_and_mib(2000, 3)},
        Case{"exact-fit", "cpu: 1s, memory: 3000001B", cores_and_mib(1000, 3)},
        Case{"exact-fit", "cpu: 1s, memory: 3145729B", cores_and_mib(1000, 4)},
        Case{"exact-fit", "cpu: 1s, memory: [[0, 3MiB], [0.5, 9MiB], [1, 5MiB]]",
             cores_and_mib(1000, 9)},
        Case{"exact-fit", "cpu: 1s", cores_and_mib(1000, 1024)},
        Case{"exact-fit", "sleep: 1s, threads: 3, memory: 7MiB", cores_and_mib(1000, 7)},
        Case{"scaled(0.5)", "cpu: 1s, memory: 3MiB, threads: 3", cores_and_mib(1500, 2)},
        Case{"scaled(1.1)", "cpu: 1s, memory: 10MiB", cores_and_mib(1100, 11)},
        Case{"scaled(0.01)", "cpu: 1s, memory: 10MiB", cores_and_mib(10, 1)},
        Case{"scaled(50%)", "cpu: 1s, memory: 10MiB", cores_and_mib(500, 5)},
        Case{"exact-fit", "usage: [[0s, 0.3, 20MiB], [5s, 1.2, 40MiB], [9s, 0, 60MiB]]",
             cores_and_mib(2000, 60)},
        Case{"exact-fit", "each: [{cpu: 1s, memory: 3MiB}, {usage: [[0s, 2.5, 8MiB], [1s]]}]",
             cores_and_mib(3000, 8)}})
    EXPECT_EQ(request_of(one.requests, one.phase), one.expected)
        << one.requests << " of " << one.phase;
}

TEST(Requests, AreTheTrueMaximumOfWhatIsDrawn) {
  const Scenario scenario = scenario_of(
      job_of("exact-fit", "tasks: 50, cpu: 1s, memory: {dist: lognormal, mean: 100MiB, cv: 0.5}",
             "  count: 3\n  application_master: {cores: 0.5, memory: 100MiB}\n"));
  std::set<std::int64_t> different;
  for (std::size_t j = 0; j < 3; ++j) {
    EmuBytes most;
    for (int i = 0; i < 50; ++i)
      most = std::max(
          most, draw_work(scenario, {{JobId{static_cast<std::int64_t>(j)}, 1}, i}).memory[0].use);
    const EmuBytes request = scenario.jobs[j].phases[1].request.memory;
    EXPECT_GE(request, most);
    EXPECT_LT(request - most, mib(1));
    EXPECT_EQ(scenario.jobs[j].phases[0].request, cores_and_mib(500, 100));
    different.insert(request.count());
  }
  EXPECT_EQ(different.size(), 3U);
}

TEST(Requests, ChangeNothingOfWhatTasksDo) {
  const std::string phase = "request: {cores: 3, memory: 1GiB}, cpu: 6s, memory: 9MiB";
  auto job = [&](const char* requests) {
    ScenarioText text;
    text.jobs = std::string("jobs:\n- name: wc\n  requests: ") + requests +
                "\n  phases:\n  - {name: map, " + phase + ", each: [{}, {threads: 2}]}\n";
    return scenario_of(text.text());
  };
  const Scenario made = job("as-made"), half = job("scaled(0.5)");
  EXPECT_EQ(half.jobs[0].phases[0].request, cores_and_mib(1500, 5));
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(draw_work(half, {{JobId{0}, 0}, i}), draw_work(made, {{JobId{0}, 0}, i}));
  // In the written scenario they are plain numbers, which are not computed again.
  EXPECT_EQ(scenario_of(write_scenario(half)), half);
}

TEST(Requests, AreRoundedToWholeUnitsWhereTheClusterWantsThat) {
  ScenarioText text;
  text.cluster =
      "cluster: {normalise: true, nodes: [{name: n, count: 2, cores: 4, memory: 8GiB}]}\n";
  text.jobs =
      "jobs:\n- {name: wc, requests: exact-fit, phases: [{name: map, request: {cores: 1, memory: "
      "1GiB}, cpu: 1s, threads: 2, memory: 1025MiB}]}\n";
  EXPECT_EQ(scenario_of(text.text()).jobs[0].phases[0].request, cores_and_mib(2000, 2048));
}

TEST(Requests, OfMixesAndNamedWorkloadsToo) {
  ScenarioText text;
  text.jobs = "jobs:\n- {name: mix, workload: usage-slack, jobs: 20, requests: exact-fit}\n";
  const Scenario fit = scenario_of(text.text());
  text.jobs = "jobs:\n- {name: mix, workload: usage-slack, jobs: 20}\n";
  const Scenario made = scenario_of(text.text());
  ASSERT_EQ(fit.jobs.size(), 20U);
  int smaller = 0;
  for (std::size_t j = 0; j < fit.jobs.size(); ++j) {
    const PhaseSpec& phase = fit.jobs[j].phases.back();
    EXPECT_EQ(phase.request.cores, Millicores(1000 * *phase.threads));
    EXPECT_NEAR(static_cast<double>(phase.request.memory.count()), phase.memory[1].second.mean,
                1 << 20);
    const TaskId first{{JobId{static_cast<std::int64_t>(j)}, 1}, 0};
    EXPECT_EQ(draw_work(fit, first), draw_work(made, first));
    smaller += phase.request.memory < made.jobs[j].phases.back().request.memory ? 1 : 0;
  }
  EXPECT_EQ(smaller, 20);
  text.jobs = "jobs:\n- {name: wc, workload: wordcount, requests: scaled(2)}\n";
  EXPECT_EQ(scenario_of(text.text()).jobs[0].phases[1].request.cores, Millicores(2000));
}

TEST(Requests, MayBeSaidForAllPhasesAtOnce) {
  ScenarioText text;
  text.jobs = "jobs:\n- {name: q, workload: hive-query, requests: {memory: 3GiB}}\n";
  const Scenario scenario = scenario_of(text.text());
  ASSERT_GE(scenario.jobs[0].phases.size(), 3U);
  for (const PhaseSpec& phase : scenario.jobs[0].phases)
    EXPECT_EQ(phase.request, cores_and_mib(1000, phase.kind == PhaseKind::kAm ? 1024 : 3072));
  EXPECT_EQ(scenario_of(job_of("{cores: 2}", "cpu: 1s")).jobs[0].phases[0].request,
            cores_and_mib(2000, 1024));
}

TEST(Requests, ErrorsNameWhatIsPossible) {
  const std::string at = "s.yaml:6: jobs.wc.requests: ";
  const std::string words = "\"; expected as-made, exact-fit or scaled(x), such as scaled(1.5)";
  for (const auto& [requests, error] : std::vector<std::pair<std::string, std::string>>{
           {"exact-fitt", "unknown word \"exact-fitt" + words + "; did you mean \"exact-fit\"?"},
           {"scale", "unknown word \"scale" + words + "; did you mean \"scaled\"?"},
           {"scaled(x)", "\"x\" is not a valid factor; expected 0.01 to 100, such as scaled(1.5)"},
           {"scaled(0.001)",
            "\"0.001\" is not a valid factor; expected 0.01 to 100, such as scaled(1.5)"},
           {"scaled(101)",
            "\"101\" is not a valid factor; expected 0.01 to 100, such as scaled(1.5)"},
           {"{}", "is empty; expected cores, memory or both"},
           {"[1]", "is a list; expected as-made, exact-fit, scaled(x) or resources"}})
    EXPECT_EQ(errors_of(job_of(requests, "cpu: 1s")), at + error) << requests;
  EXPECT_EQ(errors_of(job_of("exact-fit", "kind: command, command: [sleep, 1], cpu: 1s")),
            at + "phase \"map\" runs a command, whose resource usage is unknown; expected as-made");
  ScenarioText text;
  text.jobs =
      "jobs:\n- {name: s, framework: spark, requests: exact-fit, executors: {count: 1, cores: 1, "
      "memory: 1GiB}, stages: [{cpu: 1s}]}\n";
  EXPECT_EQ(
      errors_of(text.text()),
      "s.yaml:5: jobs.s.requests: executors are always requested as written; expected as-made");
}

TEST(Requests, AreCheckedOnceTheyAreMade) {
  // The request as written fits nowhere. The computed one does.
  ScenarioText text;
  text.jobs =
      "jobs:\n- {name: wc, requests: exact-fit, phases: [{name: map, request: {cores: 90, memory: "
      "1GiB}, cpu: 1s, threads: 2}]}\n";
  EXPECT_EQ(errors_of(text.text()), "none");
  EXPECT_EQ(
      errors_of(job_of("scaled(3)", "cpu: 1s, threads: 2", "  count: 5\n")),
      "s.yaml:6: jobs.wc.requests: phase \"map\" requests 6 cores and 1GiB per task (computed by "
      "requests: scaled(3)); that fits no node: the nearest node n1 gives tasks 4 cores and 8GiB");
  EXPECT_EQ(
      errors_of(job_of("exact-fit", "cpu: 1s, threads: 3, tasks: 9, gang: true")),
      "s.yaml:6: jobs.wc.requests: phase \"map\" requests 3 cores and 1GiB per task (computed by "
      "requests: exact-fit); its gang of 9 can never start: the empty cluster has room for 2");
}

}  // namespace heddle::scenario_requests_test
