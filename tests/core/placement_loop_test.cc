#include "core/policy/placement_loop.h"

#include "tests/core/stepped_engine.h"
#include "tests/support/events.h"
#include "tests/support/job.h"
#include "tests/support/matchers.h"

namespace heddle::placement_loop_test {

using Words = std::vector<std::string>;

/// Returns the actions as text: "launch 0.0 on 2" (job.phase, node), "reserve 2 for 0.0", …
std::vector<std::string> words(const Step& step) {
  std::vector<std::string> lines;
  auto phase = [](PhaseId id) {
    return std::to_string(id.job.value) + "." + std::to_string(id.phase);
  };
  for (const Action& action : step.actions) {
    if (const auto* a = std::get_if<Launch>(&action.what))
      lines.push_back("launch " + phase(a->phase) + " on " + std::to_string(a->node.value));
    if (const auto* a = std::get_if<Reserve>(&action.what))
      lines.push_back("reserve " + std::to_string(a->node.value) + " for " + phase(a->phase));
    if (const auto* a = std::get_if<Unreserve>(&action.what))
      lines.push_back("unreserve " + std::to_string(a->node.value) + " from " + phase(a->phase));
  }
  return lines;
}

NodeRegistered registered(int node) { return {NodeId{node}}; }
JobSubmitted submitted(int job) { return {JobId{job}}; }
NodeHeartbeat beat(int node) { return {NodeId{node}}; }

std::vector<std::string> step(SteppedEngine& engine, int at_s,
                              const std::vector<SteppedEngine::What>& what) {
  const Step step = engine.step(at_s, what);
  EXPECT_TRUE(step.refused.empty());
  return words(step);
}

TEST(PlacementLoop, OnHeartbeatsOnlyTheNodesThatReportAreFilled) {
  Scenario scenario = cluster_of(4, 1, 1);
  scenario.cluster.dispatch = Dispatch::kHeartbeat;
  scenario.jobs = {job_of("j", 0, 4, 1, 1, 1)};
  SteppedEngine engine(scenario);
  EXPECT_THAT(step(engine, 0, {registered(0), registered(1), registered(2), submitted(0)}),
              ElementsAre());
  // Nodes are filled in the order of ids, each once. Node 3 is not registered.
  EXPECT_THAT(step(engine, 1, {beat(2), beat(3), beat(1), beat(2)}),
              ElementsAre("launch 0.0 on 1", "launch 0.0 on 2"));
  // Free capacity on node 1 is not used until it reports.
  EXPECT_THAT(step(engine, 2, {ended(0)}), ElementsAre());
  EXPECT_THAT(step(engine, 3, {beat(2)}), ElementsAre());
  EXPECT_THAT(step(engine, 4, {beat(1)}), ElementsAre("launch 0.0 on 1"));
}

TEST(PlacementLoop, ImmediateTakesAnyNodeAtOnce) {
  Scenario scenario = cluster_of(2, 1, 1, "reserve=false", {job_of("j", 0, 3, 1, 1, 1)});
  SteppedEngine engine(scenario);
  EXPECT_THAT(step(engine, 0, {registered(1), submitted(0)}), ElementsAre("launch 0.0 on 1"));
  EXPECT_THAT(step(engine, 1, {registered(0)}), ElementsAre("launch 0.0 on 0"));
  EXPECT_THAT(step(engine, 2, {ended(0)}), ElementsAre("launch 0.0 on 1"));
}

// Nodes of 4, 2 and 8 cores report at once and are filled by the share that is free. At first all
// are empty, so the order is that of ids. Then 0 has 3/4, 1 has 1/2 and 2 has 7/8 left.
TEST(PlacementLoop, MostFreeNodeFirst) {
  Scenario scenario = cluster_of(3, 8, 8);
  scenario.cluster.nodes[0].allowance.cores = Millicores(4000);
  scenario.cluster.nodes[1].allowance.cores = Millicores(2000);
  scenario.cluster.dispatch = Dispatch::kHeartbeat;
  for (int i = 0; i < 3; ++i) scenario.jobs.push_back(job_of("one", 0, 1, 1, 1, 1));
  scenario.jobs.push_back(job_of("more", 0, 9, 1, 1, 1));
  set_policy(scenario, "node_order", "most-free");
  SteppedEngine engine(scenario);
  step(engine, 0, {registered(0), registered(1), registered(2), submitted(0)});
  EXPECT_THAT(step(engine, 1, {beat(0), beat(1), beat(2)}), ElementsAre("launch 0.0 on 0"));
  EXPECT_THAT(step(engine, 2, {beat(1), submitted(1)}), ElementsAre("launch 1.0 on 1"));
  EXPECT_THAT(step(engine, 3, {beat(2), submitted(2)}), ElementsAre("launch 2.0 on 2"));
  EXPECT_THAT(step(engine, 4, {beat(0), beat(1), beat(2), submitted(3)}),
              ElementsAre("launch 3.0 on 2", "launch 3.0 on 2", "launch 3.0 on 2",
                          "launch 3.0 on 2", "launch 3.0 on 2", "launch 3.0 on 2",
                          "launch 3.0 on 2", "launch 3.0 on 0", "launch 3.0 on 0"));
}

// With `immediate`, the nodes with the largest free shares are reserved, as many as there are
// waiting containers.
TEST(PlacementLoop, ReservesTheMostFreeNodesWhereAnyMayBeHeld) {
  Scenario scenario = cluster_of(3, 4, 8);
  scenario.jobs = {job_of("a", 0, 1, 3, 1, 1), job_of("b", 0, 1, 2, 1, 1),
                   job_of("c", 0, 1, 1, 1, 1), job_of("big", 0, 2, 4, 1, 1),
                   job_of("tiny", 0, 1, 1, 1, 1)};
  // Job i takes node i, because it is too large for the rest that the job before left on its node.
  scenario.jobs[0].phases[0].request.memory = EmuBytes(8LL << 30);
  scenario.jobs[1].phases[0].request.memory = EmuBytes(6LL << 30);
  scenario.jobs[2].phases[0].request.memory = EmuBytes(4LL << 30);
  SteppedEngine engine(scenario);
  EXPECT_THAT(
      step(engine, 0,
           {registered(0), registered(1), registered(2), submitted(0), submitted(1), submitted(2)}),
      ElementsAre("launch 0.0 on 0", "launch 1.0 on 1", "launch 2.0 on 2"));
  EXPECT_THAT(step(engine, 1, {submitted(3), submitted(4)}),
              ElementsAre("reserve 2 for 3.0", "reserve 1 for 3.0", "reserve 0 for 4.0"));
  // Under fifo, tiny is behind big, so it could only reserve a node that big left. It gets node 0
  // when that becomes free.
  EXPECT_THAT(step(engine, 2, {ended(0)}), ElementsAre("launch 4.0 on 0"));
  EXPECT_THAT(step(engine, 3, {ended(3)}), ElementsAre("unreserve 2 from 3.0", "launch 3.0 on 0"));
  EXPECT_THAT(step(engine, 4, {ended(1)}), ElementsAre("launch 3.0 on 1"));
}

// A request that fits elsewhere does not reserve the reporting node.
TEST(PlacementLoop, ReservesOnlyIfItFitsNowhere) {
  Scenario scenario = cluster_of(2, 2, 2);
  scenario.cluster.dispatch = Dispatch::kHeartbeat;
  scenario.jobs = {job_of("a", 0, 1, 1, 1, 1), job_of("b", 0, 1, 2, 2, 1)};
  SteppedEngine engine(scenario);
  step(engine, 0, {registered(0), registered(1), submitted(0)});
  EXPECT_THAT(step(engine, 1, {beat(0)}), ElementsAre("launch 0.0 on 0"));
  EXPECT_THAT(step(engine, 2, {beat(0), submitted(1)}), ElementsAre());
  EXPECT_THAT(step(engine, 3, {beat(1)}), ElementsAre("launch 1.0 on 1"));
}

TEST(PlacementLoop, AReservationGoesWithItsNodeAndItsRequest) {
  Scenario scenario = cluster_of(2, 2, 2, {job_of("a", 0, 2, 1, 1, 1), job_of("b", 0, 1, 2, 2, 1)});
  scenario.jobs[0].phases[0].request = size_of(1, 2);
  SteppedEngine engine(scenario);
  step(engine, 0, {registered(0), registered(1), submitted(0)});
  EXPECT_THAT(step(engine, 1, {submitted(1)}), ElementsAre("reserve 0 for 1.0"));
  // Node 0 is lost with its task of a. That task and b both want node 1, and b is second.
  EXPECT_THAT(step(engine, 2, {NodeLost{NodeId{0}, "gone"}}), ElementsAre("reserve 1 for 0.0"));
  EXPECT_THAT(step(engine, 3, {ended(1)}), ElementsAre("launch 0.0 on 1", "reserve 1 for 1.0"));
  EXPECT_THAT(step(engine, 4, {ended(2)}), ElementsAre("launch 1.0 on 1"));
}

// Job first (3 of 4 cores) does not fit beside the running task. Without strict_order, second
// overtakes it.
TEST(PlacementLoop, StrictOrderStopsAtTheFirstThatDoesNotFit) {
  Scenario scenario = cluster_of(1, 4, 4, "reserve=false");
  scenario.jobs = {job_of("runs", 0, 1, 2, 2, 1), job_of("first", 0, 1, 3, 3, 1),
                   job_of("second", 0, 1, 1, 1, 1)};
  for (bool strict : {false, true}) {
    set_policy(scenario, "strict_order", strict ? "true" : "false");
    SteppedEngine engine(scenario);
    step(engine, 0, {registered(0), submitted(0)});
    const Words then = step(engine, 1, {submitted(1), submitted(2)});
    EXPECT_EQ(then, strict ? Words{} : Words{"launch 2.0 on 0"});
    EXPECT_THAT(step(engine, 2, {ended(0)}).at(0), "launch 1.0 on 0");
  }
}

}  // namespace heddle::placement_loop_test
