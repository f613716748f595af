#include "master/host_assignment.h"

#include <set>

#include "tests/support/cluster.h"
#include "tests/support/matchers.h"

namespace heddle::master::host_assignment_test {

constexpr std::int64_t kMiB = 1 << 20;

/// Returns a scenario with times and sizes unscaled, a tenth of a CPU per core, and nothing
/// reserved for the control plane.
Scenario scenario_of(const std::vector<std::pair<std::string, int>>& nodes) {
  Scenario scenario;
  scenario.emulation.time_scale = scenario.emulation.memory_scale = 1;
  scenario.emulation.core_fraction = 0.1;
  scenario.emulation.overhead = real::Bytes(0);
  scenario.emulation.control_reserve_cpu = 0;
  scenario.emulation.control_reserve_memory = real::Bytes(0);
  for (const auto& [name, cores] : nodes)
    scenario.cluster.nodes.push_back(
        node_of(name, {Millicores(cores * 1000), EmuBytes(cores * 100 * kMiB)}));
  return scenario;
}

wire::Hello of_host(const std::string& name, double cpus, std::int64_t memory = 1000) {
  wire::Hello hello;
  hello.clock = "clock of " + name;
  hello.host = wire::HostFacts{name, {cpus}, real::Bytes(memory * kMiB)};
  return hello;
}

class HostBookTest : public ::testing::Test {
 protected:
  void begin(Scenario scenario) {
    scenario_ = std::move(scenario);
    book_.emplace(scenario_);
  }
  /// Returns the name of the node that a worker gets and takes, or why it gets none.
  std::string join(const wire::Hello& hello) {
    const Result<NodeId> node = book_->choose(hello, free());
    if (!node) return node.error().text;
    take(*node, hello);
    return scenario_.cluster.nodes[node->value].name;
  }
  void take(NodeId node, const wire::Hello& hello) {
    book_->take(node, hello);
    taken_.insert(node);
  }
  HostAssignment::Free free() {
    return [this](NodeId node) { return !taken_.contains(node); };
  }
  Scenario scenario_;
  std::optional<HostAssignment> book_;
  std::set<NodeId> taken_;
};

TEST_F(HostBookTest, EqualNodesGoInTheirOrder) {
  begin(scenario_of({{"n1", 4}, {"n2", 4}, {"n3", 4}}));
  EXPECT_EQ(join(of_host("a", 1)), "n1");
  EXPECT_EQ(join(of_host("b", 1)), "n2");
  EXPECT_EQ(join(of_host("a", 1)), "n3");
}

TEST_F(HostBookTest, TheLargestNodeThatFitsGoesFirst) {
  begin(scenario_of({{"small", 2}, {"large", 8}, {"middle", 4}}));
  EXPECT_EQ(join(of_host("a", 0.5)), "middle");
  EXPECT_EQ(join(of_host("b", 1)), "large");
  EXPECT_EQ(join(of_host("a", 0.5)),
            "host a has no room for node small, which needs 0.2 CPUs and 200 MiB: of the 0.5 CPUs "
            "and 1000 MiB that it may use, 0 % of the CPUs and 0 MiB are reserved for the control "
            "plane, and 0.1 CPUs and 600 MiB are left beside middle");
}

TEST_F(HostBookTest, MemoryCountsAsCpusDo) {
  begin(scenario_of({{"n1", 4}, {"n2", 4}}));
  EXPECT_EQ(join(of_host("a", 8, 799)), "n1");
  EXPECT_THAT(join(of_host("a", 8, 799)), HasSubstr("has no room for node n2"));
  EXPECT_EQ(join(of_host("b", 8, 400)), "n2");
}

TEST_F(HostBookTest, TheReserveIsKept) {
  Scenario scenario = scenario_of({{"n1", 8}});
  scenario.emulation.control_reserve_cpu = 0.2;
  scenario.emulation.control_reserve_memory = real::Bytes(200 * kMiB);
  begin(scenario);
  EXPECT_THAT(join(of_host("a", 0.99)), HasSubstr("20 % of the CPUs and 200 MiB are reserved"));
  EXPECT_THAT(join(of_host("a", 2, 999)), HasSubstr("no room"));
  EXPECT_EQ(join(of_host("b", 1, 1000)), "n1");
}

TEST_F(HostBookTest, SpeedTakesCpusAndOverheadMemory) {
  Scenario scenario = scenario_of({{"n1", 4}});
  scenario.cluster.nodes[0].speed = 2;
  scenario.emulation.overhead = real::Bytes(3 * kMiB);
  const NodeNeed need = need_of(scenario, scenario.cluster.nodes[0]);
  EXPECT_DOUBLE_EQ(need.cpus.value, 0.8);
  EXPECT_EQ(need.memory, real::Bytes(403 * kMiB));
}

TEST_F(HostBookTest, ANodeForAHostGoesThereOnly) {
  Scenario scenario = scenario_of({{"n1", 4}, {"n2", 2}, {"n3", 1}});
  scenario.cluster.nodes[1].host = scenario.cluster.nodes[2].host = "b";
  begin(scenario);
  EXPECT_EQ(join(of_host("b", 1)), "n2");  // before n1, which is larger but for any host
  EXPECT_EQ(join(of_host("a", 1)), "n1");
  EXPECT_EQ(join(of_host("a", 1)),
            "the nodes without a worker (n3) are assigned to host b; this is host a");
  EXPECT_EQ(join(of_host("b", 1)), "n3");  // several on one host
}

TEST_F(HostBookTest, ALateWorkerIsTold) {
  begin(scenario_of({{"n1", 4}}));
  EXPECT_EQ(join(of_host("a", 1)), "n1");
  EXPECT_EQ(join(of_host("c", 1)), "every node has a worker already; there is no node for host c");
}

TEST_F(HostBookTest, ANodeThatIsFreeAgainGoesToItsHostFirst) {
  begin(scenario_of({{"n1", 4}, {"n2", 4}, {"n3", 4}}));
  join(of_host("a", 1));
  join(of_host("b", 1));
  taken_.erase(NodeId{1});
  EXPECT_EQ(join(of_host("b", 1)), "n2");
  taken_.erase(NodeId{0});
  EXPECT_EQ(join(of_host("c", 1)), "n1");  // or on another host
}

TEST_F(HostBookTest, OneOfAnotherClockIsAnotherHost) {
  begin(scenario_of({{"n1", 4}, {"n2", 4}}));
  wire::Hello other = of_host("localhost", 0.5);
  other.clock = "another";
  EXPECT_EQ(join(of_host("localhost", 0.5)), "n1");
  EXPECT_EQ(join(other), "n2");
}

TEST_F(HostBookTest, WhatAHostHadAtFirstGoes) {
  begin(scenario_of({{"n1", 4}, {"n2", 4}}));
  EXPECT_EQ(join(of_host("a", 1, 800)), "n1");
  EXPECT_EQ(join(of_host("a", 1, 450)), "n2");  // n1 already uses some of the host
}

TEST_F(HostBookTest, ANodeByNameHasToFitToo) {
  Scenario scenario = scenario_of({{"n1", 4}, {"n2", 4}});
  scenario.cluster.nodes[1].host = "b";
  begin(scenario);
  const wire::Hello a = of_host("a", 0.4);
  EXPECT_TRUE(book_->check(NodeId{0}, a, free()));
  EXPECT_EQ(book_->check(NodeId{1}, a, free()).error().text,
            "node n2 is assigned to host b; this is host a");
  take(NodeId{0}, a);
  EXPECT_TRUE(book_->check(NodeId{0}, a, free()));  // its own use does not count against it
  EXPECT_THAT(book_->check(NodeId{0}, of_host("c", 0.3), free()).error().text,
              HasSubstr("host c has no room for node n1"));
  EXPECT_TRUE(book_->check(NodeId{1}, wire::Hello(), free()));  // on the master's own host
}

TEST_F(HostBookTest, ANodeThatIsFreeAgainLeavesItsRoomToAnother) {
  begin(scenario_of({{"n1", 4}, {"n2", 4}}));
  const wire::Hello a = of_host("a", 0.4);
  take(NodeId{0}, a);
  EXPECT_FALSE(book_->check(NodeId{1}, a, free()));
  taken_.erase(NodeId{0});
  EXPECT_TRUE(book_->check(NodeId{1}, a, free()));
}

}  // namespace heddle::master::host_assignment_test
