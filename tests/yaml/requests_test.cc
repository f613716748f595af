// Requests that are computed to fit the usage.

#include <gtest/gtest.h>

#include "core/scenario/draw.h"
#include "core/scenario/quantity_text.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"
#include "yaml/write.h"

namespace heddle::requests_test {

constexpr EmuBytes mib(std::int64_t n) { return EmuBytes(n << 20); }

std::string job_of(const std::string& requests, const std::string& phase,
                   const std::string& more = "") {
  return text_with_jobs("jobs:\n- name: wc\n  requests: " + requests + "\n" + more +
                        "  phases:\n  - {name: map, request: {cores: 1, memory: 1GiB}, " + phase +
                        "}\n");
}

Resources request_of(const std::string& requests, const std::string& phase) {
  return scenario_of(job_of(requests, phase)).jobs[0].phases[0].request;
}

Resources cores_and_mib(std::int64_t millicores, std::int64_t n) {
  return {Millicores(millicores), mib(n)};
}

TEST(Requests, FitWhatTasksUseAtMost) {
  tests::expect_messages_of(
      "yaml/requests.yaml", "requests", [](const std::string& requests, const std::string& phase) {
        const Resources made = request_of(requests, phase);
        return print_cores(made.cores) + " cores, " + print_bytes(made.memory);
      });
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
    return scenario_of(text_with_jobs(std::string("jobs:\n- name: wc\n  requests: ") + requests +
                                      "\n  phases:\n  - {name: map, " + phase +
                                      ", each: [{}, {threads: 2}]}\n"));
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
  const Scenario scenario = scenario_of(
      text_with_jobs("jobs:\n- {name: q, workload: hive-query, requests: {memory: 3GiB}}\n"));
  ASSERT_GE(scenario.jobs[0].phases.size(), 3U);
  for (const PhaseSpec& phase : scenario.jobs[0].phases)
    EXPECT_EQ(phase.request, cores_and_mib(1000, phase.kind == PhaseKind::kAm ? 1024 : 3072));
  EXPECT_EQ(scenario_of(job_of("{cores: 2}", "cpu: 1s")).jobs[0].phases[0].request,
            cores_and_mib(2000, 1024));
}

TEST(Requests, ErrorsNameWhatIsPossible) {
  tests::expect_messages_of("yaml/requests.yaml", "errors",
                            [](const std::string& requests, const std::string& phase) {
                              return errors_of(job_of(requests, phase));
                            });
  EXPECT_EQ(
      errors_of(text_with_jobs("jobs:\n- {name: s, framework: spark, requests: exact-fit, "
                               "executors: {count: 1, cores: 1, "
                               "memory: 1GiB}, stages: [{cpu: 1s}]}\n")),
      "s.yaml:5: jobs.s.requests: executors are always requested as written; expected as-made");
}

TEST(Requests, AreCheckedOnceTheyAreMade) {
  // The request as written fits nowhere. The computed one does.
  EXPECT_EQ(errors_of(text_with_jobs("jobs:\n- {name: wc, requests: exact-fit, phases: [{name: "
                                     "map, request: {cores: 90, memory: "
                                     "1GiB}, cpu: 1s, threads: 2}]}\n")),
            "none");
  EXPECT_EQ(
      errors_of(job_of("scaled(3)", "cpu: 1s, threads: 2", "  count: 5\n")),
      "s.yaml:6: jobs.wc.requests: phase \"map\" requests 6 cores and 1GiB per task (computed by "
      "requests: scaled(3)); that fits no node: the nearest node n1 gives tasks 4 cores and 8GiB");
}

}  // namespace heddle::requests_test
