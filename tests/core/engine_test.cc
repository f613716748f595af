#include "core/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/policy/registry.h"
#include "core/scenario/draw.h"
#include "tests/core/virtual_cluster.h"

namespace heddle::engine_test {

using ::testing::ElementsAre;

void set(Scenario& scenario, const char* option, const char* value) {
  scenario.policy.options.emplace_back(option, value);
}

// DRESS, Figure 1: (demand, length) = (3,10), (4,20), (3,10), (1,5) on 6 containers, and one job
// per second. Under strict gang fifo, job 2 waits for job 1 (until 10), and jobs 3 and 4 wait for
// job 2 (until 30).
TEST(Engine, DressFigure1UnderStrictGangFifo) {
  Scenario scenario = cluster_of(1, 6, 6);
  scenario.jobs = {job_of("j1", 0, 3, 1, 1, 10), job_of("j2", 1, 4, 1, 1, 20),
                   job_of("j3", 2, 3, 1, 1, 10), job_of("j4", 3, 1, 1, 1, 5)};
  for (JobSpec& job : scenario.jobs) job.phases[0].gang = true;
  set(scenario, "strict_order", "true");
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.wait_s("j1"), 0);
  EXPECT_EQ(cluster.wait_s("j2"), 9);
  EXPECT_EQ(cluster.wait_s("j3"), 28);
  EXPECT_EQ(cluster.wait_s("j4"), 27);
  EXPECT_EQ(cluster.makespan_s(), 40);
}

// The order is not strict. Job 3 (3 containers) fits at once, and job 2 (4) has to wait for it.
TEST(Engine, FifoPassesOverWhatDoesNotFit) {
  Scenario scenario = cluster_of(1, 6, 6);
  scenario.jobs = {job_of("j1", 0, 3, 1, 1, 10), job_of("j2", 1, 4, 1, 1, 20),
                   job_of("j3", 2, 3, 1, 1, 10), job_of("j4", 3, 1, 1, 1, 5)};
  for (JobSpec& job : scenario.jobs) job.phases[0].gang = true;
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.wait_s("j3"), 0);   // 3 of 6 were free at 2 s
  EXPECT_EQ(cluster.wait_s("j4"), 7);   // none is free at 3 s; j1 ends at 10
  EXPECT_EQ(cluster.wait_s("j2"), 11);  // 6 - 3 (j3) - 1 (j4) < 4 at 10; j3 ends at 12
}

TEST(Engine, PriorityComesBeforeSubmitTime) {
  Scenario scenario = cluster_of(1, 1, 1);
  scenario.jobs = {job_of("a", 0, 2, 1, 1, 10), job_of("b", 1, 1, 1, 1, 10)};
  scenario.jobs[1].priority = 1;
  set(scenario, "reserve", "false");  // otherwise a holds n1 when b comes
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(), ElementsAre("0.0 launch a.map.0 on n1", "10.0 launch b.map.0 on n1",
                                         "20.0 launch a.map.1 on n1"));
}

// A job of 4 cores competes with a stream of 1-core tasks that would always keep some core busy.
TEST(Engine, ReservationIsNotStarvedByAStreamOfSmallTasks) {
  Scenario scenario = cluster_of(1, 4, 8);
  scenario.jobs.push_back(job_of("first", 0, 3, 1, 1, 3));
  scenario.jobs.push_back(job_of("big", 1, 1, 4, 1, 5));
  for (int i = 0; i < 20; ++i)
    scenario.jobs.push_back(job_of("small" + std::to_string(i), 2 + i, 1, 1, 1, 3));
  VirtualCluster reserving(scenario);
  ASSERT_TRUE(reserving.run());
  EXPECT_EQ(reserving.wait_s("big"), 2);  // when the tasks running at its arrival end
  EXPECT_THAT(std::vector(reserving.log().begin(), reserving.log().begin() + 5),
              ElementsAre("0.0 launch first.map.0 on n1", "0.0 launch first.map.1 on n1",
                          "0.0 launch first.map.2 on n1", "1.0 reserve n1 for big.map",
                          "3.0 launch big.map.0 on n1"));
  set(scenario, "reserve", "false");
  VirtualCluster starving(scenario);
  ASSERT_TRUE(starving.run());
  EXPECT_EQ(starving.wait_s("big"), 23);  // the last small one starts at 21 and ends at 24
}

TEST(Engine, PlacementElsewhereReleasesTheReservation) {
  Scenario scenario = cluster_of(2, 2, 8);
  scenario.cluster.dispatch = Dispatch::kHeartbeat;
  scenario.cluster.heartbeat = emu_seconds(1);
  // Node n1 is full until 10 s and n2 until 5 s. Job b has one task and reserves n1.
  scenario.jobs = {job_of("long", 0, 1, 2, 1, 10), job_of("short", 0, 1, 2, 1, 5),
                   job_of("b", 1, 1, 2, 1, 1)};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(),
              ElementsAre("0.0 launch long.map.0 on n1", "0.0 launch short.map.0 on n2",
                          "1.0 reserve n1 for b.map", "5.0 unreserve n1 from b.map",
                          "5.0 launch b.map.0 on n2"));
}

TEST(Engine, AfterMakesAPhaseWait) {
  Scenario scenario = cluster_of(1, 4, 4);
  JobSpec job = job_of("j", 0, 2, 1, 1, 10);
  PhaseSpec reduce = job.phases[0];
  reduce.name = "reduce";
  reduce.tasks = 1;
  reduce.after = {0};
  job.phases.push_back(reduce);
  scenario.jobs = {job};
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(), ElementsAre("0.0 launch j.map.0 on n1", "0.0 launch j.map.1 on n1",
                                         "10.0 launch j.reduce.0 on n1"));
}

TEST(Engine, FailedTaskIsTriedAgainUpToMaxAttempts) {
  Scenario scenario = cluster_of(1, 4, 4);
  scenario.jobs = {job_of("j", 0, 2, 1, 1, 10)};
  scenario.jobs[0].max_attempts = 3;
  TaskId task{{JobId{0}, 0}, 1};
  VirtualCluster enough(scenario);
  enough.make_fail(task, 2, Outcome::kOomKilled);
  ASSERT_TRUE(enough.run());
  EXPECT_EQ(enough.state().job(JobId{0}).state(), JobState::kCompleted);
  EXPECT_EQ(enough.finish_s("j"), 30);
  VirtualCluster too_often(scenario);
  too_often.make_fail(task, 3, Outcome::kFailed);
  ASSERT_TRUE(too_often.run());
  EXPECT_EQ(too_often.state().job(JobId{0}).state(), JobState::kFailed);
  EXPECT_EQ(too_often.state().job(JobId{0}).failure(),
            "task 1 of phase map failed 3 times, last: as told");
}

TEST(Engine, LostAndKilledAttemptsDoNotCount) {
  Scenario scenario = cluster_of(1, 1, 1);
  scenario.jobs = {job_of("j", 0, 1, 1, 1, 10)};
  scenario.jobs[0].max_attempts = 1;
  VirtualCluster cluster(scenario);
  cluster.make_fail({{JobId{0}, 0}, 0}, 5, Outcome::kLost);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.state().job(JobId{0}).state(), JobState::kCompleted);
}

TEST(Engine, ContainersOfAFailedJobAreKilled) {
  Scenario scenario = cluster_of(1, 4, 4);
  scenario.jobs = {job_of("j", 0, 3, 1, 1, 10)};
  scenario.jobs[0].max_attempts = 1;
  scenario.jobs[0].phases.push_back(scenario.jobs[0].phases[0]);
  scenario.jobs[0].phases[1].name = "long";
  scenario.jobs[0].phases[1].tasks = 1;
  scenario.jobs[0].phases[1].sleep.mean = 100e6;
  VirtualCluster cluster(scenario);
  cluster.make_fail({{JobId{0}, 0}, 0}, 1, Outcome::kFailed);
  ASSERT_TRUE(cluster.run());
  EXPECT_EQ(cluster.log().back(), "10.0 kill 3");
  EXPECT_TRUE(cluster.state().containers().empty());
}

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
  Scenario scenario = cluster_of(1, 2, 2);
  scenario.jobs = {job_of("j", 0, 2, 1, 1, 10)};
  Watching::seen.clear();
  Engine engine(scenario, std::make_unique<Watching>(), [](TaskId) { return TaskWork{}; });
  engine.step(EmuTime(0), std::vector<Event>{{EmuTime(0), NodeRegistered{NodeId{0}}},
                                             {EmuTime(0), JobSubmitted{JobId{0}}}});
  engine.step(EmuTime(1), {});  // the second launch
  const ContainerEnded end{ContainerId{0}, Outcome::kCompleted, OomCause::kNone, 0, "", {}};
  Step step =
      engine.step(EmuTime(9), std::vector<Event>{{EmuTime(5), ContainerStarted{ContainerId{0}}},
                                                 {EmuTime(7), end},
                                                 {EmuTime(8), end},
                                                 {EmuTime(9), NodeLost{NodeId{0}, "gone"}}});
  EXPECT_THAT(Watching::seen, ElementsAre("start 0 at 5", "end 0 at 7", "end 1 at 9"));
  ASSERT_EQ(step.notes.size(), 1U);
  EXPECT_EQ(step.notes[0].about, "seen");
  EXPECT_THAT(engine.step(EmuTime(10), {}).actions, testing::IsEmpty());
  EXPECT_EQ(Watching::seen.size(), 3U);
}

TEST(Engine, RefusesWhatCannotBeAndTellsThePolicy) {
  Scenario scenario = cluster_of(1, 2, 2);
  scenario.jobs = {job_of("j", 0, 3, 2, 2, 10)};
  PhaseId phase{JobId{0}, 0};
  NodeId n1{0};
  Scripted::told.clear();
  Engine engine(scenario,
                std::make_unique<Scripted>(std::vector<Action>{
                    {Launch{phase, n1, {}, {}, -1, 0, {}}, ""},
                    {Launch{phase, n1, {}, {}, -1, 0, {}}, ""},          // node is full now
                    {Launch{phase, NodeId{7}, {}, {}, -1, 0, {}}, ""},   // no such node
                    {Launch{{JobId{0}, 5}, n1, {}, {}, -1, 0, {}}, ""},  // no such request
                    {Reserve{phase, n1}, ""},
                    {Reserve{phase, n1}, ""},
                    {Unreserve{{JobId{0}, 1}, n1}, ""},
                    {Kill{ContainerId{99}}, ""},
                    {Suspend{ContainerId{0}}, ""},  // not started yet
                    {Resume{ContainerId{0}}, ""},
                    {WakeAt{EmuTime(0)}, ""}}),
                [](TaskId) { return TaskWork{}; });
  std::vector<Event> events = {{EmuTime(0), NodeRegistered{n1}},
                               {EmuTime(0), JobSubmitted{JobId{0}}}};
  Step step = engine.step(EmuTime(0), events);
  EXPECT_EQ(step.actions.size(), 2U);  // the first launch and the first reservation
  engine.step(EmuTime(1), {});
  EXPECT_THAT(
      Scripted::told,
      ElementsAre("launch: j.map: does not fit node n1", "launch: j.map: unknown node",
                  "launch: the phase asks for nothing now",
                  "reserve: j.map: node n1 is reserved already", "unreserve: no such reservation",
                  "kill: container 99: unknown container", "suspend: container 0: not running",
                  "resume: container 0: not suspended", "wake_at: not in the future"));
}

// Two of three containers fit. The policy launches two in the first step, and three in the second.
TEST(Engine, RefusesPartsOfAGang) {
  Scenario scenario = cluster_of(2, 1, 1);
  scenario.jobs = {job_of("j", 0, 3, 1, 1, 10)};
  scenario.jobs[0].phases[0].gang = true;
  const PhaseId phase{JobId{0}, 0};
  const NodeId n1{0}, n2{1};
  for (const auto& [nodes, told] : std::vector<std::pair<std::vector<NodeId>, std::string>>{
           {{n1, n2},
            "launch: j.map: all 3 containers of a gang start together, but only 2 are "
            "launched"},
           {{n1, n2, n2},
            "launch: j.map: all 3 containers of a gang start together, and they do "
            "not fit node n2"}}) {
    Scripted::told.clear();
    std::vector<Action> actions;
    for (const NodeId node : nodes) actions.push_back({Launch{.phase = phase, .node = node}, ""});
    Engine engine(scenario, std::make_unique<Scripted>(actions), [](TaskId) { return TaskWork{}; });
    std::vector<Event> events = {{EmuTime(0), NodeRegistered{n1}},
                                 {EmuTime(0), NodeRegistered{n2}},
                                 {EmuTime(0), JobSubmitted{JobId{0}}}};
    EXPECT_EQ(engine.step(EmuTime(0), events).actions.size(), 0U);
    engine.step(EmuTime(1), {});
    EXPECT_THAT(Scripted::told, testing::Each(told));
    EXPECT_EQ(Scripted::told.size(), nodes.size());
  }
}

Engine engine_with_fifo(const Scenario& scenario) {
  return Engine(scenario, make_policy(scenario), [](TaskId) { return TaskWork{}; });
}

TEST(Engine, TasksOfALostNodeRunElsewhere) {
  Scenario scenario = cluster_of(2, 1, 1);
  scenario.jobs = {job_of("j", 0, 2, 1, 1, 10)};
  Engine engine = engine_with_fifo(scenario);
  std::vector<Event> events = {{EmuTime(0), NodeRegistered{NodeId{0}}},
                               {EmuTime(0), NodeRegistered{NodeId{1}}},
                               {EmuTime(0), JobSubmitted{JobId{0}}}};
  engine.step(EmuTime(0), events);
  ASSERT_EQ(engine.state().containers().size(), 2U);
  events = {{EmuTime(5), NodeLost{NodeId{0}, "gone"}}};
  engine.step(EmuTime(5), events);
  EXPECT_EQ(engine.state().containers().size(), 1U);
  EXPECT_EQ(engine.state().requests().at({JobId{0}, 0}).pending, 1);
  events = {{EmuTime(9),
             ContainerEnded{ContainerId{1}, Outcome::kCompleted, OomCause::kNone, 0, "", {}}}};
  Step step = engine.step(EmuTime(9), events);
  const auto& launch = std::get<Launch>(step.actions.at(0).what);
  EXPECT_EQ(launch.node, NodeId{1});
  EXPECT_EQ(launch.task, 0);
  EXPECT_EQ(launch.attempt, 2);
}

TEST(Engine, JobThatFitsNoRemainingNodeFails) {
  Scenario scenario = cluster_of(2, 1, 1);
  scenario.cluster.nodes[0].allowance.cores = Millicores(4000);
  scenario.jobs = {job_of("wide", 0, 1, 4, 1, 10), job_of("slim", 0, 1, 1, 1, 10)};
  Engine engine = engine_with_fifo(scenario);
  std::vector<Event> events = {{EmuTime(0), NodeRegistered{NodeId{0}}},
                               {EmuTime(0), NodeRegistered{NodeId{1}}},
                               {EmuTime(0), JobSubmitted{JobId{0}}},
                               {EmuTime(0), JobSubmitted{JobId{1}}}};
  engine.step(EmuTime(0), events);
  events = {{EmuTime(5), NodeLost{NodeId{0}, "gone"}}};
  Step step = engine.step(EmuTime(5), events);
  ASSERT_EQ(step.finished.size(), 1U);
  EXPECT_EQ(step.finished[0].job, JobId{0});
  EXPECT_EQ(step.finished[0].reason, "no node is left that could hold a task of phase map");
}

// Jobs also fail for later requests, and later jobs fail too. The reduces of a, which would follow
// its running maps, fit on no remaining node, and neither does c. The gang of 3 in b needs three
// nodes, and two are left.
TEST(Engine, JobsThatWillFitNoRemainingNodeFail) {
  Scenario scenario = cluster_of(3, 2, 2);
  scenario.cluster.nodes[0].allowance.cores = Millicores(4000);
  scenario.jobs = {job_of("a", 0, 1, 1, 1, 10), job_of("b", 0, 3, 2, 2, 10),
                   job_of("c", 7, 1, 4, 1, 10), job_of("d", 7, 1, 1, 1, 10)};
  add_reduces(scenario.jobs[0], 1, 4, 1, 10);
  scenario.jobs[1].phases[0].gang = true;
  Engine engine = engine_with_fifo(scenario);
  std::vector<Event> events;
  for (int i = 0; i < 3; ++i) events.push_back({EmuTime(0), NodeRegistered{NodeId{i}}});
  for (int i = 0; i < 2; ++i) events.push_back({EmuTime(0), JobSubmitted{JobId{i}}});
  engine.step(EmuTime(0), events);
  events = {{EmuTime(5), NodeLost{NodeId{0}, "gone"}}};
  Step step = engine.step(EmuTime(5), events);
  ASSERT_EQ(step.finished.size(), 2U);
  EXPECT_EQ(step.finished[0].reason, "no node is left that could hold a task of phase reduce");
  EXPECT_EQ(step.finished[1].reason,
            "the nodes that are left could not hold all tasks of phase map at once");
  events = {{EmuTime(7), JobSubmitted{JobId{2}}}, {EmuTime(7), JobSubmitted{JobId{3}}}};
  step = engine.step(EmuTime(7), events);
  ASSERT_EQ(step.finished.size(), 1U);
  EXPECT_EQ(step.finished[0].job, JobId{2});
}

// Cores of a suspended container count as free, memory does not. After the resume, a node may be
// over-committed.
TEST(Engine, SuspendedCoresAreFreeMemoryIsHeld) {
  Scenario scenario = cluster_of(1, 2, 4);
  scenario.jobs = {job_of("a", 0, 1, 2, 1, 10), job_of("b", 1, 1, 2, 1, 10)};
  Engine engine = engine_with_fifo(scenario);
  std::vector<Event> events = {{EmuTime(0), NodeRegistered{NodeId{0}}},
                               {EmuTime(0), JobSubmitted{JobId{0}}}};
  engine.step(EmuTime(0), events);
  events = {{EmuTime(1), ContainerStarted{ContainerId{0}}}, {EmuTime(1), JobSubmitted{JobId{1}}}};
  EXPECT_EQ(std::holds_alternative<Reserve>(engine.step(EmuTime(1), events).actions.at(0).what),
            true);
  events = {{EmuTime(2), ContainerSuspended{ContainerId{0}}}};
  Step step = engine.step(EmuTime(2), events);
  EXPECT_TRUE(std::holds_alternative<Launch>(step.actions.at(0).what));
  EXPECT_EQ(engine.state().free(NodeId{0}), (Resources{Millicores(0), EmuBytes(2LL << 30)}));
  events = {{EmuTime(3), ContainerResumed{ContainerId{0}}}};
  engine.step(EmuTime(3), events);
  EXPECT_EQ(engine.state().node(NodeId{0}).allocated.cores, Millicores(4000));
  EXPECT_EQ(engine.state().free(NodeId{0}).cores, Millicores(0));
}

TEST(Engine, MostFreeNodeFirstWhenAsked) {
  Scenario scenario = cluster_of(3, 4, 4);
  scenario.cluster.nodes[0].allowance = {Millicores(2000), EmuBytes(4LL << 30)};
  scenario.jobs = {job_of("a", 0, 1, 1, 1, 10), job_of("b", 1, 1, 1, 1, 10)};
  set(scenario, "node_order", "most-free");
  VirtualCluster cluster(scenario);
  ASSERT_TRUE(cluster.run());
  EXPECT_THAT(cluster.log(), ElementsAre("0.0 launch a.map.0 on n1", "1.0 launch b.map.0 on n2"));
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
    if (pick(0, 1)) set(scenario, "node_order", "most-free");
    if (pick(0, 1)) set(scenario, "reserve", "false");
    if (pick(0, 1)) set(scenario, "strict_order", "true");
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
  JobSpec job;
  job.name = "j";
  job.phases = {phase};
  scenario.jobs = {job};
  Launch launch{{JobId{0}, 0}, NodeId{0}, size, {}, -1, 0, {}};
  Engine engine(scenario, std::make_unique<Scripted>(std::vector<Action>{{launch, ""}}),
                [&](TaskId task) { return draw_work(scenario, task); });
  return engine.step(EmuTime(0), std::vector<Event>{{EmuTime(0), NodeRegistered{NodeId{0}}},
                                                    {EmuTime(0), JobSubmitted{JobId{0}}}});
}

std::string refused_because(const Step& step) {
  return step.refused.empty() ? "" : std::get<ActionRefused>(step.refused[0].what).reason;
}

Resources size_of(std::int64_t millicores, std::int64_t mebibytes) {
  return {Millicores(millicores), EmuBytes(mebibytes << 20)};
}

/// Returns a phase with 2 cores and 1 GiB, whose tasks use 10 s of CPU and 1000 MiB.
PhaseSpec large_map() {
  PhaseSpec map;
  map.name = "map";
  map.request = size_of(2000, 1024);
  map.cpu.mean = 10e6;
  map.memory = {{0, {Drawn::Dist::kConstant, 1000.0 * (1 << 20), 0}}};
  map.spill_penalty = 0.8;
  return map;
}

TEST(Engine, FitsTheWorkToASmallerContainer) {
  const Step step = launched_as(large_map(), size_of(1500, 750));
  ASSERT_EQ(refused_because(step), "");
  const auto& launch = std::get<Launch>(step.actions.at(0).what);
  EXPECT_EQ(launch.resources, size_of(1500, 750));
  EXPECT_EQ(launch.work.cpu, core_seconds(12));
  EXPECT_EQ(launch.work.memory, (std::vector<MemoryPoint>{{0, EmuBytes(750 << 20)}}));
  EXPECT_EQ(launch.work.threads, 2);
  EXPECT_EQ(ideal_time(launch.work, launch.resources.cores, 1, false), emu_seconds(8));
}

TEST(Engine, MakesNoContainerTooSmallToRunIn) {
  EXPECT_EQ(refused_because(launched_as(large_map(), size_of(1000, 512))), "");
  EXPECT_EQ(refused_because(launched_as(large_map(), size_of(999, 1024))),
            "j.map: too much smaller than requested");
  EXPECT_EQ(refused_because(launched_as(large_map(), size_of(2000, 511))),
            "j.map: too much smaller than requested");
  EXPECT_EQ(refused_because(launched_as(large_map(), size_of(2000, 1025))),
            "j.map: larger than requested");
  // At this scale, 640 MiB are the 2 MiB that a task needs.
  EXPECT_EQ(refused_because(launched_as(large_map(), size_of(2000, 640), 1.0 / 320)), "");
  EXPECT_EQ(refused_because(launched_as(large_map(), size_of(2000, 639), 1.0 / 320)),
            "j.map: too much smaller than requested");
  PhaseSpec command = large_map();
  command.kind = PhaseKind::kCommand;
  EXPECT_EQ(refused_because(launched_as(command, size_of(2000, 1000))),
            "j.map: only maps and reduces can have less than requested");
}

}  // namespace heddle::engine_test
