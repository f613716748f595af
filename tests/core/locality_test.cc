#include "core/model/locality.h"

#include <gtest/gtest.h>

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

}  // namespace heddle::locality_test
