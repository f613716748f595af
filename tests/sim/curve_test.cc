// Whole simulated runs of tasks that follow usage curves.

#include <map>

#include "core/resolve.h"
#include "tests/sim/simulated.h"
#include "tests/support/matchers.h"
#include "tests/support/scenario_texts.h"

namespace heddle::sim::curve_test {

/// Values of each task's attempt, by task.
struct Attempt {
  std::vector<double> seconds, cpu;
};

Attempt attempts_of(const std::string& phase, const std::string& emulation = "{}") {
  ScenarioText text;
  text.head += "simulation: {ideal: true}\nemulation: " + emulation + "\n";
  text.cluster = "cluster: {nodes: [{name: n, cores: 8, memory: 8GiB}]}\n";
  text.jobs = one_phase("name: map, request: {cores: 1, memory: 1GiB}, " + phase);
  const Simulated run = simulate(resolve_simulated(scenario_of(text.text())));
  EXPECT_EQ(run.status, RunStatus::kDone);
  std::map<int, int> task_of;
  std::map<int, double> started;
  Attempt attempt;
  for (const wire::Json& line : run.records()) {
    if (line["type"] == "launch") task_of[line["container"]] = line["task"];
    if (line["type"] == "container_started") started[line["container"]] = line["t"];
    if (line["type"] != "container_ended") continue;
    const auto task = static_cast<std::size_t>(task_of.at(line["container"]));
    attempt.seconds.resize(std::max(attempt.seconds.size(), task + 1));
    attempt.cpu.resize(attempt.seconds.size());
    attempt.seconds[task] = line["t"].get<double>() - started.at(line["container"]);
    attempt.cpu[task] = line["cpu_core_s"];
  }
  return attempt;
}

const char* const kEach =
    "each: [{usage: [[0s, 0.8, 300MiB], [10s, 0.5, 900MiB], [31s, 0, 850MiB]]}, {usage: [[0s, 0, "
    "1MiB], [2s, 1], [7.5s]]}, {cpu: 5s, sleep: 1s}, {usage: [[0s, 1.5], [4s]]}]";

TEST(Curves, TasksTakeAsLongAsTheirs) {
  const Attempt attempt = attempts_of(kEach, "{cpu_limit: shares}");
  EXPECT_THAT(attempt.seconds, ElementsAre(31, 7.5, 6, 4));
  EXPECT_THAT(attempt.cpu, ElementsAre(18.5, 5.5, 5, 6));
}

TEST(Curves, MoreCoresThanRequestedTakeLongerWhereLimitsAreStrict) {
  // The last task burns 6 core-seconds on one core and pauses for a second.
  EXPECT_THAT(attempts_of(kEach).seconds, ElementsAre(31, 7.5, 6, 7));
}

TEST(Curves, RequestsMadeToFitHoldThemWithoutSlowingThem) {
  const std::string each(kEach);
  ScenarioText text;
  text.head += "simulation: {ideal: true}\n";
  text.jobs =
      "jobs:\n- name: wc\n  requests: exact-fit\n  phases:\n  - {name: map, request: {cores: 1, "
      "memory: 8GiB}, " +
      each + "}\n";
  const Scenario scenario = resolve_simulated(scenario_of(text.text()));
  EXPECT_EQ(scenario.jobs[0].phases[0].request,
            (Resources{Millicores(2000), EmuBytes(900LL << 20)}));
  const Simulated run = simulate(scenario);
  EXPECT_EQ(run.status, RunStatus::kDone);
  for (const wire::Json& line : run.records()) {
    if (line["type"] == "container_ended") {
      EXPECT_EQ(line["outcome"], "completed");
    }
  }
  // Four tasks run at a time, on two nodes of four cores.
  EXPECT_EQ(run.records().back()["t"], 31.0);
}

}  // namespace heddle::sim::curve_test
