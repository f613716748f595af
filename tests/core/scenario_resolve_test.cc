#include <sstream>

#include "core/resolve.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"

namespace heddle::scenario_resolve_test {

constexpr std::int64_t kMiB = 1LL << 20;
constexpr std::int64_t kGiB = 1LL << 30;

/// 2 CPUs and 8 GiB, which are 1.6 CPUs and 7.5 GiB after the control reserve.
const HostResources kRoom = {{2.0}, real::Bytes(8 * kGiB)};

/// Returns a scenario with two nodes of 4 cores and 8 GiB and the given emulation. Requests are 1
/// core and 1 GiB.
Scenario two_nodes(const std::string& emulation = "", const std::string& node = "") {
  ScenarioText text;
  text.head += "emulation: {" + emulation + "}\n";
  text.cluster = "cluster: {nodes: [{name: n, count: 2, cores: 4, memory: 8GiB" + node + "}]}\n";
  return scenario_of(text.text());
}

CheckedScenario resolved(const Scenario& scenario, const HostResources& room = kRoom) {
  auto result = resolve(scenario, room);
  return result ? *result : throw std::runtime_error(result.error().text);
}

std::string error_of(const Scenario& scenario, const HostResources& room = kRoom) {
  auto result = resolve(scenario, room);
  if (result) return "none";
  EXPECT_EQ(result.error().kind, Error::Kind::kUsage);
  return result.error().text;
}

/// Returns the error or the warnings of a scenario; "none" if there are none of both.
std::string said_of(const Scenario& scenario) {
  const std::string error = error_of(scenario);
  if (error != "none") return error;
  const std::vector<std::string> warnings = resolved(scenario).warnings;
  EXPECT_LE(warnings.size(), 1U);
  return warnings.empty() ? "none" : warnings.front();
}

// A worker hears of the end of a walltime up to a heartbeat late.
TEST(Resolve, TheGraceOfWalltimesIsAHeartbeat) {
  Scenario scenario = two_nodes();
  EXPECT_EQ(resolved(scenario).scenario.cluster.walltime_grace, std::nullopt);
  scenario.jobs[0].walltime = emu_seconds(60);
  EXPECT_EQ(resolved(scenario).scenario.cluster.walltime_grace, emu_seconds(1));
  EXPECT_EQ(resolve_simulated(scenario).cluster.walltime_grace, EmuTime(500))
      << "the message delay";
  scenario.simulation.ideal = true;
  EXPECT_EQ(resolve_simulated(scenario).cluster.walltime_grace, std::nullopt);
  scenario.cluster.walltime_grace = EmuTime(0);
  EXPECT_EQ(resolved(scenario).scenario.cluster.walltime_grace, EmuTime(0));
}

TEST(ResolveStated, NothingIsLeftToWhatFits) {
  auto error = [](const std::string& emulation) {
    auto result = resolve_stated(two_nodes(emulation));
    return result ? "none" : result.error().text;
  };
  tests::expect_messages_of("core/scenario_resolve.yaml", "stated", error);
}

TEST(ResolveStated, KeepsWhatIsStated) {
  auto result = resolve_stated(two_nodes("core_fraction: 0.5, memory_scale: 1/2"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->scenario.emulation.core_fraction, 0.5);
  EXPECT_EQ(result->scenario.scale().data, 0.5);
  EXPECT_EQ(result->scenario.scale().time, 1);
}

TEST(Resolve, AutoIsTheLargestThatFits) {
  CheckedScenario checked = resolved(two_nodes("time_scale: auto"));
  const EmulationSpec& e = checked.scenario.emulation;
  EXPECT_EQ(e.time_scale, 1.0);
  EXPECT_EQ(e.core_fraction, 0.2);  // 1.6 CPUs over 8 cores
  // 7.5 GiB minus the overhead of 6 containers of 1 MiB (3 tasks, on each of 2 nodes), over 16 GiB.
  EXPECT_EQ(e.memory_scale, 0.468);
  EXPECT_EQ(e.data_scale, std::nullopt);
  EXPECT_THAT(checked.warnings, IsEmpty());
}

TEST(Resolve, AutoIsNeverMoreThanOne) {
  HostResources large = {{64}, real::Bytes(512 * kGiB)};
  const EmulationSpec e = resolved(two_nodes(), large).scenario.emulation;
  EXPECT_EQ(e.core_fraction, 1.0);
  EXPECT_EQ(e.memory_scale, 1.0);
}

TEST(Resolve, AutoCountsSpeed) {
  // A core of speed 2 may use one CPU at most.
  HostResources large = {{64}, real::Bytes(512 * kGiB)};
  EXPECT_EQ(resolved(two_nodes("", ", speed: 2"), large).scenario.emulation.core_fraction, 0.5);
  EXPECT_EQ(resolved(two_nodes("", ", speed: 2")).scenario.emulation.core_fraction, 0.1);
}

TEST(Resolve, AutoHasThreeDigitsRoundedDown) {
  EXPECT_EQ(resolved(two_nodes(), {{1.9}, kRoom.memory}).scenario.emulation.core_fraction, 0.19);
  EXPECT_EQ(resolved(two_nodes(), {{0.99}, kRoom.memory}).scenario.emulation.core_fraction, 0.099);
  EXPECT_EQ(resolved(two_nodes(), {{1.2345}, kRoom.memory}).scenario.emulation.core_fraction,
            0.123);
}

TEST(Resolve, TheReserveIsTheScenarios) {
  const EmulationSpec e =
      resolved(two_nodes("control_reserve: {cpu: 50%, memory: 4GiB}")).scenario.emulation;
  EXPECT_EQ(e.core_fraction, 0.125);
  EXPECT_EQ(e.memory_scale, 0.249);
}

TEST(Resolve, GivenFactorsThatFitStay) {
  Scenario given = two_nodes("time_scale: 0.1, core_fraction: 0.2, memory_scale: 1/64");
  CheckedScenario checked = resolved(given);
  EXPECT_EQ(checked.scenario, given);
  EXPECT_THAT(checked.warnings, IsEmpty());
}

TEST(Resolve, ResolvingAgainChangesNothing) {
  Scenario once = resolved(two_nodes("time_scale: auto")).scenario;
  EXPECT_EQ(resolved(once).scenario, once);
}

/// Returns a scenario with a job of three maps on the cluster of two_nodes(). Each map passes on 4
/// GiB.
Scenario shuffling(const std::string& emulation) {
  ScenarioText text;
  text.head += "emulation: {" + emulation + "}\n";
  text.jobs = one_phase("name: map, tasks: 3, request: {cores: 1, memory: 1GiB}, shuffle: 4GiB");
  return scenario_of(text.text());
}

/// Returns a host by "CPUS MIB", and the MiB that are free for data.
HostResources host_of(const std::string& text) {
  double cpus = 0;
  std::int64_t memory = 0, scratch = 0;
  std::istringstream in(text);
  in >> cpus >> memory;
  HostResources host{{cpus}, real::Bytes(memory * kMiB)};
  if (in >> scratch) host.scratch = real::Bytes(scratch * kMiB);
  return host;
}

TEST(Resolve, SaysWhatDoesNotFit) {
  tests::expect_messages("core/scenario_resolve.yaml", "two nodes on a host",
                         [](const std::vector<std::string>& row) {
                           return error_of(two_nodes(row.at(0), row.at(1)), host_of(row.at(2)));
                         });
  tests::expect_messages_of("core/scenario_resolve.yaml", "shuffling on a host",
                            [](const std::string& emulation, const std::string& host) {
                              return error_of(shuffling(emulation), host_of(host));
                            });
  tests::expect_messages_of("core/scenario_resolve.yaml", "two nodes",
                            [](const std::string& emulation, const std::string& node) {
                              return said_of(two_nodes(emulation, node));
                            });
  tests::expect_messages_of(
      "core/scenario_resolve.yaml", "shuffling",
      [](const std::string& emulation) { return said_of(shuffling(emulation)); });
}

TEST(Resolve, DataIsAsLargeAsMemoryWhereItFits) {
  const CheckedScenario checked = resolved(shuffling("memory_scale: 1/64"));
  EXPECT_EQ(checked.scenario.emulation.data_scale, std::nullopt);
  EXPECT_THAT(checked.warnings, IsEmpty());
}

TEST(Resolve, AutomaticDataFitsTheScratchSpace) {
  const HostResources room = {{2}, kRoom.memory, real::Bytes(120 * kMiB)};
  const CheckedScenario checked = resolved(shuffling("memory_scale: 1/64"), room);
  EXPECT_EQ(checked.scenario.emulation.data_scale, 0.00976);  // 120 of 12288 MiB
  EXPECT_THAT(checked.warnings, IsEmpty());
  EXPECT_EQ(resolved(checked.scenario, room).scenario, checked.scenario);
}

TEST(Resolve, AutomaticDataLeavesTheControlPlaneItsCpu) {
  // Two disks of 200 MB/s, ten times as fast in real time, against 0.4 CPUs of 400 MB/s each.
  const CheckedScenario checked = resolved(shuffling("time_scale: 0.1, memory_scale: 1/8"));
  EXPECT_EQ(checked.scenario.emulation.data_scale, 0.04);
  EXPECT_THAT(checked.warnings, IsEmpty());
}

TEST(Resolve, JobsThatTogetherHandOverMoreThanIsFreeAreWarnedOf) {
  Scenario scenario = shuffling("memory_scale: 1/64");
  scenario.jobs.push_back(scenario.jobs[0]);
  EXPECT_THAT(
      resolved(scenario, {{2}, kRoom.memory, real::Bytes(200 * kMiB)}).warnings,
      ElementsAre(
          "emulation.data_scale: the tasks of all jobs hand over 384 MiB real at 1/64, kept until "
          "each job has ended, but only 200 MiB are free in the scratch directory"));
}

TEST(ResolveSimulated, AutoIsOneAndNothingNeedFit) {
  Scenario scenario = resolve_simulated(two_nodes("time_scale: auto, memory_scale: 1/1000"));
  EXPECT_EQ(scenario.emulation.time_scale, 1.0);
  EXPECT_EQ(scenario.emulation.core_fraction, 1.0);
  EXPECT_EQ(scenario.emulation.memory_scale, 0.001);
}

TEST(Resolve, TheApplicationMasterIsAContainerToo) {
  ScenarioText text;
  text.head += "emulation: {memory_scale: 1/300}\n";
  text.jobs =
      "jobs:\n- name: wc\n  application_master: {cores: 1, memory: 1GiB}\n  phases:\n"
      "  - {name: map, tasks: 3, request: {cores: 1, memory: 2GiB}, cpu: 1s}\n";
  Scenario scenario = scenario_of(text.text());
  EXPECT_EQ(ContainerBounds(scenario).containers(scenario.cluster.nodes[0]), 4);
  EXPECT_THAT(
      resolved(scenario).warnings,
      ElementsAre(
          "emulation.memory_scale: the application master of job \"wc\" requests 1GiB, which is "
          "3.413 MiB real at 1/300; below 4 MiB, the process's own memory distorts its usage"));
  scenario.jobs[0].phases[1].tasks = 2;
  EXPECT_EQ(ContainerBounds(scenario).containers(scenario.cluster.nodes[0]), 3);
}

TEST(ContainerBounds, BySmallestRequestsAndTasks) {
  Scenario scenario = scenario_of(
      text_with_jobs("jobs:\n- name: a\n  phases:\n"
                     "  - {name: x, tasks: 50, request: {cores: 1, memory: 4GiB}, cpu: 1s}\n"
                     "  - {name: y, tasks: 5, request: {cores: 2, memory: 1GiB}, cpu: 1s}\n"));
  EXPECT_EQ(ContainerBounds(scenario).containers(scenario.cluster.nodes[0]), 4);  // 4 cores of 1
  scenario.jobs[0].phases[0].request.cores = Millicores(100);
  EXPECT_EQ(ContainerBounds(scenario).containers(scenario.cluster.nodes[0]), 8);  // 8 GiB of 1
  scenario.policy.options = {{"locality", "shrink"}};  // 16 of half the memory
  EXPECT_EQ(ContainerBounds(scenario).containers(scenario.cluster.nodes[0]), 16);
  scenario.jobs[0].phases[1].kind = PhaseKind::kReduce;
  EXPECT_EQ(ContainerBounds(scenario).containers(scenario.cluster.nodes[0]), 8);
  scenario.policy.options.clear();
  scenario.jobs[0].phases[0].tasks = 1;
  scenario.jobs[0].phases[1].tasks = 1;
  EXPECT_EQ(ContainerBounds(scenario).containers(scenario.cluster.nodes[0]), 2);
  scenario.jobs.clear();
  EXPECT_EQ(ContainerBounds(scenario).containers(scenario.cluster.nodes[0]), 0);
}

/// Two nodes of 4 cores, 16 tasks of 20 s (2 s real) and this memory, 1 GiB of which is 32 MiB
/// real.
std::vector<std::string> warnings_of_filling(const std::string& memory, double fill_rate) {
  ScenarioText text;
  text.head += "emulation: {time_scale: 0.1, core_fraction: 0.1, memory_scale: 1/32}\n";
  text.cluster = "cluster: {nodes: [{name: n, count: 2, cores: 4, memory: 8GiB}]}\n";
  text.jobs =
      "jobs: [{name: a, phases: [{name: map, tasks: 16, cpu: 20s, request: {cores: 1, memory: "
      "2GiB}, memory: " +
      memory + "}]}]\n";
  HostResources room = kRoom;
  room.fill_rate = fill_rate;
  return resolved(scenario_of(text.text()), room).warnings;
}

TEST(Resolve, WarnsOfMemoryThatIsFilledLate) {
  // 4 tasks start on each node, with 64 MiB each. At 512 MiB/s, a node takes 0.5 s. Both nodes
  // together have 2 - 0.8 = 1.2 CPUs for it, so 8 tasks take 1 s / 1.2 = 0.833 s, 42 % of 2 s.
  EXPECT_THAT(warnings_of_filling("2GiB", 512.0 * kMiB),
              ElementsAre("emulation.memory_scale: if 8 tasks of job \"a\", phase \"map\" start "
                          "together, the last one has its memory after 833 ms real, which is 42 % "
                          "of its time; expected a smaller memory_scale or a larger time_scale"));
  // At ten times the rate, the last one has its memory after 83 ms, 4 % of its time.
  EXPECT_THAT(warnings_of_filling("2GiB", 5120.0 * kMiB), IsEmpty());
  EXPECT_THAT(warnings_of_filling("2GiB", 0), IsEmpty()) << "nobody measured the rate";
}

TEST(Resolve, OnlyAStepOfMemoryIsFilledLate) {
  EXPECT_THAT(warnings_of_filling("[[0, 100MiB], [1, 2GiB]]", 512.0 * kMiB), IsEmpty());
  EXPECT_THAT(warnings_of_filling("[[0, 100MiB], [0.5, 100MiB], [0.51, 2GiB]]", 512.0 * kMiB),
              ElementsAre(HasSubstr("if 8 tasks of job")));
}

}  // namespace heddle::scenario_resolve_test
