// Algorithms 1 and 2 of executor placement, on clusters computed by hand.
#include "core/policy/placement/node_load.h"

#include <gtest/gtest.h>

namespace heddle::node_load_test {

Resources of(int cores, int gib) { return {Millicores(1000 * cores), EmuBytes(gib * (1LL << 30))}; }
EmuTime s(double seconds) { return emu_seconds(seconds); }

/// Returns an open node of 8 cores and 16 GiB.
NodeLoad node(Resources free, Resources maps, std::vector<HeldByReduce> reduces = {}) {
  NodeLoad load;
  load.open = true;
  load.allowance = of(8, 16);
  load.free = free;
  load.maps = maps;
  load.reduces = std::move(reduces);
  return load;
}
HeldByReduce reduce(int id, Resources held, double remaining) {
  return {ContainerId{id}, held, s(remaining)};
}

const Resources kTotal = of(32, 64);

std::vector<NodeId> all(const NodeLoads& nodes) {
  std::vector<NodeId> ids;
  while (ids.size() < nodes.size()) ids.push_back(NodeId{std::ssize(ids)});
  return ids;
}

/// Returns "2 by 3" (the node and the step) or "none".
std::string chosen(const NodeLoads& nodes, const Resources& wanted) {
  const auto found = choose(nodes, all(nodes), wanted, kTotal);
  if (!found) return "none";
  return std::to_string(found->node.value) + " by " + std::to_string(found->prospect.step);
}

TEST(Choose, Step1TakesTheMostFreeOfThoseWithRoom) {
  const NodeLoads nodes = {node(of(3, 3), of(5, 13)), node(of(4, 4), of(0, 0)),
                           node(of(2, 12), of(6, 4))};
  EXPECT_EQ(chosen(nodes, of(3, 3)), "1 by 1");
  // Only node 2 has 6 GiB.
  EXPECT_EQ(chosen(nodes, of(2, 6)), "2 by 1");
}

// Node 0 has the most cores and the least memory (1/64), node 1 has 2/32 and 4/64, node 2 1/32 of
// the cores.
TEST(Choose, MoreIsOfTheResourceOfWhichThereIsLess) {
  const NodeLoads nodes = {node(of(8, 1), {}), node(of(2, 4), {}), node(of(1, 16), {})};
  EXPECT_EQ(chosen(nodes, of(1, 1)), "1 by 1");
}

TEST(Choose, Step2TakesTheMostOfFreeAndMaps) {
  const NodeLoads nodes = {node(of(3, 6), of(1, 2), {reduce(1, of(4, 8), 1)}),
                           node(of(0, 0), of(6, 12)), node(of(1, 2), of(4, 8))};
  EXPECT_EQ(chosen(nodes, of(4, 8)), "1 by 2");
  // The free part of that does not matter.
  EXPECT_EQ(chosen(nodes, of(5, 10)), "1 by 2");
}

// The request is 6 cores and 12 GiB. On node 0 both reduces must end (9 s), on node 1 the first is
// enough (7 s). On node 2 the first, which is suspended, gives memory only, so the second is needed
// (8 s).
TEST(Choose, Step3TakesTheShortestWaitForAPrefixOfReduces) {
  const NodeLoads nodes = {
      node(of(1, 2), of(1, 2), {reduce(1, of(2, 4), 3), reduce(2, of(2, 4), 9)}),
      node(of(2, 4), of(1, 2), {reduce(3, of(3, 6), 7), reduce(4, of(2, 4), 90)}),
      node(of(2, 2), of(2, 2), {reduce(5, of(0, 4), 2), reduce(6, of(4, 8), 8)})};
  EXPECT_EQ(chosen(nodes, of(6, 12)), "1 by 3");
  const auto first = prospect(nodes[0], of(6, 12), kTotal);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->reduces, 2);
  EXPECT_EQ(first->wait, s(9));
  EXPECT_DOUBLE_EQ(first->missing, 5.0 / 6);  // 5 of 6 cores, 10 of 12 GiB
  const auto third = prospect(nodes[2], of(6, 12), kTotal);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->reduces, 2);
  EXPECT_EQ(third->wait, s(8));
}

TEST(Choose, OnlyAmongTheCandidates) {
  const NodeLoads nodes = {node(of(4, 8), {}), node(of(8, 16), {}), node(of(2, 4), {})};
  const auto found = choose(nodes, {NodeId{0}, NodeId{2}}, of(1, 1), kTotal);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->node, NodeId{0});
}

TEST(Choose, TiesGoToTheLowerNode) {
  EXPECT_EQ(chosen({node(of(4, 8), {}), node(of(4, 8), {})}, of(2, 2)), "0 by 1");
  EXPECT_EQ(chosen({node({}, of(4, 8)), node(of(2, 4), of(2, 4))}, of(4, 8)), "0 by 2");
  EXPECT_EQ(
      chosen({node({}, {}, {reduce(1, of(8, 16), 5)}), node({}, {}, {reduce(2, of(8, 16), 5)})},
             of(8, 16)),
      "0 by 3");
}

// Executors and application masters hold the rest, and they do not count.
TEST(Choose, NoNodeWhereMapsAndReducesAreNotEnough) {
  NodeLoads nodes = {node(of(1, 2), of(2, 4), {reduce(1, of(2, 4), 1)}), node(of(5, 16), of(3, 0))};
  EXPECT_EQ(chosen(nodes, of(6, 12)), "1 by 2");
  nodes[1].open = false;  // reserved for another job, or lost
  EXPECT_EQ(chosen(nodes, of(6, 12)), "none");
  EXPECT_EQ(chosen(nodes, of(5, 10)), "0 by 3");
  EXPECT_EQ(chosen({}, of(1, 1)), "none");
}

TEST(Choose, ANodeThatIsTooSmallIsNone) {
  NodeLoads nodes = {node(of(8, 16), {})};
  nodes[0].allowance = of(4, 16);  // overcommitted by an estimate
  EXPECT_EQ(chosen(nodes, of(6, 6)), "none");
}

TEST(BetterBy, LowerStepsThenByTheMargin) {
  Prospect now{3, 0, 0.5, 1, s(100)};
  EXPECT_TRUE(better_by(0.2, now, Prospect{2, 0, 1, 0, {}}));
  EXPECT_TRUE(better_by(0.2, now, Prospect{3, 0, 1, 1, s(79)}));
  EXPECT_FALSE(better_by(0.2, now, Prospect{3, 0, 0, 1, s(80)}));
  EXPECT_FALSE(better_by(1, now, Prospect{3, 0, 0, 1, s(0)}));
  EXPECT_TRUE(better_by(0, now, Prospect{3, 0, 0, 1, s(99)}));
  now = {2, 0.1, 0.5, 0, {}};
  EXPECT_FALSE(better_by(0, now, Prospect{3, 0, 0, 1, s(1)}));
  EXPECT_TRUE(better_by(0.2, now, Prospect{2, 0.05, 0.25, 0, {}}));
  EXPECT_FALSE(better_by(0.25, now, Prospect{2, 0.9, 0.25, 0, {}}));
}

std::int64_t by_spread(const NodeLoads& nodes, bool spread, bool to_hold = false,
                       const Resources& wanted = of(2, 4)) {
  const auto found = choose_by_spread(nodes, all(nodes), JobId{0}, wanted, kTotal, spread, to_hold);
  return found ? found->value : -1;
}

TEST(Spread, CountsExecutorsOfTheJobThenWhatIsFree) {
  NodeLoads nodes = {node(of(2, 4), {}), node(of(6, 12), {}), node(of(4, 8), {}),
                     node(of(4, 8), {})};
  EXPECT_EQ(by_spread(nodes, true), 1);
  EXPECT_EQ(by_spread(nodes, false), 1);
  nodes[1].executors[JobId{0}] = 1;
  nodes[0].executors[JobId{7}] = 3;  // of another job
  EXPECT_EQ(by_spread(nodes, true), 2);
  EXPECT_EQ(by_spread(nodes, false), 1);
  nodes[2].executors[JobId{0}] = 2;
  EXPECT_EQ(by_spread(nodes, true), 3);
  EXPECT_EQ(by_spread(nodes, false), 2);
  for (NodeLoad& full : nodes) full.free = of(1, 1);
  EXPECT_EQ(by_spread(nodes, true), -1);
}

TEST(Spread, HoldsANodeThatWouldHaveRoomBesideMasters) {
  NodeLoads nodes = {node(of(1, 1), {}), node(of(0, 0), {}), node(of(0, 2), {})};
  EXPECT_EQ(by_spread(nodes, true, true, of(8, 8)), 0);
  nodes[0].masters = of(1, 1);
  EXPECT_EQ(by_spread(nodes, true, true, of(8, 8)), 1);
  nodes[1].open = false;
  EXPECT_EQ(by_spread(nodes, true, true, of(8, 8)), 2);
  nodes[2].executors[JobId{0}] = 1;
  EXPECT_EQ(by_spread(nodes, true, true, of(4, 8)), 0);
  EXPECT_EQ(by_spread(nodes, false, true, of(4, 8)), 2);
  EXPECT_EQ(by_spread(nodes, true, true, of(9, 8)), -1);
}

}  // namespace heddle::node_load_test
