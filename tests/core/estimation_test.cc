#include "core/policy/capacity/estimation.h"

#include "core/policy/registry.h"
#include "core/state/cluster_state.h"
#include "tests/core/virtual_cluster.h"
#include "tests/support/matchers.h"

namespace heddle::estimation_test {

constexpr std::int64_t kGiB = 1LL << 30;

Resources of(double cores, double gib) {
  return {Millicores(static_cast<std::int64_t>(cores * 1000)),
          EmuBytes(static_cast<std::int64_t>(gib * kGiB))};
}

/// Tests one node of 8 cores and 32 GiB, of which tasks may use 6 and 28.
class EstimationModelTest : public ::testing::Test {
 protected:
  void set(const char* option, const char* value) {
    set_policy(scenario_, option, value);
    model_ = kEstimationPart.make(scenario_);
    node_.allocated = {};
  }
  void SetUp() override {
    scenario_ = cluster_of(1, 8, 32);
    scenario_.cluster.nodes[0].allowance = of(6, 28);
    set_policy(scenario_, "capacity_model", "estimation");
    set("container_usage", "estimated");
    set("damping", "0.5");
    node_.id = NodeId{0};
    node_.spec = &scenario_.cluster.nodes[0];
    node_.alive = true;
  }
  void launch(std::int64_t id, const Resources& request) {
    Container container;
    container.id = ContainerId{id};
    container.node = NodeId{0};
    container.resources = request;
    model_->changed(container, CapacityModel::Change::kLaunched);
    node_.allocated += request;
    containers_[id] = container;
  }
  void end(std::int64_t id) {
    model_->changed(containers_.at(id), CapacityModel::Change::kEnded);
    node_.allocated -= containers_.at(id).resources;
    containers_.erase(id);
  }
  /// Sends the heartbeat of a worker that knows all containers.
  Measured measure(const Resources& containers, const Resources& node) {
    NodeHeartbeat beat{NodeId{0}, {}, {containers, node}};
    for (const auto& [id, container] : containers_)
      beat.containers.push_back({container.id, {}, {}, 0});
    return model_->heartbeat(beat);
  }

  Scenario scenario_;
  std::unique_ptr<CapacityModel> model_;
  Node node_;
  std::map<std::int64_t, Container> containers_;
};

// Free is min(allowance - E_containers, capacity - E_node). The total is allocated plus free.
TEST_F(EstimationModelTest, GivesWhatIsEstimatedNotToBeUsed) {
  EXPECT_EQ(model_->free(node_), of(6, 28));
  EXPECT_EQ(model_->total(node_), of(6, 28));
  launch(1, of(4, 16));
  EXPECT_EQ(model_->free(node_), of(2, 12));  // at once
  measure(of(1, 4), of(1, 4));
  EXPECT_EQ(model_->free(node_), of(3.5, 18));  // 6 - 2.5, 28 - 10
  EXPECT_EQ(model_->total(node_), of(7.5, 34));
}

// Programs outside of the containers reduce free capacity, even if the containers use nothing.
TEST_F(EstimationModelTest, AHotNodeShrinks) {
  measure(of(0, 0), of(5, 30));
  EXPECT_EQ(model_->free(node_), of(3, 2));
  EXPECT_EQ(model_->total(node_), of(3, 2));
  measure(of(0, 0), of(9, 33));
  EXPECT_EQ(model_->free(node_), Resources{});
}

// A job keeps 2 cores and 8 GiB of a task that has ended. Nothing of it is used, and nothing of it
// is free.
TEST_F(EstimationModelTest, WhatAJobKeepsIsNotFree) {
  node_.allocated = node_.kept[JobId{0}] = of(2, 8);
  measure(of(0, 0), of(0, 0));
  EXPECT_EQ(model_->free(node_), of(4, 20));
  EXPECT_EQ(model_->total(node_), of(6, 28));
}

TEST_F(EstimationModelTest, DampingZeroIsReservation) {
  set("damping", "0");
  launch(1, of(4, 16));
  EXPECT_EQ(model_->free(node_), of(2, 12));
  measure(of(0, 0), of(8, 32));
  EXPECT_EQ(model_->free(node_), of(2, 12));
  EXPECT_EQ(model_->total(node_), of(6, 28));
  launch(2, of(4, 16));  // such as a resumed container
  EXPECT_EQ(model_->free(node_), Resources{});
  EXPECT_EQ(model_->total(node_), of(6, 28));
}

TEST_F(EstimationModelTest, EachResourceHasItsDamping) {
  set("cores_damping", "0");
  launch(1, of(4, 16));
  measure(of(1, 4), of(1, 4));
  EXPECT_EQ(model_->free(node_), of(2, 18));
  EXPECT_EQ(model_->total(node_), of(6, 34));
}

// The paper's equation 5, min(allowance - U_containers, capacity - E_node), is the default. A task
// that was just placed is in E_node alone: 8 - 2 cores and 32 - 8 GiB. Then U_containers is <1, 4>,
// and E_node with damping 1/2 is <2, 8> / 2 + <1, 4> / 2 = <1.5, 6>: min(6 - 1, 8 - 1.5) and min(28
// - 4, 32 - 6). A later measurement of <3, 12> counts at once: E_node is <2.25, 9>, raised to <3,
// 12>.
TEST_F(EstimationModelTest, EquationFiveGoesByWhatWasMeasuredLast) {
  EXPECT_EQ(option_text(PolicySpec{"estimation", {}}, *find_option("container_usage")),
            "instantaneous");
  set("container_usage", "instantaneous");
  launch(1, of(2, 8));
  EXPECT_EQ(model_->free(node_), of(6, 24));
  measure(of(1, 4), of(1, 4));
  EXPECT_EQ(model_->free(node_), of(5, 24));
  measure(of(3, 12), of(3, 12));
  EXPECT_EQ(model_->free(node_), of(3, 16));
}

// If nothing is allocated and nothing changes, a replay does not need the measurement.
TEST_F(EstimationModelTest, SaysWhichMeasurementsMatter) {
  EXPECT_EQ(measure({}, {}), Measured::kNothing);
  EXPECT_EQ(measure({}, of(1, 1)), Measured::kUse);
  EXPECT_EQ(measure({}, of(1, 1)), Measured::kNothing);
  launch(1, of(1, 1));
  // The worker knows the container now.
  EXPECT_EQ(measure({}, of(1, 1)), Measured::kUseAndContainers);
  EXPECT_EQ(measure({}, of(1, 1)), Measured::kUse);
  end(1);
  EXPECT_EQ(measure({}, of(1, 1)), Measured::kUse);
  set("damping", "0");
  EXPECT_EQ(measure({}, of(2, 2)), Measured::kNothing);
}

// A task's estimate starts to fade when its worker knows of the task.
TEST_F(EstimationModelTest, WhatIsOnItsWayCountsInFull) {
  launch(1, of(4, 16));
  model_->heartbeat({NodeId{0}});
  EXPECT_EQ(model_->free(node_), of(2, 12));
  measure(of(1, 4), of(1, 4));
  EXPECT_EQ(model_->free(node_), of(3.5, 18));
}

TEST_F(EstimationModelTest, TellsWhatItMakesOfItAndWhatRequestsWouldSay) {
  launch(1, of(4, 16));
  measure(of(1, 4), of(2, 5));
  const std::vector<PolicyNote> notes = model_->take_notes({node_});
  ASSERT_EQ(notes.size(), 1);
  EXPECT_EQ(notes[0].about, "estimation.node");
  using Pair = std::pair<std::string, PolicyNote::Value>;
  EXPECT_EQ(notes[0].values[0], Pair("node", std::int64_t{0}));
  auto row = [](double cores, double gib) { return std::vector{cores, gib * kGiB}; };
  const std::vector<Pair> rest(notes[0].values.begin() + 1, notes[0].values.end());
  EXPECT_THAT(rest, ElementsAre(Pair("containers_estimate", row(2.5, 10)),
                                Pair("node_estimate", row(3, 10.5)), Pair("free", row(3.5, 18)),
                                Pair("free_by_requests", row(2, 12)), Pair("size", row(7.5, 34))));
  EXPECT_TRUE(model_->take_notes({node_}).empty());
}

TEST_F(EstimationModelTest, AWorkerThatBeginsAnewHasNothing) {
  launch(1, of(4, 16));
  end(1);
  model_->registered(NodeId{0});
  EXPECT_EQ(model_->free(node_), of(6, 28));
}

// Containers that a worker does not know yet count in full.
TEST_F(EstimationModelTest, AWorkersEstimateAndWhatItDoesNotKnowYet) {
  set("estimate_at", "worker");
  auto report = [&](const std::vector<std::int64_t>& known, double cores, double gib) {
    NodeHeartbeat beat{NodeId{0}};
    for (std::int64_t id : known) beat.containers.push_back({ContainerId{id}, {}, {}, 0});
    beat.estimate = NodeEstimate{{cores, gib * kGiB}, {cores, gib * kGiB}};
    return model_->heartbeat(beat);
  };
  launch(1, of(2, 8));
  EXPECT_EQ(model_->free(node_), of(4, 20));
  report({}, 0, 0);  // container 1 is on its way
  EXPECT_EQ(model_->free(node_), of(4, 20));
  report({1}, 1, 6);
  EXPECT_EQ(model_->free(node_), of(5, 22));
  launch(2, of(2, 8));
  end(2);  // between two heartbeats: its share stays until the next
  EXPECT_EQ(model_->free(node_), of(3, 14));
  EXPECT_EQ(report({1}, 1, 6), Measured::kUseAndContainers);
  EXPECT_EQ(model_->free(node_), of(5, 22));
  EXPECT_EQ(report({1}, 1, 6), Measured::kNothing);
}

}  // namespace heddle::estimation_test
