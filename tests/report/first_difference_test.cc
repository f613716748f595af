#include "report/agreement/first_difference.h"

#include "tests/support/matchers.h"

namespace heddle::report::first_difference_test {

using wire::Json;

Scenario scenario() {
  Scenario s;
  for (const char* name : {"n1", "n2"}) {
    NodeSpec node;
    node.name = name;
    s.cluster.nodes.push_back(node);
  }
  for (const char* name : {"a", "b"}) {
    JobSpec job;
    job.name = name;
    PhaseSpec phase;
    phase.name = "map";
    job.phases = {phase};
    s.jobs.push_back(job);
  }
  return s;
}

/// Returns the attempt of a task of job `job`, launched at `at` s and ended at `ended` s.
AttemptRow attempt(int container, int job, int task, int node, double at, double ended) {
  AttemptRow row;
  row.container = ContainerId{container};
  row.phase = {JobId{job}, 0};
  row.task = task;
  row.node = NodeId{node};
  row.allocated = emu_seconds(at);
  row.ended = emu_seconds(ended);
  return row;
}

Json difference(const Scenario& simulated, const std::vector<AttemptRow>& a, const Scenario& run,
                const std::vector<AttemptRow>& b) {
  return first_difference({"simulated", simulated, a}, {"run", run, b});
}

std::string text_of(const Json& json) {
  return format_first_difference(json, {"simulated", "the simulation"}, {"run", "the run"});
}

TEST(FirstDifference, NamesTheLaunchAndTheEndsThatCameInAnotherOrder) {
  const std::vector<AttemptRow> simulated = {attempt(0, 0, 0, 0, 0, 10), attempt(1, 0, 1, 1, 0, 11),
                                             attempt(2, 1, 0, 0, 10, 20)};
  // Given in another order. a map 1 ends first here, and b map 0 starts where it ran.
  const std::vector<AttemptRow> run = {attempt(2, 1, 0, 1, 10.5, 20), attempt(0, 0, 0, 0, 0, 12),
                                       attempt(1, 0, 1, 1, 0, 10)};
  const Json json = difference(scenario(), simulated, scenario(), run);
  EXPECT_EQ(json, Json::parse(R"({"launch": 3,
      "simulated": {"at_s": 10, "task": "b map 0", "node": "n1"},
      "run": {"at_s": 10.5, "task": "b map 0", "node": "n2"},
      "ended": {"simulated": "a map 0", "run": "a map 1"}})"));
  EXPECT_EQ(
      text_of(json),
      "first decision that differs: launch 3. The simulation launched b map 0 on n1 at 10.0 s; "
      "the run launched b map 0 on n2 at 10.5 s. Before it, a map 0 ended first in the "
      "simulation, and a map 1 in the run.\n");
}

TEST(FirstDifference, ALaunchThatIsMissing) {
  const std::vector<AttemptRow> simulated = {attempt(0, 0, 0, 0, 0, 10)};
  std::vector<AttemptRow> run = {attempt(0, 0, 0, 0, 0, 10), attempt(1, 0, 0, 0, 11, 21)};
  run[1].attempt = 2;
  const Json json = difference(scenario(), simulated, scenario(), run);
  EXPECT_TRUE(json["simulated"].is_null());
  EXPECT_THAT(
      text_of(json),
      AllOf(HasSubstr("launch 2. The simulation made no such launch; the run launched a map "
                      "0 (attempt 2) on n1 at 11.0 s."),
            HasSubstr("containers ended in the same order")));
}

TEST(FirstDifference, NoneIfAllLaunchesAreTheSame) {
  const std::vector<AttemptRow> simulated = {attempt(0, 0, 0, 0, 0, 10)};
  const std::vector<AttemptRow> run = {attempt(0, 0, 0, 0, 0.5, 30)};
  EXPECT_TRUE(difference(scenario(), simulated, scenario(), run).is_null());
  EXPECT_EQ(text_of(nullptr), "");
}

TEST(FirstDifference, RunsOfDifferentScenariosAreComparedByNames) {
  Scenario other = scenario();
  std::swap(other.jobs[0], other.jobs[1]);
  std::swap(other.cluster.nodes[0], other.cluster.nodes[1]);
  const std::vector<AttemptRow> simulated = {attempt(0, 0, 0, 1, 0, 10), attempt(1, 1, 0, 1, 0, 9)};
  // The same job and node have other numbers here; then job c starts where job b did.
  std::vector<AttemptRow> run = {attempt(0, 1, 0, 0, 0, 10), attempt(1, 0, 0, 0, 0, 9)};
  EXPECT_TRUE(difference(scenario(), simulated, other, run).is_null());
  other.jobs[0].name = "c";
  const Json json = difference(scenario(), simulated, other, run);
  EXPECT_EQ(json["launch"], 2);
  EXPECT_EQ(json["simulated"]["task"], "b map 0");
  EXPECT_EQ(json["run"]["task"], "c map 0");
}

}  // namespace heddle::report::first_difference_test
