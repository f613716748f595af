#include "core/engine.h"

#include <random>

#include "core/scenario/draw.h"
#include "tests/core/stepped_engine.h"
#include "tests/core/virtual_cluster.h"
#include "tests/support/events.h"
#include "tests/support/matchers.h"

namespace heddle::engine_test {

constexpr JobId kJob{0};
constexpr NodeId kN1{0}, kN2{1};

/// A policy that makes the given actions, however wrong.
class Scripted : public Policy {
 public:
  explicit Scripted(std::vector<Action> actions) : actions_(std::move(actions)) {}
  Decision decide(const View&, std::span<const Event> events) override {
    for (const Event& event : events)
      if (const auto* refused = std::get_if<ActionRefused>(&event.what))
        told.push_back(refused->action + ": " + refused->reason);
    return {std::exchange(actions_, {}), false, {}};
  }
  static inline std::vector<std::string> told;

 private:
  std::vector<Action> actions_;
};

/// Launches what is requested, and records the container changes that it sees.
class Watching : public Policy {
 public:
  Decision decide(const View& view, std::span<const Event>) override {
    Decision decision;
    for (const ContainerChange& change : view.container_changes)
      seen.push_back((change.ended ? "end " : "start ") +
                     std::to_string(change.container.id.value) + " at " +
                     std::to_string(change.at.count()));
    for (const auto& [phase, request] : view.cluster.requests())
      decision.actions.push_back({Launch{phase, NodeId{0}, {}, {}, -1, 0, {}}, ""});
    decision.notes = {{"seen", {{"changes", std::ssize(seen)}}}};
    return decision;
  }
  static inline std::vector<std::string> seen;
};

// The policy also sees a container that started and ended in the same step, and was never in a
// state that it saw.
TEST(Engine, TellsThePolicyWhichContainersStartedAndEnded) {
  Scenario scenario = cluster_of(1, 2, 2, {job_of("j", 0, 2, 1, 1, 10)});
  Watching::seen.clear();
  Engine engine(scenario, std::make_unique<Watching>(), [](TaskId) { return TaskWork{}; });
  engine.step(EmuTime(0),
              std::vector{event_at(0, NodeRegistered{kN1}), event_at(0, JobSubmitted{kJob})});
  engine.step(EmuTime(1), {});  // the second launch
  Step step =
      engine.step(EmuTime(9), std::vector<Event>{{EmuTime(5), started(0)},
                                                 {EmuTime(7), ended(0)},
                                                 {EmuTime(8), ended(0)},
                                                 {EmuTime(9), NodeLost{NodeId{0}, "gone"}}});
  EXPECT_THAT(Watching::seen, ElementsAre("start 0 at 5", "end 0 at 7", "end 1 at 9"));
  ASSERT_EQ(step.notes.size(), 1U);
  EXPECT_EQ(step.notes[0].about, "seen");
  EXPECT_THAT(engine.step(EmuTime(10), {}).actions, IsEmpty());
  EXPECT_EQ(Watching::seen.size(), 3U);
}

TEST(Engine, RefusesWhatCannotBeAndTellsThePolicy) {
  Scenario scenario = cluster_of(1, 2, 2, {job_of("j", 0, 3, 2, 2, 10)});
  PhaseId phase{kJob, 0};
  Scripted::told.clear();
  SteppedEngine engine(scenario,
                       std::make_unique<Scripted>(std::vector<Action>{
                           {Launch{phase, kN1, {}, {}, -1, 0, {}}, ""},
                           {Launch{phase, kN1, {}, {}, -1, 0, {}}, ""},        // node is full now
                           {Launch{phase, NodeId{7}, {}, {}, -1, 0, {}}, ""},  // no such node
                           {Launch{{kJob, 5}, kN1, {}, {}, -1, 0, {}}, ""},    // no such request
                           {Reserve{phase, kN1}, ""},
                           {Reserve{phase, kN1}, ""},
                           {Unreserve{{kJob, 1}, kN1}, ""},
                           {Kill{ContainerId{99}}, ""},
                           {Suspend{ContainerId{0}}, ""},  // not started yet
                           {Resume{ContainerId{0}}, ""},
                           {WakeAt{EmuTime(0)}, ""}}));
  EXPECT_EQ(engine.begin().actions.size(), 2U);  // the first launch and the first reservation
  engine.step(1);
  EXPECT_THAT(
      Scripted::told,
      ElementsAre("launch: j.map: does not fit node n1", "launch: j.map: unknown node",
                  "launch: the phase asks for nothing now",
                  "reserve: j.map: node n1 is reserved already", "unreserve: no such reservation",
                  "kill: container 99: unknown container", "suspend: container 0: not running",
                  "resume: container 0: not suspended", "wake_at: not in the future"));
}

TEST(Engine, RefusesWhatIsReservedOrKilledAlready) {
  Scenario scenario =
      cluster_of(2, 2, 2, {job_of("j", 0, 1, 2, 2, 10), job_of("k", 0, 1, 2, 2, 10)});
  const PhaseId j{kJob, 0}, k{JobId{1}, 0};
  Scripted::told.clear();
  SteppedEngine engine(scenario, std::make_unique<Scripted>(std::vector<Action>{
                                     {Reserve{j, kN1}, ""},
                                     {Reserve{j, kN2}, ""},  // for the only task of the job
                                     {Launch{.phase = k, .node = kN1}, ""},
                                     {Launch{.phase = k, .node = kN2}, ""},
                                     {Kill{ContainerId{0}}, ""},
                                     {Kill{ContainerId{0}}, ""}}));
  engine.begin();
  engine.step(1);
  EXPECT_THAT(Scripted::told, ElementsAre("reserve: j.map: more reservations than requests",
                                          "launch: k.map: node n1 is reserved for another request",
                                          "kill: container 0: being killed already"));
}

// Each container needs a licence, and the cluster has two. The nodes would have room for all three.
TEST(Engine, RefusesAGangForWhichTheClusterHasTooLittle) {
  Scenario scenario = cluster_of(2, 2, 2, {job_of("j", 0, 3, 1, 1, 10)});
  scenario.cluster.resources = {{"licence", false, CountScope::kCluster, Thousandths(2000)}};
  for (NodeSpec& node : scenario.cluster.nodes)
    node.allowance = on_node(node.allowance, scenario.cluster.resources);
  PhaseSpec& phase = scenario.jobs[0].phases[0];
  phase.gang = true;
  phase.request.counts.set(0, Thousandths(1000));
  Scripted::told.clear();
  std::vector<Action> actions;
  for (const NodeId node : {kN1, kN1, kN2})
    actions.push_back({Launch{.phase = {kJob, 0}, .node = node}, ""});
  SteppedEngine engine(scenario, std::make_unique<Scripted>(actions));
  EXPECT_EQ(engine.begin().actions.size(), 0U);
  engine.step(1);
  EXPECT_THAT(Scripted::told,
              AllOf(SizeIs(3), Each("launch: j.map: all 3 containers of a gang start together, and "
                                    "the cluster as a whole has too little left")));
}

// Two of three containers fit. The policy launches two in the first step, and three in the second.
TEST(Engine, RefusesPartsOfAGang) {
  Scenario scenario = cluster_of(2, 1, 1, {job_of("j", 0, 3, 1, 1, 10)});
  scenario.jobs[0].phases[0].gang = true;
  for (const auto& [nodes, told] : std::vector<std::pair<std::vector<NodeId>, std::string>>{
           {{kN1, kN2},
            "launch: j.map: all 3 containers of a gang start together, but only 2 are "
            "launched"},
           {{kN1, kN2, kN2},
            "launch: j.map: all 3 containers of a gang start together, and they do "
            "not fit node n2"}}) {
    Scripted::told.clear();
    std::vector<Action> actions;
    for (const NodeId node : nodes)
      actions.push_back({Launch{.phase = {kJob, 0}, .node = node}, ""});
    SteppedEngine engine(scenario, std::make_unique<Scripted>(actions));
    EXPECT_EQ(engine.begin().actions.size(), 0U);
    engine.step(1);
    EXPECT_THAT(Scripted::told, Each(told));
    EXPECT_EQ(Scripted::told.size(), nodes.size());
  }
}

// On every random feasible scenario, every job ends, no action is refused, nothing is
// over-allocated (VirtualCluster checks at each step), and the same scenario gives the same
// actions.
TEST(Engine, PropertiesHoldOnRandomScenarios) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    auto pick = [&](int least, int most) {
      return least + static_cast<int>(random() % (most - least + 1));
    };
    Scenario scenario = cluster_of(pick(1, 5), pick(2, 8), pick(2, 8));
    int cores = static_cast<int>(scenario.cluster.nodes[0].capacity.cores.count() / 1000);
    int gib = static_cast<int>(scenario.cluster.nodes[0].capacity.memory.count() >> 30);
    if (pick(0, 1)) scenario.cluster.dispatch = Dispatch::kHeartbeat;
    if (pick(0, 1)) set_policy(scenario, "node_order", "most-free");
    if (pick(0, 1)) set_policy(scenario, "reserve", "false");
    if (pick(0, 1)) set_policy(scenario, "strict_order", "true");
    int jobs = pick(1, 12);
    for (int i = 0; i < jobs; ++i) {
      JobSpec job = job_of("j" + std::to_string(i), pick(0, 20), pick(1, 8), pick(1, cores),
                           pick(1, gib), pick(1, 9));
      job.priority = pick(0, 2);
      if (pick(0, 3) == 0) {
        job.phases[0].gang = true;
        job.phases[0].tasks = 1;
      }
      if (pick(0, 1)) {
        job.phases.push_back(job.phases[0]);
        job.phases[1].name = "reduce";
        job.phases[1].after = {0};
      }
      scenario.jobs.push_back(job);
    }
    VirtualCluster one(scenario), two(scenario);
    for (VirtualCluster* cluster : {&one, &two})
      if (seed % 3 == 0) cluster->make_fail({{JobId{0}, 0}, 0}, 2, Outcome::kFailed);
    ASSERT_TRUE(one.run()) << "seed " << seed;
    ASSERT_TRUE(two.run()) << "seed " << seed;
    EXPECT_EQ(one.refused(), 0) << "seed " << seed;
    EXPECT_EQ(one.log(), two.log()) << "seed " << seed;
  }
}

/// Launches a task of such a phase with this size, on a node that has room for it, and returns the
/// step. `scale` is the scenario's memory_scale.
Step launched_as(const PhaseSpec& phase, const Resources& size, double scale = 1) {
  Scenario scenario = cluster_of(1, 8, 8);
  scenario.emulation.memory_scale = scale;
  scenario.jobs = {job_of("j", {phase})};
  const Launch launch{{kJob, 0}, kN1, size, {}, -1, 0, {}};
  return SteppedEngine(scenario, std::make_unique<Scripted>(std::vector<Action>{{launch, ""}}),
                       [&](TaskId task) { return draw_work(scenario, task); })
      .begin();
}

std::string refused_because(const Step& step) {
  return step.refused.empty() ? "" : std::get<ActionRefused>(step.refused[0].what).reason;
}

Resources cut_to(std::int64_t millicores, std::int64_t mebibytes) {
  return {Millicores(millicores), EmuBytes(mebibytes << 20)};
}

/// Returns a phase with 2 cores and 1 GiB, whose tasks use 10 s of CPU and 1000 MiB.
PhaseSpec large_map() {
  PhaseSpec map = phase_of("map", 1, cut_to(2000, 1024));
  map.cpu.mean = 10e6;
  map.memory = {{0, {Drawn::Dist::kConstant, 1000.0 * (1 << 20), 0}}};
  map.spill_penalty = 0.8;
  return map;
}

TEST(Engine, FitsTheWorkToASmallerContainer) {
  const Step step = launched_as(large_map(), cut_to(1500, 750));
  ASSERT_EQ(refused_because(step), "");
  const auto& launch = std::get<Launch>(step.actions.at(0).what);
  EXPECT_EQ(launch.resources, cut_to(1500, 750));
  EXPECT_EQ(launch.work.cpu, core_seconds(12));
  EXPECT_EQ(launch.work.memory, (std::vector<MemoryPoint>{{0, EmuBytes(750 << 20)}}));
  EXPECT_EQ(launch.work.threads, 2);
  EXPECT_EQ(ideal_time(launch.work, launch.resources.cores, 1, false), emu_seconds(8));
}

TEST(Engine, MakesNoContainerTooSmallToRunIn) {
  EXPECT_EQ(refused_because(launched_as(large_map(), cut_to(1000, 512))), "");
  EXPECT_EQ(refused_because(launched_as(large_map(), cut_to(999, 1024))),
            "j.map: too much smaller than requested");
  EXPECT_EQ(refused_because(launched_as(large_map(), cut_to(2000, 511))),
            "j.map: too much smaller than requested");
  EXPECT_EQ(refused_because(launched_as(large_map(), cut_to(2000, 1025))),
            "j.map: larger than requested");
  // At this scale, 640 MiB are the 2 MiB that a task needs.
  EXPECT_EQ(refused_because(launched_as(large_map(), cut_to(2000, 640), 1.0 / 320)), "");
  EXPECT_EQ(refused_because(launched_as(large_map(), cut_to(2000, 639), 1.0 / 320)),
            "j.map: too much smaller than requested");
  PhaseSpec command = large_map();
  command.kind = PhaseKind::kCommand;
  EXPECT_EQ(refused_because(launched_as(command, cut_to(2000, 1000))),
            "j.map: only maps and reduces can have less than requested");
}

// While its lost node is expected back, a job waits for it. It fails once the node has not come.
TEST(Engine, JobWaitsForANodeUntilItIsNoLongerExpected) {
  Scenario scenario = cluster_of(2, 1, 1);
  scenario.cluster.nodes[0].allowance.cores = Millicores(4000);
  scenario.jobs = {job_of("wide", 0, 1, 4, 1, 10)};
  SteppedEngine engine(scenario);
  engine.begin();
  EXPECT_EQ(engine.step(5, {NodeLost{kN1, "gone", true}}).finished.size(), 0U);
  const Step step = engine.step(20, {NodeLost{kN1, "did not come back"}});
  ASSERT_EQ(step.finished.size(), 1U);
  EXPECT_EQ(step.finished[0].reason, "no node is left that could hold a task of phase map");
}

// n1 is lost for good while n2 is drained, so no node takes tasks. No job fails until n2 is
// restored, which can hold neither job.
TEST(Engine, NoJobFailsWhileNoNodeTakesTasks) {
  Scenario scenario = cluster_of(2, 1, 1);
  scenario.cluster.nodes[0].allowance.cores = Millicores(4000);
  scenario.jobs = {job_of("wide", 0, 1, 4, 1, 10), job_of("later", 30, 1, 4, 1, 10)};
  SteppedEngine engine(scenario);
  engine.begin();
  EXPECT_EQ(engine.step(5, {NodeDrained{kN2, "full"}}).finished.size(), 0U);
  EXPECT_EQ(engine.step(10, {NodeLost{kN1, "gone"}}).finished.size(), 0U);
  EXPECT_EQ(engine.step(30, {JobSubmitted{JobId{1}}}).finished.size(), 0U);
  EXPECT_EQ(engine.step(40, {NodeRestored{kN2}}).finished.size(), 2U);
}

// The gang needs both nodes. They are given up one after the other while no node is left.
TEST(Engine, NoJobFailsWhileNodesAreGivenUpOneByOne) {
  Scenario scenario = cluster_of(2, 1, 1);
  scenario.jobs = {job_of("wide", 0, 2, 1, 1, 10)};
  scenario.jobs[0].phases[0].gang = true;
  SteppedEngine engine(scenario);
  engine.begin();
  EXPECT_EQ(engine.step(5, {NodeLost{kN1, "silent", true}}).finished.size(), 0U);
  EXPECT_EQ(engine.step(6, {NodeLost{kN2, "silent", true}}).finished.size(), 0U);
  EXPECT_EQ(engine.step(65, {NodeLost{kN1, "did not come back"}}).finished.size(), 0U);
  EXPECT_EQ(engine.step(66, {NodeLost{kN2, "did not come back"}}).finished.size(), 0U);
  EXPECT_EQ(engine.step(70, {NodeRegistered{kN2}}).finished.size(), 1U);
}

}  // namespace heddle::engine_test
