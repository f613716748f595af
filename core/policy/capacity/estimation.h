#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/model/usage_estimator.h"
#include "core/policy/capacity/capacity_model.h"

namespace heddle {

/// A node has what its tasks are estimated not to use, whatever they requested:
/// min(allowance - U_containers, capacity - E_node) of each resource. U_containers is what the last
/// heartbeat measured of the node's containers (the paper's equation 5); `container_usage:
/// estimated` puts E_containers, the estimate over that sum, in its place. E_node is the estimate
/// over the whole node (core/model/usage_estimator.h). At damping 0, by definition, a node has what
/// the reservation model says. Schedulers take its size for what is allocated and what is free, so
/// it grows where there is slack and shrinks where the node is hot.
///
/// A launched task is added to the estimates here (rule 2) until a heartbeat reports it; its
/// heartbeats are counted from then on. So `estimate_at: worker`, with which estimates come with
/// the heartbeats, gives the same numbers. U_containers is not corrected for starts and ends since
/// the heartbeat: a task just placed is in E_node.
///
/// Good at: requests far above use. Bad at: use that rises late or all at once; memory can run out,
/// the kernel then kills and the work is done again.
class EstimationModel : public CapacityModel {
 public:
  explicit EstimationModel(const Scenario& scenario);

  Resources free(const Node& node) const override;
  Resources total(const Node& node) const override;

  void registered(NodeId node) override;
  void launched(const Container& container) override;
  void ended(const Container& container) override;
  void suspended(const Container& container) override;
  void resumed(const Container& container) override;
  Measured heartbeat(const NodeHeartbeat& heartbeat) override;
  bool measures() const override { return true; }
  /// "estimation.node": of each node of which something was measured the estimates made of it, what
  /// is free, what would be by requests alone, and its size as schedulers see it.
  std::vector<PolicyNote> take_notes(const std::vector<Node>& nodes) override;

 private:
  struct UnderWay {
    Resources request;
    bool ended = false;
  };
  struct Estimated {
    UsageEstimator here;
    NodeEstimate reported;
    NodeUse use;
    /// Launched, and no heartbeat knows of it yet.
    std::map<ContainerId, UnderWay> under_way;
  };
  NodeEstimate estimate(const Estimated& node) const;
  /// The node's worker knows of the container.
  void know(Estimated& node, ContainerId container);

  Damping damping_;
  bool at_worker_;
  bool instantaneous_;
  std::vector<Estimated> nodes_;
  std::set<NodeId> measured_;
};

/// How far estimates follow measurements in a policy with `capacity_model: estimation`.
Damping damping_of(const PolicySpec& policy);
/// Whether workers are to make the estimate.
bool estimated_at_worker(const PolicySpec& policy);

}  // namespace heddle
