// Results of reading valid scenarios.

#include "core/scenario/fit.h"
#include "tests/support/cluster.h"
#include "tests/support/matchers.h"
#include "tests/support/scenario_texts.h"

namespace heddle::reader_test {

constexpr std::int64_t kMiB = 1LL << 20;

/// Return parts of the small scenario with these nodes, this job or this phase in place of its own.
std::vector<NodeSpec> nodes_with(const std::string& nodes) {
  return scenario_of(text_with_cluster("cluster: {nodes: [" + nodes + "]}\n")).cluster.nodes;
}
std::vector<PhaseSpec> phases_with(const std::string& job) {
  return scenario_of(text_with_jobs("jobs:\n- " + job)).jobs[0].phases;
}
PhaseSpec phase_with(const std::string& words) {
  return phases_with("name: wc\n  phases: [{name: m, request: {cores: 1, memory: 1GiB}, " + words +
                     "}]\n")[0];
}

TEST(Reader, EveryWordOfEmulation) {
  ScenarioText text;
  text.head +=
      "emulation: {time_scale: auto, core_fraction: 5%, memory_scale: auto, data_scale: 0.5, "
      "cpu_limit: shares, pacing: none, swap: true, overhead: 2MiB, "
      "control_reserve: {cpu: 10%, memory: 1GiB}, suspend_with: freezer, cpu_weight: 300}\n";
  EmulationSpec e = scenario_of(text.text()).emulation;
  EXPECT_EQ(e.time_scale, std::nullopt);
  EXPECT_EQ(e.core_fraction, 0.05);
  EXPECT_EQ(e.memory_scale, std::nullopt);
  EXPECT_EQ(e.data_scale, 0.5);
  EXPECT_EQ(e.cpu_limit, CpuLimit::kShares);
  EXPECT_EQ(e.pacing, Pacing::kNone);
  EXPECT_TRUE(e.swap);
  EXPECT_EQ(e.overhead, real::Bytes(2 * kMiB));
  EXPECT_EQ(e.control_reserve_cpu, 0.1);
  EXPECT_EQ(e.control_reserve_memory, real::Bytes(1024 * kMiB));
  EXPECT_EQ(e.suspend_with, SuspendWith::kFreezer);
  EXPECT_EQ(e.cpu_weight, 300);
}

TEST(Reader, NodesByCountAndByName) {
  std::vector<std::string> names;
  for (const NodeSpec& node : nodes_with("{name: n, count: 2, cores: 4, memory: 8GiB}, {name: big, "
                                         "cores: 16, memory: 64GiB, speed: 0.5}"))
    names.push_back(node.name);
  EXPECT_THAT(names, ElementsAre("n1", "n2", "big"));
}

TEST(Reader, AllowanceIsCapacityLessSystemUnlessGiven) {
  const auto nodes = nodes_with(
      "{name: a, cores: 4, memory: 8GiB, system: {cores: 0.5, memory: 1GiB}}, "
      "{name: b, cores: 4, memory: 8GiB, allowance: {memory: 6GiB}}");
  EXPECT_EQ(nodes[0].allowance, size_of(3.5, 7));
  EXPECT_EQ(nodes[1].allowance, size_of(4, 6));
}

TEST(Reader, OvercommitLetsAllowancesExceedCapacities) {
  const Scenario s = scenario_of(text_with_cluster(
      "cluster: {overcommit: true, nodes: [{name: n, cores: 4, memory: 4GiB, allowance: {memory: "
      "8GiB}}]}\n"));
  EXPECT_TRUE(s.cluster.overcommit);
  EXPECT_EQ(s.cluster.nodes[0].allowance.memory, EmuBytes(8192 * kMiB));
}

TEST(Reader, NormaliseRoundsRequestsUpToUnits) {
  ScenarioText text;
  text.cluster =
      "cluster: {normalise: true, unit: {cores: 1, memory: 1GiB}, nodes: [{name: n, cores: 4, "
      "memory: 8GiB}]}\n";
  text.jobs = one_phase("name: m, request: {cores: 1.5, memory: 1025MiB}, cpu: 1s");
  EXPECT_EQ(scenario_of(text.text()).jobs[0].phases[0].request, size_of(2, 2));
}

TEST(Reader, Distributions) {
  const PhaseSpec phase = phase_with(
      "cpu: {dist: lognormal, mean: 12s, cv: 0.5}, sleep: {dist: exponential, mean: 500ms}, "
      "threads: 3, memory: [[0, 100MiB], [50%, {dist: uniform, mean: 600MiB, cv: 0.1}], [1, "
      "700MiB]]");
  using Dist = Drawn::Dist;
  EXPECT_EQ(phase.cpu, (Drawn{Dist::kLognormal, 12e6, 0.5}));
  EXPECT_EQ(phase.sleep, (Drawn{Dist::kExponential, 5e5, 0}));
  EXPECT_EQ(phase.threads, 3);
  EXPECT_THAT(phase.memory, ElementsAre(Pair(0.0, Drawn{Dist::kConstant, 100.0 * kMiB, 0}),
                                        Pair(0.5, Drawn{Dist::kUniform, 600.0 * kMiB, 0.1}),
                                        Pair(1.0, Drawn{Dist::kConstant, 700.0 * kMiB, 0})));
}

TEST(Reader, AfterMayNameALaterPhase) {
  const auto phases = phases_with(
      "name: j\n  phases:\n"
      "  - {name: last, kind: reduce, after: [b, a, b], request: {cores: 1, memory: 1GiB}, cpu: "
      "1s}\n"
      "  - {name: a, request: {cores: 1, memory: 1GiB}, cpu: 1s}\n"
      "  - {name: b, after: [a], request: {cores: 1, memory: 1GiB}, sleep: 1s}\n");
  EXPECT_THAT(phases[0].after, ElementsAre(1, 2));
  EXPECT_THAT(phases[2].after, ElementsAre(1));
}

TEST(Reader, GangOfAJobIsTheDefaultOfItsPhases) {
  const auto phases = phases_with(
      "name: j\n  gang: true\n  phases:\n"
      "  - {name: a, tasks: 8, request: {cores: 1, memory: 1GiB}, cpu: 1s}\n"
      "  - {name: b, gang: false, tasks: 9, request: {cores: 1, memory: 1GiB}, cpu: 1s}\n");
  EXPECT_TRUE(phases[0].gang);
  EXPECT_FALSE(phases[1].gang);
}

TEST(Reader, EveryWordOfSimulation) {
  auto read = read_text(text_with_head(
      "simulation: {ideal: true, launch_delay: 1.5ms, message_delay: 0, saturation: all}\n"));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_TRUE(read->scenario.simulation.ideal);
  EXPECT_EQ(read->scenario.simulation.launch_delay, std::chrono::microseconds(1500));
  EXPECT_EQ(read->scenario.simulation.message_delay, real::Duration(0));
  EXPECT_EQ(read->scenario.simulation.saturation, Saturation::kAll);
  EXPECT_THAT(read->warnings, IsEmpty());
}

TEST(Reader, PreferredNodesAreEachOnceInTheirOrder) {
  ScenarioText text;
  text.cluster =
      "cluster: {nodes: [{name: n, count: 3, cores: 4, memory: 8GiB, rack: r1}, {name: big, cores: "
      "4, memory: 8GiB}]}\n";
  text.jobs =
      one_phase("name: m, request: {cores: 1, memory: 1GiB}, cpu: 1s, prefer: [big, n3, n1, n3]");
  auto read = read_text(text.text());
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_THAT(read->scenario.jobs[0].phases[0].prefer,
              ElementsAre(NodeId{0}, NodeId{2}, NodeId{3}));
  EXPECT_EQ(read->scenario.cluster.nodes[2].rack, "r1");
  EXPECT_THAT(read->warnings, IsEmpty());
}

TEST(Reader, UserAndWeightOfAJob) {
  auto read = read_text(
      text_with_jobs("jobs:\n- {name: p, workload: pi, user: ann, weight: 2.5, framework: "
                     "mapreduce, max_am_attempts: 7}\n"));
  ASSERT_TRUE(read) << read.error().text;
  const JobSpec& job = read->scenario.jobs[0];
  EXPECT_EQ(job.user, "ann");
  EXPECT_EQ(job.weight, 2.5);
  EXPECT_EQ(job.max_am_attempts, 7);
  EXPECT_THAT(read->warnings, IsEmpty());
}

TEST(Reader, Walltimes) {
  ScenarioText text;
  text.cluster =
      "cluster: {walltime_grace: 2s, nodes: [{name: n, count: 2, cores: 4, memory: 8GiB}]}\n";
  text.jobs = "jobs:\n- {name: p, workload: pi, walltime: 5min}\n- {name: q, workload: pi}\n";
  const Scenario scenario = scenario_of(text.text());
  EXPECT_EQ(scenario.cluster.walltime_grace, emu_seconds(2));
  EXPECT_EQ(scenario.jobs[0].walltime, emu_seconds(300));
  EXPECT_EQ(scenario.jobs[1].walltime, std::nullopt);
  EXPECT_EQ(scenario_of(ScenarioText().text()).cluster.walltime_grace, std::nullopt);
}

std::vector<double> submits(const Scenario& scenario) {
  std::vector<double> times;
  for (const JobSpec& job : scenario.jobs) times.push_back(to_seconds(job.submit));
  return times;
}

std::string counted(const std::string& words) {
  return text_with_jobs("jobs:\n- {name: pi, workload: pi, " + words + "}\n");
}

TEST(Reader, JobsByCount) {
  Scenario s = scenario_of(counted("count: 3, submit: 5s"));
  EXPECT_EQ(s.jobs[0].name, "pi-1");
  EXPECT_EQ(s.jobs[2].name, "pi-3");
  EXPECT_THAT(submits(s), ElementsAre(5, 5, 5));
  EXPECT_THAT(submits(scenario_of(counted("count: 3, submit: {start: 2s, every: 5s}"))),
              ElementsAre(2, 7, 12));
  EXPECT_THAT(submits(scenario_of(counted("submit: {start: 2s, every: 5s}"))), ElementsAre(2));
}

TEST(Reader, PoissonArrivalsFollowFromTheSeed) {
  const std::string text = counted("count: 2000, submit: {start: 1s, poisson: 5s}");
  auto times = submits(scenario_of(text));
  EXPECT_EQ(times[0], 1);
  EXPECT_NEAR(times.back() / 1999, 5, 0.5);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_EQ(times, submits(scenario_of(text)));
  Overrides other;
  other.seed = 2;
  EXPECT_NE(times, submits(scenario_of(text, other)));
  EXPECT_TRUE(read_text(text)->drawn_jobs);
  EXPECT_FALSE(read_text(counted("count: 3, submit: {start: 2s, every: 5s}"))->drawn_jobs);
}

TEST(Reader, NamedWorkload) {
  const auto phases =
      phases_with("{name: p, workload: pi, maps: 6, cpu: {dist: normal, mean: 8s, cv: 0.1}}\n");
  ASSERT_EQ(phases.size(), 3U);
  EXPECT_EQ(phases[0].kind, PhaseKind::kAm);
  EXPECT_EQ(phases[1].tasks, 6);
  EXPECT_EQ(phases[1].cpu, (Drawn{Drawn::Dist::kNormal, 8e6, 0.1}));
  EXPECT_EQ(phases[2].kind, PhaseKind::kReduce);
  EXPECT_THAT(phases[2].after, ElementsAre(1));
}

TEST(Reader, PolicyAsWordAndAsMap) {
  ScenarioText text;
  text.head += "policy: fifo+reserve=false\n";
  EXPECT_THAT(scenario_of(text.text()).policy.options, ElementsAre(Pair("reserve", "false")));
  text.head = "heddle: 1\nname: x\npolicy: {strict_order: true, scheduler: fifo, preset: fifo}\n";
  PolicySpec policy = scenario_of(text.text()).policy;
  EXPECT_EQ(policy.preset, "fifo");
  EXPECT_THAT(policy.options, ElementsAre(Pair("strict_order", "true")));
}

TEST(Reader, AQueueByAnotherName) {
  const Scenario s = scenario_of(text_with_head("queues: [{name: batch}]\n"));
  EXPECT_EQ(s.queues, std::vector<QueueSpec>{queue_of("batch")});
  EXPECT_EQ(s.jobs[0].queue, "batch");
}

TEST(Reader, AnchorsAndAliases) {
  const Scenario s = scenario_of(text_with_jobs(
      "jobs:\n- name: a\n  phases: &work\n"
      "  - {name: map, request: {cores: 1, memory: 1GiB}, cpu: 1s}\n- {name: b, phases: *work}\n"));
  EXPECT_EQ(s.jobs[0].phases, s.jobs[1].phases);
}

// Overrides ---------------------------------------------------------------------------------------

TEST(Overrides, SetReachesEverySection) {
  Scenario s = scenario_of(
      ScenarioText{}.text(),
      set({"emulation.time_scale=0.1", "cluster.heartbeat=500ms", "cluster.nodes.n.cores=8",
           "jobs.wc.submit=7s", "jobs.wc.phases.map.cpu={dist: uniform, mean: 3s, cv: 0.1}",
           "jobs.wc.phases.map.request.memory=2GiB", "name=other"}));
  EXPECT_EQ(s.emulation.time_scale, 0.1);
  EXPECT_EQ(s.cluster.heartbeat, emu_seconds(0.5));
  EXPECT_EQ(s.cluster.nodes[1].capacity.cores, Millicores(8000));
  EXPECT_EQ(s.jobs[0].submit, emu_seconds(7));
  EXPECT_EQ(s.jobs[0].phases[0].cpu, (Drawn{Drawn::Dist::kUniform, 3e6, 0.1}));
  EXPECT_EQ(s.jobs[0].phases[0].request.memory, EmuBytes(2048 * kMiB));
  EXPECT_EQ(s.name, "other");
}

TEST(Overrides, TheLongestMatchingNameIsMeant) {
  ScenarioText text;
  text.jobs = "jobs:\n- {name: a, workload: pi}\n- {name: a.b, workload: pi}\n";
  Scenario s = scenario_of(text.text(), set({"jobs.a.b.submit=3s", "jobs.a.submit=1s"}));
  EXPECT_THAT(submits(s), ElementsAre(1, 3));
}

TEST(Overrides, PolicyReplacesAndSetChangesIt) {
  ScenarioText text;
  text.head += "policy: {strict_order: true}\n";
  Overrides overrides;
  overrides.policy = "fifo+reserve=false";
  overrides.set = {"policy.node_order=most-free"};
  EXPECT_THAT(scenario_of(text.text(), overrides).policy.options,
              ElementsAre(Pair("node_order", "most-free"), Pair("reserve", "false")));
}

TEST(Overrides, SeedGoesOverTheFilesAndSetOverBoth) {
  ScenarioText text;
  text.head += "seed: 7\n";
  Overrides overrides;
  overrides.seed = 9;
  EXPECT_EQ(scenario_of(text.text(), overrides).seed, 9U);
  overrides.set = {"seed=11"};
  EXPECT_EQ(scenario_of(text.text(), overrides).seed, 11U);
}

TEST(Overrides, AListIsReplacedWhole) {
  Scenario s = scenario_of(ScenarioText{}.text(),
                           set({"cluster.nodes=[{name: m, cores: 2, memory: 4GiB}]"}));
  ASSERT_EQ(s.cluster.nodes.size(), 1U);
  EXPECT_EQ(s.cluster.nodes[0].name, "m");
}

// Fit ---------------------------------------------------------------------------------------------

TEST(EmptyCluster, CountsWhatFits) {
  ScenarioText text;
  text.cluster =
      "cluster: {nodes: [{name: n, count: 2, cores: 4, memory: 8GiB}, {name: b, cores: 16, memory: "
      "4GiB}]}\n";
  EmptyCluster cluster(scenario_of(text.text()).cluster);
  EXPECT_EQ(cluster.room_for({Millicores(1000), EmuBytes(1024 * kMiB)}), 12);
  EXPECT_EQ(cluster.room_for({Millicores(1000), EmuBytes(3072 * kMiB)}), 5);
  EXPECT_EQ(cluster.room_for({Millicores(5000), EmuBytes(5120 * kMiB)}), 0);
  EXPECT_EQ(cluster.nearest({Millicores(5000), EmuBytes(1024 * kMiB)}),
            "the nearest node b gives tasks 16 cores and 4GiB");
}

}  // namespace heddle::reader_test
