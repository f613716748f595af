// Rates of flows over shared resources, computed by hand.
#include "core/model/flow_share.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::flow_share_test {

using Rates = std::vector<double>;

Rates share_flows(const std::vector<FlowPath>& flows, const std::vector<double>& capacities) {
  return FlowShares().divide(flows, capacities);
}

FlowPath over(int a, int b = FlowPath::kNone, int c = FlowPath::kNone) { return FlowPath(a, b, c); }

TEST(FlowShare, NobodyGetsNothing) { EXPECT_EQ(share_flows({}, {10}), Rates{}); }

TEST(FlowShare, AloneItGetsTheSmallestOfWhatItPasses) {
  EXPECT_EQ(share_flows({over(0, 1, 2)}, {200, 125, 150}), Rates{125});
}

TEST(FlowShare, SharesAreEqual) {
  EXPECT_EQ(share_flows({over(0), over(0), over(0), over(0)}, {100}), Rates({25, 25, 25, 25}));
}

TEST(FlowShare, WhatOneCantTakeOthersGet) {
  // The first flow is limited to 10 elsewhere, so the other two share 90.
  EXPECT_EQ(share_flows({over(0, 1), over(0), over(0)}, {100, 10}), Rates({10, 45, 45}));
}

TEST(FlowShare, BottlenecksOneAfterTheOther) {
  // Three flows share resource 0 of 30: 10 each. Then resource 1 has 50 - 10 for one flow, and
  // resource 2 of 90 has 90 - 40 left.
  EXPECT_EQ(share_flows({over(0), over(0), over(0, 1), over(1, 2), over(2)}, {30, 50, 90}),
            Rates({10, 10, 10, 40, 50}));
}

TEST(FlowShare, ResourcesThatFillTogether) {
  EXPECT_EQ(share_flows({over(0, 1), over(0), over(1)}, {20, 20}), Rates({10, 10, 10}));
  EXPECT_EQ(share_flows({over(1), over(0), over(0, 1)}, {20, 20}), Rates({10, 10, 10}));
  // All three resources are full at once, each with flows whose rates the others have fixed
  // already.
  EXPECT_EQ(share_flows({over(0, 1, 2), over(0, 1, 2)}, {6, 6, 6}), Rates({3, 3}));
}

TEST(FlowShare, ApartTheyDontDisturb) {
  EXPECT_EQ(share_flows({over(0), over(1), over(1), over(2)}, {7, 8, 9, 1}), Rates({7, 4, 4, 9}));
}

// Two remote readers of one disk (200) share its node's network (125). A local reader gets the rest
// of the disk.
TEST(FlowShare, RemoteAndLocalReads) {
  enum { kDisk, kOut, kIn1, kIn2 };
  EXPECT_EQ(share_flows({over(kDisk, kOut, kIn1), over(kDisk, kOut, kIn2), over(kDisk)},
                        {200, 125, 125, 125}),
            Rates({62.5, 62.5, 75}));
}

// On random cases, no resource exceeds its capacity, and each flow uses a full resource on which no
// flow is faster. This is the definition of max-min fairness.
TEST(FlowShare, EveryFlowHasABottleneck) {
  std::mt19937 random(1);
  auto up_to = [&](int n) { return static_cast<int>(random() % n); };
  for (int round = 0; round < 500; ++round) {
    std::vector<double> capacities;
    for (int n = 1 + up_to(8); n > 0; --n) capacities.push_back(1 + up_to(20));
    const int resources = static_cast<int>(capacities.size());
    std::vector<FlowPath> flows;
    for (int n = up_to(20); n > 0; --n) {
      FlowPath path = over(up_to(resources));
      const int next = path.over[0] + 1;
      if (next < resources && up_to(2) == 0) path.over[1] = next;
      if (next + 1 < resources && path.over[1] == next && up_to(2) == 0) path.over[2] = next + 1;
      flows.push_back(path);
    }
    const Rates rates = share_flows(flows, capacities);
    Rates used(capacities.size()), fastest(capacities.size());
    for (std::size_t i = 0; i < flows.size(); ++i) {
      for (int resource : flows[i].over) {
        if (resource == FlowPath::kNone) continue;
        used[resource] += rates[i];
        fastest[resource] = std::max(fastest[resource], rates[i]);
      }
    }
    for (int i = 0; i < resources; ++i) EXPECT_LE(used[i], capacities[i] * (1 + 1e-9));
    for (std::size_t i = 0; i < flows.size(); ++i) {
      bool held = false;
      for (int resource : flows[i].over)
        held = held || (resource != FlowPath::kNone &&
                        used[resource] >= capacities[resource] * (1 - 1e-9) &&
                        fastest[resource] <= rates[i] * (1 + 1e-9));
      EXPECT_TRUE(held) << "flow " << i << " of round " << round;
    }
  }
}

}  // namespace heddle::flow_share_test
