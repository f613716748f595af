#include "core/model/locality.h"

#include <gtest/gtest.h>

#include "core/policy/locality/delay.h"
#include "tests/support/cluster.h"

namespace heddle::locality_test {

TEST(Locality, NodeThenRackThenTheRest) {
  ClusterSpec cluster = cluster_of(6, 1, 1).cluster;
  for (int i = 0; i < 6; ++i) cluster.nodes[i].rack = std::string(1, "abc"[i / 2]);
  const std::vector<NodeId> prefer = {NodeId{1}, NodeId{4}};
  EXPECT_EQ(locality(cluster, prefer, NodeId{0}), Locality::kRack);
  EXPECT_EQ(locality(cluster, prefer, NodeId{1}), Locality::kLocal);
  EXPECT_EQ(locality(cluster, prefer, NodeId{2}), Locality::kRemote);
  EXPECT_EQ(locality(cluster, prefer, NodeId{4}), Locality::kLocal);
  EXPECT_EQ(locality(cluster, prefer, NodeId{5}), Locality::kRack);
  EXPECT_EQ(locality(cluster, {}, NodeId{0}), Locality::kAny);
}

// The delay is 3 s for each distance.
TEST(LocalityWait, EachDelayAcceptsTheNextDistance) {
  const auto at = [](Locality level, double since, double now) {
    return relaxed({level, emu_seconds(since)}, emu_seconds(3), emu_seconds(now));
  };
  const auto wait = [](Locality level, double since) {
    return LocalityWait{level, emu_seconds(since)};
  };
  EXPECT_EQ(at(Locality::kLocal, 10, 12.9), wait(Locality::kLocal, 10));
  EXPECT_EQ(at(Locality::kLocal, 10, 13), wait(Locality::kRack, 13));
  EXPECT_EQ(at(Locality::kLocal, 10, 15.9), wait(Locality::kRack, 13));
  EXPECT_EQ(at(Locality::kLocal, 10, 16), wait(Locality::kRemote, 16));
  EXPECT_EQ(at(Locality::kLocal, 10, 100), wait(Locality::kRemote, 16));
  EXPECT_EQ(at(Locality::kRack, 10, 13), wait(Locality::kRemote, 13));
  EXPECT_EQ(at(Locality::kRemote, 10, 100), wait(Locality::kRemote, 10));
}

}  // namespace heddle::locality_test
