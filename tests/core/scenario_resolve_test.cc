#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/resolve.h"
#include "tests/support/scenario_texts.h"

namespace heddle::scenario_resolve_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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
  EXPECT_EQ(
      error(""),
      "emulation.core_fraction and emulation.memory_scale: auto is not possible with workers on "
      "several hosts, because their resources are not known beforehand; expected a number, in the "
      "scenario or with --set emulation.core_fraction=0.1 --set emulation.memory_scale=1/64");
  EXPECT_THAT(error("core_fraction: 0.1"), HasSubstr("emulation.memory_scale: auto"));
  // The values exceed any machine here, but those of other machines are unknown.
  EXPECT_EQ(error("core_fraction: 1, memory_scale: 1"), "none");
  EXPECT_THAT(error("core_fraction: 0.1, memory_scale: 1/1000"), HasSubstr("a task needs 2 MiB"));
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

TEST(Resolve, TooMuchCpuIsRefusedWithAProposal) {
  EXPECT_EQ(
      error_of(two_nodes("core_fraction: 0.5, memory_scale: 1/64")),
      "emulation.core_fraction: 2 nodes with 8 cores (times speed) in all need 4 CPUs at 0.5, "
      "but 1.6 may be used (2 less 20 % for the control plane); expected at most 0.2, or "
      "auto");
}

TEST(Resolve, MoreThanOneCpuACoreIsRefused) {
  EXPECT_EQ(error_of(two_nodes("core_fraction: 0.6, memory_scale: 1/64", ", speed: 2"),
                     {{64}, real::Bytes(8 * kGiB)}),
            "emulation.core_fraction: a core of the fastest node would need 1.2 CPUs, but one "
            "thread can use at most 1; expected at most 0.5, or auto");
}

TEST(Resolve, TooMuchMemoryIsRefusedWithAProposal) {
  EXPECT_EQ(
      error_of(two_nodes("memory_scale: 1/2")),
      "emulation.memory_scale: 2 nodes with 16GiB in all need 8.006 GiB real at 0.5 (6 MiB of "
      "it overhead of containers), but 7.5 GiB may be used (8 GiB less 512 MiB for the control "
      "plane); expected at most 0.468, or auto");
}

/// Returns a scenario with a job of three maps on the cluster of two_nodes(). Each map passes on 4
/// GiB.
Scenario shuffling(const std::string& emulation) {
  ScenarioText text;
  text.head += "emulation: {" + emulation + "}\n";
  text.jobs = one_phase("name: map, tasks: 3, request: {cores: 1, memory: 1GiB}, shuffle: 4GiB");
  return scenario_of(text.text());
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

TEST(Resolve, GivenDataThatTakesMuchCpuIsWarnedOf) {
  EXPECT_THAT(resolved(shuffling("time_scale: 0.1, memory_scale: 1/8, data_scale: 1/16")).warnings,
              ElementsAre("emulation.data_scale: at 1/16, moving data with all disks busy takes "
                          "more CPU than is reserved for the control plane, so task times may be "
                          "distorted; expected at most 0.04, or a larger time_scale"));
}

TEST(Resolve, DataThatCannotBeKeptIsRefused) {
  const HostResources room = {{2}, kRoom.memory, real::Bytes(120 * kMiB)};
  EXPECT_EQ(
      error_of(shuffling("memory_scale: 1/64, data_scale: 1/64"), room),
      "emulation.data_scale: the tasks of job \"wc\" hand over 12 GiB, which is 192 MiB real at "
      "1/64, but 120 MiB are free in the scratch directory; expected at most 0.00976, or auto");
  EXPECT_EQ(error_of(shuffling("memory_scale: 1/64"), {{2}, kRoom.memory, real::Bytes(0)}),
            "emulation.data_scale: the tasks of job \"wc\" hand over 12 GiB, which is 192 MiB real "
            "at 1/64, but 0 MiB are free in the scratch directory; expected smaller jobs");
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

TEST(Resolve, BothRefusalsAreTold) {
  std::string errors = error_of(two_nodes("core_fraction: 0.5, memory_scale: 1/2"));
  EXPECT_THAT(errors, HasSubstr("emulation.core_fraction: "));
  EXPECT_THAT(errors, HasSubstr("\nemulation.memory_scale: "));
}

TEST(Resolve, AClusterThatFitsAtNoScale) {
  EXPECT_THAT(error_of(two_nodes(), {{0.005}, kRoom.memory}),
              HasSubstr("need 0.008 CPUs at 0.001, but 0.004 may be used (0.005 less 20 % for the "
                        "control plane); expected a smaller cluster"));
  EXPECT_THAT(error_of(two_nodes(), {{2}, real::Bytes(512 * kMiB)}),
              HasSubstr("but 0 MiB may be used (512 MiB less 512 MiB for the control plane); "
                        "expected a smaller cluster or fewer, larger tasks"));
}

TEST(Resolve, TasksTooSmallAreRefused) {
  EXPECT_EQ(error_of(two_nodes("memory_scale: 1/1000")),
            "emulation.memory_scale: a task of job \"wc\", phase \"map\" requests 1GiB, which is "
            "1.024 MiB real at 0.001, but a task needs 2 MiB; expected at least 0.00196");
  EXPECT_EQ(
      error_of(two_nodes(), {{2}, real::Bytes(540 * kMiB)}),
      "emulation.memory_scale: a task of job \"wc\", phase \"map\" requests 1GiB, which is "
      "1.372 MiB real at 0.00134, the largest that fits (28 MiB may be used), but a task needs "
      "2 MiB; expected a smaller cluster or larger requests");
}

TEST(Resolve, SmallTasksAreWarnedOf) {
  EXPECT_THAT(
      resolved(two_nodes("memory_scale: 1/300")).warnings,
      ElementsAre(
          "emulation.memory_scale: a task of job \"wc\", phase \"map\" requests 1GiB, which is "
          "3.413 MiB real at 1/300; below 4 MiB, the process's own memory distorts its usage"));
  EXPECT_THAT(resolved(two_nodes("memory_scale: 1/256")).warnings, IsEmpty());
}

TEST(Resolve, SlowCoresAreWarnedOf) {
  EXPECT_THAT(
      resolved(two_nodes("core_fraction: 0.04", ", speed: 0.5")).warnings,
      ElementsAre("emulation.core_fraction: an emulated core is 0.02 CPU; below 0.025, task times "
                  "may be off by more than about 1 %; expected a core_fraction of at least 0.05"));
  EXPECT_THAT(resolved(two_nodes("core_fraction: 0.05", ", speed: 0.5")).warnings, IsEmpty());
  EXPECT_THAT(resolved(two_nodes("core_fraction: 0.025")).warnings, IsEmpty());
}

TEST(Resolve, ShortHeartbeatsAreWarnedOf) {
  EXPECT_THAT(resolved(two_nodes("time_scale: 0.02")).warnings,
              ElementsAre("emulation.time_scale: a heartbeat of 1s takes 20 ms real; below 50 ms, "
                          "Heddle's own overhead distorts the results"));
  EXPECT_THAT(resolved(two_nodes("time_scale: 0.05")).warnings, IsEmpty());
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
  ScenarioText text;
  text.jobs =
      "jobs:\n- name: a\n  phases:\n"
      "  - {name: x, tasks: 50, request: {cores: 1, memory: 4GiB}, cpu: 1s}\n"
      "  - {name: y, tasks: 5, request: {cores: 2, memory: 1GiB}, cpu: 1s}\n";
  Scenario scenario = scenario_of(text.text());
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
