// Distance of nodes to a task's data. If any node may be used, the nearest node with room is taken.

#include "core/model/locality.h"

#include "tests/core/virtual_cluster.h"
#include "tests/support/matchers.h"

namespace heddle::locality_test {

/// Returns a scenario with n1 … n6 of 1 core, in racks a: n1, n2; b: n3, n4; c: n5, n6.
Scenario three_racks() {
  Scenario scenario = cluster_of(6, 1, 1);
  for (int i = 0; i < 6; ++i) scenario.cluster.nodes[i].rack = std::string(1, "abc"[i / 2]);
  return scenario;
}

TEST(Locality, NodeThenRackThenTheRest) {
  const ClusterSpec cluster = three_racks().cluster;
  const std::vector<NodeId> prefer = {NodeId{1}, NodeId{4}};
  EXPECT_EQ(locality(cluster, prefer, NodeId{0}), Locality::kRack);
  EXPECT_EQ(locality(cluster, prefer, NodeId{1}), Locality::kLocal);
  EXPECT_EQ(locality(cluster, prefer, NodeId{2}), Locality::kRemote);
  EXPECT_EQ(locality(cluster, prefer, NodeId{4}), Locality::kLocal);
  EXPECT_EQ(locality(cluster, prefer, NodeId{5}), Locality::kRack);
  EXPECT_EQ(locality(cluster, {}, NodeId{0}), Locality::kAny);
}

// The data is on n4 and n6. These nodes come first, then n3 and n5, which share a rack with one of
// them, then the rest. Equally near nodes come in the order of nodes.
TEST(Locality, TheNearestNodeWithRoomIsTaken) {
  Scenario scenario = three_racks();
  scenario.jobs = {job_of("j", 0, 6, 1, 1, 1)};
  scenario.jobs[0].phases[0].prefer = {NodeId{3}, NodeId{5}};
  EXPECT_THAT(by_time(FinishedRun(scenario).log()),
              ElementsAre("0.0 j.map.0 on n4, j.map.1 on n6, j.map.2 on n3, j.map.3 on n5, j.map.4 "
                          "on n1, j.map.5 on n2"));
}

// Node n2 has the most room, and is taken if no node is nearer to the data. Node n6 is in the rack
// of n5.
TEST(Locality, OfThoseAsNearTheOneThatThePlacementWouldTake) {
  Scenario scenario = three_racks();
  scenario.cluster.nodes[1].allowance = size_of(2, 2);
  scenario.jobs = {job_of("warm", 0, 1, 1, 1, 9), job_of("far", 1, 1, 1, 1, 9),
                   job_of("near", 2, 1, 1, 1, 9)};
  scenario.jobs[1].phases[0].prefer = scenario.jobs[2].phases[0].prefer = {NodeId{4}};
  set_policy(scenario, "node_order", "most-free");
  EXPECT_THAT(FinishedRun(scenario).log(),
              ElementsAre("0.0 launch warm.map.0 on n1", "1.0 launch far.map.0 on n5",
                          "2.0 launch near.map.0 on n6"));
}

// On a report, the reporting node is filled, near or far. Only delay scheduling makes jobs wait for
// a nearer node.
TEST(Locality, OnAReportTheNodeIsTakenAsItComes) {
  Scenario scenario = three_racks();
  scenario.cluster.dispatch = Dispatch::kHeartbeat;
  scenario.jobs = {job_of("j", 0, 1, 1, 1, 1)};
  scenario.jobs[0].phases[0].prefer = {NodeId{3}};
  EXPECT_THAT(FinishedRun(scenario).log(), ElementsAre("0.0 launch j.map.0 on n1"));
}

}  // namespace heddle::locality_test
