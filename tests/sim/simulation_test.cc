#include "sim/simulation.h"

#include <map>

#include "core/resolve.h"
#include "tests/sim/simulated.h"
#include "tests/support/journal.h"
#include "tests/support/matchers.h"
#include "tests/support/scenario_texts.h"

namespace heddle::sim::simulation_test {

using wire::Json;

/// A simulation that runs to its end in memory.
struct Simulated : sim::Simulated {
  explicit Simulated(const Scenario& scenario, Simulation::Options options = {})
      : simulation(
            scenario, std::move(options), [this](std::string_view text) { journal += text; },
            [this](std::string_view text) { samples += text; }) {
    while (simulation.advance(1000)) {
    }
  }

  /// Returns each job's first start minus its submission.
  std::vector<double> waits(const Scenario& scenario) const {
    std::map<std::int64_t, std::size_t> job_of;
    for (const Json& line : lines("launch")) job_of[line["container"]] = line["job"];
    std::vector<double> waits(scenario.jobs.size(), -1);
    for (const Json& line : lines("container_started")) {
      std::size_t job = job_of[line["container"]];
      if (waits[job] < 0)
        waits[job] = line["t"].get<double>() - to_seconds(scenario.jobs[job].submit);
    }
    return waits;
  }

  Simulation simulation;
};

/// Returns a scenario with nodes n1, n2, … of 4 cores and 8 GiB.
Scenario machine(int nodes, const std::string& jobs, const std::string& more = "") {
  return resolve_simulated(
      scenario_of("heddle: 1\nname: test\n" + more + "cluster: {nodes: [{name: n, count: " +
                  std::to_string(nodes) + ", cores: 4, memory: 8GiB}]}\n" + jobs));
}

const char* const kIdeal = "simulation: {ideal: true}\n";

std::string tasks(int count, const std::string& cpu) {
  return one_phase("name: map, tasks: " + std::to_string(count) +
                   ", request: {cores: 1, memory: 1GiB}, cpu: " + cpu);
}

TEST(Simulation, DressFigure1IsExact) {
  Scenario scenario = shipped("papers/dress-fig1");
  Simulated run(scenario);
  EXPECT_EQ(run.simulation.status(), RunStatus::kDone);
  EXPECT_THAT(run.waits(scenario), ElementsAre(0, 9, 28, 27));
  EXPECT_EQ(run.all("container_ended", "t").back(), 40);
}

TEST(Simulation, SameScenarioSameBytes) {
  Scenario scenario = shipped("quickstart");
  Simulated one(scenario), two(scenario);
  EXPECT_EQ(one.journal, two.journal);
  EXPECT_EQ(one.samples, two.samples);
  EXPECT_EQ(one.simulation.status(), RunStatus::kDone);
  scenario.seed = 8;
  EXPECT_NE(Simulated(scenario).journal, one.journal);
}

TEST(Simulation, JournalHasNothingReal) {
  Simulated run(shipped("quickstart"));
  for (const Json& line : run.records()) {
    for (const char* key : {"wall", "launch_ms", "overhead"})
      EXPECT_FALSE(line.contains(key)) << line;
  }
  EXPECT_EQ(run.lines("run").at(0)["mode"], "simulated");
  EXPECT_THAT(run.all<std::string>("leaving", "status"), ElementsAre("done"));
  EXPECT_EQ(run.records().back()["type"], "end");
}

// Tasks run in waves of four. With immediate dispatch the next wave starts at once, otherwise at
// the next heartbeat, which comes at a whole second.
TEST(Simulation, WavesInIdealTime) {
  Scenario scenario = machine(1, tasks(10, "2500ms"), kIdeal);
  EXPECT_THAT(Simulated(scenario).all("container_started", "t"),
              ElementsAre(0, 0, 0, 0, 3, 3, 3, 3, 6, 6));
  scenario.cluster.dispatch = Dispatch::kImmediate;
  EXPECT_THAT(Simulated(scenario).all("container_started", "t"),
              ElementsAre(0, 0, 0, 0, 2.5, 2.5, 2.5, 2.5, 5, 5));
}

// A task that ends at the instant of a heartbeat has already freed its resources for it.
TEST(Simulation, HeartbeatsComeLastInAnInstant) {
  Simulated run(machine(1, tasks(8, "2s"), kIdeal));
  EXPECT_THAT(run.all("container_started", "t"), ElementsAre(0, 0, 0, 0, 2, 2, 2, 2));
}

// With time_scale 0.5, messages take 1 ms, a start takes 30 ms, and a start right after another 6
// ms. The first of two nodes sends its heartbeats from 0 on, the second half a second later, both
// counted from when the master tells them to.
const char* const kHalfTime = "emulation: {time_scale: 0.5}\n";

TEST(Simulation, HeartbeatsAndDelays) {
  Simulated run(machine(2, tasks(5, "10s"), kHalfTime));
  EXPECT_THAT(run.all("launch", "t"), ElementsAre(0.002, 0.002, 0.002, 0.002, 0.502));
  EXPECT_THAT(run.all<int>("launch", "node"), ElementsAre(0, 0, 0, 0, 1));
  EXPECT_THAT(run.all("container_started", "t"), ElementsAre(0.033, 0.039, 0.045, 0.051, 0.533));
  EXPECT_THAT(run.all("container_started", "now"), ElementsAre(0.034, 0.04, 0.046, 0.052, 0.534));
  std::vector<Json> samples = records_of(run.samples);
  EXPECT_THAT(samples[0], HasMembers(R"({"t":0.002,"node":0})"));
  EXPECT_THAT(samples[1], HasMembers(R"({"t":0.502,"node":1})"));
  EXPECT_EQ(samples[2]["t"], 1.002);
  // The sample was sent at 1.001, when the four tasks had run for 968, 962, 956 and 950 of 1000 ms.
  EXPECT_NEAR(samples[2]["cpu_cores"], 3.836, 1e-9);
  EXPECT_EQ(samples[2]["containers"].size(), 4U);
}

TEST(Simulation, ImmediateDispatchWaitsForNoHeartbeat) {
  Scenario scenario = machine(1, tasks(1, "10s"), kHalfTime);
  scenario.cluster.dispatch = Dispatch::kImmediate;
  scenario.jobs[0].submit = emu_seconds(0.5);
  Simulated run(scenario);
  EXPECT_THAT(run.all("launch", "t"), ElementsAre(0.5));
  EXPECT_THAT(run.all("container_started", "t"), ElementsAre(0.531));
}

// The first task exceeds its memory limit. Its job allows one attempt, so the others are killed,
// without waiting for a heartbeat.
TEST(Simulation, KillsLeaveAtOnce) {
  Scenario scenario =
      machine(1,
              one_phase("name: map, tasks: 1, request: {cores: 1, memory: 1GiB}, cpu: 10s, "
                        "memory: [[0, 0B], [1, 4GiB]]") +
                  "  - {name: other, tasks: 2, request: {cores: 1, memory: 1GiB}, cpu: 10s}\n",
              "emulation: {overhead: 0B}\n");
  scenario.jobs[0].max_attempts = 1;
  Simulated run(scenario);
  EXPECT_EQ(run.simulation.status(), RunStatus::kFailed);
  EXPECT_THAT(run.all<std::string>("container_ended", "outcome"),
              ElementsAre("oom_killed", "killed", "killed"));
  // The task starts at 3 * 0.5 + 15 ms. The report of its end and the kills take half a millisecond
  // each.
  EXPECT_THAT(run.all("container_ended", "t"), ElementsAre(2.516501, 2.517501, 2.517501));
}

TEST(Simulation, SaturatedNodeRecovers) {
  Simulated run(shipped("faults/memory-saturation"));
  EXPECT_EQ(run.simulation.status(), RunStatus::kDone);
  EXPECT_THAT(run.all<std::string>("container_ended", "oom"), Contains("node"));
}

// The fourth node kills nothing, and every task completes in the end.
TEST(Simulation, NodesThatLoseOverAHundredTasksDoThemAll) {
  Simulated run(shipped("faults/memory-storm"));
  EXPECT_EQ(run.simulation.status(), RunStatus::kDone);
  std::map<std::int64_t, std::int64_t> node_of;
  for (const Json& line : run.lines("launch")) node_of[line["container"]] = line["node"];
  std::map<std::int64_t, int> kills;
  for (const Json& line : run.lines("container_ended")) {
    if (line["outcome"] == "completed") continue;
    EXPECT_EQ(line["oom"], "node");
    ++kills[node_of.at(line["container"])];
  }
  EXPECT_GE(kills[0] + kills[1] + kills[2], 100);
  EXPECT_EQ(kills[3], 0);
}

TEST(Simulation, OverloadedCpusKillNobody) {
  Simulated run(shipped("faults/cpu-overload"));
  EXPECT_EQ(run.simulation.status(), RunStatus::kDone);
  EXPECT_THAT(run.all<std::string>("container_ended", "outcome"), Each("completed"));
  EXPECT_THAT(run.lines("external_load"), SizeIs(2));
}

// Two tasks of 2 cores use all 4 cores. From 3.25 s to 7.25 s they share them with a load of 4
// cores.
TEST(Simulation, ExternalLoadComesAndGoes) {
  Scenario scenario = machine(1,
                              one_phase("name: map, tasks: 2, request: {cores: 2, memory: 1GiB}, "
                                        "cpu: 20s, threads: 2"),
                              std::string(kIdeal) +
                                  "external_load: [{node: n1, from: 3.25s, until: 7.25s, cores: 4, "
                                  "memory: 2GiB}, {from: 1000s, cores: 1}]\n");
  Simulated run(scenario);
  EXPECT_EQ(run.simulation.status(), RunStatus::kDone);
  EXPECT_THAT(run.all("external_load", "t"), ElementsAre(3.25, 7.25));
  EXPECT_THAT(run.all("external_load", "cores"), ElementsAre(4, 0));
  EXPECT_THAT(run.all("external_load", "memory"), ElementsAre(2147483648.0, 0));
  // Half the speed for 4 s adds 2 s to the 10 s of work. The run does not wait for the later load.
  EXPECT_THAT(run.all("container_ended", "t"), ElementsAre(12, 12));
  std::vector<Json> samples = records_of(run.samples);
  EXPECT_EQ(samples[2]["memory"], 0);
  EXPECT_EQ(samples[4]["memory"], 2147483648);
  EXPECT_NEAR(samples[5]["cpu_cores"], 4, 1e-9);
}

TEST(Simulation, ExternalLoadFromTheBeginning) {
  Scenario scenario =
      machine(1, tasks(1, "10s"), std::string(kIdeal) + "external_load: [{memory: 1GiB}]\n");
  Simulated run(scenario);
  EXPECT_THAT(run.all("external_load", "t"), ElementsAre(0));
  EXPECT_EQ(records_of(run.samples).back()["memory"], 1 << 30);
}

TEST(Simulation, ReducesThatCameEarlyGoOnWhenTheMapsAreDone) {
  Scenario scenario = machine(1,
                              one_phase("name: map, tasks: 4, request: {cores: 1, memory: 1GiB}, "
                                        "cpu: {dist: uniform, mean: 10s, cv: 0.3}") +
                                  "  - {name: red, kind: reduce, after: [map], tasks: 1, "
                                  "request: {cores: 1, memory: 1GiB}, cpu: 5s}\n",
                              kIdeal);
  scenario.cluster.dispatch = Dispatch::kImmediate;
  Simulated run(scenario);
  ASSERT_THAT(run.lines("inputs_ready"), SizeIs(1));
  double maps_done = run.all("inputs_ready", "t")[0];
  EXPECT_LT(run.all("container_started", "t").back(), maps_done);
  EXPECT_DOUBLE_EQ(run.all("container_ended", "t").back(), maps_done + 5);
}

TEST(Simulation, ApplicationMasterComesFirstAndGoesLast) {
  Scenario scenario = machine(1,
                              "jobs:\n- name: j\n  application_master: {cores: 1, memory: 1GiB}\n"
                              "  phases:\n  - {name: map, tasks: 3, cpu: 10s, request: {cores: 1, "
                              "memory: 1GiB}}\n",
                              kIdeal);
  scenario.cluster.dispatch = Dispatch::kImmediate;
  Simulated run(scenario);
  EXPECT_EQ(run.simulation.status(), RunStatus::kDone);
  EXPECT_THAT(run.all<int>("launch", "phase"), ElementsAre(0, 1, 1, 1));
  EXPECT_EQ(run.lines("container_ended").back()["outcome"], "killed");
  EXPECT_EQ(run.lines("container_ended").back()["container"], 0);
  EXPECT_EQ(run.simulation.now(), emu_seconds(10));
}

// Scenario files can't contain such a request, but policies may cause similar situations.
TEST(Simulation, StuckRunIsGivenUp) {
  Scenario scenario = machine(2, tasks(1, "10s") + "- name: huge\n  phases:\n  - {name: map, " +
                                     "request: {cores: 1, memory: 1GiB}, cpu: 1s}\n");
  scenario.jobs[1].phases[0].request.cores = Millicores(100'000);
  Simulated run(scenario);
  EXPECT_EQ(run.simulation.status(), RunStatus::kAborted);
  EXPECT_THAT(run.simulation.reason(), HasSubstr("unfinished jobs: huge"));
  // The run ends a thousand seconds after the last event.
  EXPECT_GT(run.simulation.now(), emu_seconds(1009));
  EXPECT_LT(run.simulation.now(), emu_seconds(2020));
  EXPECT_EQ(run.lines("end").at(0)["status"], "aborted");
}

// Under fifo, masters have no limit. Four of them fill the node, and no task of their jobs fits.
// The fifth job waits for its master. With a limit of half of the node, two jobs run at a time.
TEST(Simulation, MastersThatFillTheClusterAreNoticed) {
  const std::string jobs =
      "jobs:\n- name: j\n  count: 5\n  application_master: {cores: 1, memory: 1GiB}\n"
      "  phases:\n  - {name: map, sleep: 10s, request: {cores: 1, memory: 1GiB}}\n";
  Scenario scenario = machine(1, jobs, kIdeal);
  Simulated filled(scenario);
  EXPECT_EQ(filled.simulation.status(), RunStatus::kAborted);
  EXPECT_THAT(filled.all<int>("launch", "phase"), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(filled.simulation.reason(), HasSubstr("unfinished jobs: j-1, j-2, j-3, j-4, j-5"));
  EXPECT_EQ(filled.lines("end").at(0)["status"], "aborted");
  scenario.policy.options = {{"max_am_share", "0.5"}};
  EXPECT_EQ(Simulated(scenario).simulation.status(), RunStatus::kDone);
}

TEST(Simulation, LongSilenceIsNotStuck) {
  Simulated run(machine(1, tasks(1, "5000s")));
  EXPECT_EQ(run.simulation.status(), RunStatus::kDone);
}

TEST(Simulation, StoppedRunKeepsItsJournal) {
  Scenario scenario = shipped("quickstart");
  std::string journal;
  Simulation simulation(
      scenario, {}, [&](std::string_view text) { journal += text; }, [](std::string_view) {});
  ASSERT_TRUE(simulation.advance(50));
  simulation.stop(RunStatus::kInterrupted, "interrupted");
  EXPECT_FALSE(simulation.advance(50));
  EXPECT_EQ(simulation.status(), RunStatus::kInterrupted);
  std::vector<Json> lines = records_of(journal);
  EXPECT_EQ(lines[0]["type"], "run");
  EXPECT_EQ(lines[lines.size() - 2]["type"], "leaving");
  EXPECT_EQ(lines.back()["status"], "interrupted");
}

// With 200 nodes, every fourth heartbeat of each node is sampled: two lines of each idle node.
TEST(Simulation, SamplesAreThinned) {
  Simulated run(machine(200, tasks(1, "40s"), kIdeal));
  std::map<int, std::vector<double>> times;
  for (const Json& line : records_of(run.samples)) times[line["node"]].push_back(line["t"]);
  EXPECT_EQ(times.size(), 200U);
  for (const auto& [node, at] : times) {
    EXPECT_GE(at.size(), 2U);
    EXPECT_EQ(at[1] - at[0], 4) << node;
  }
}

TEST(Simulation, JournalOfDecisionsHasNoHeartbeats) {
  Scenario scenario = shipped("quickstart");
  EXPECT_FALSE(Simulated(scenario).lines("heartbeat").empty());
  Simulation::Options options;
  options.journal_heartbeats = false;
  EXPECT_THAT(Simulated(scenario, options).lines("heartbeat"), IsEmpty());
}

TEST(Simulation, DecisionsAreMeasuredByTheStopwatch) {
  Simulation::Options options;
  std::int64_t us = 0;
  options.stopwatch = [&] { return std::chrono::microseconds(us += 7); };
  Simulated run(machine(1, tasks(1, "3s")), options);
  EXPECT_THAT(run.simulation.decision_us(),
              AllOf(SizeIs(static_cast<std::size_t>(run.simulation.decisions())),
                    Each(AllOf(Ge(7), Le(7)))));
}

}  // namespace heddle::sim::simulation_test
