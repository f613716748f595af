#pragma once

#include "core/policy/base/scheduler.h"
#include "core/policy/locality/delay.h"
#include "core/policy/locality/locality_rule.h"
#include "core/policy/placement/executor_placement.h"
#include "core/policy/placement/first_fit.h"
#include "core/policy/reduces/early_start.h"
#include "core/policy/reduces/reduce_adjustment.h"

namespace heddle {

/// Describes the limit that PlacementLoop sets for application masters. Every policy has this part.
extern const PartText kMasterShare;
extern const NumberOption kMaxAmShare;

/// Parts of a policy, except for the capacity model. The engine has the capacity model.
struct LoopParts {
  std::unique_ptr<Scheduler> scheduler;
  std::unique_ptr<ExecutorPlacement> executors;
  std::unique_ptr<ReduceAdjustment> reduces;
  std::unique_ptr<LocalityRule> locality;
  bool reserve = false;  ///< the option `reserve`
};

/// Places containers in the scheduler's order. All schedulers share this loop. With `dispatch:
/// heartbeat`, the loop fills the nodes that reported, one node after the other. It places one
/// container at a time, and asks the scheduler again before each container. With `dispatch:
/// immediate`, the loop searches all nodes for each container. If the scheduler's order depends on
/// the node, the loop fills the nodes with room one after the other instead.
///
/// Under every scheduler, a request can lose its turn for these reasons:
/// - Application masters would hold more than their share of the cluster (max_am_share). One
///   application master is always allowed to run.
/// - YARN's ramp does not allow another early reduce.
/// - Delay scheduling waits for a better node.
/// - The scheduler has a limit, such as a queue's maximum.
///
/// A request does not lose its turn because it has reserved another node.
class PlacementLoop : public Policy {
 public:
  /// The scenario must outlive the loop.
  PlacementLoop(const Scenario& scenario, LoopParts parts);
  Decision decide(const View& view, std::span<const Event> events) override;
  bool passes(const View& view, NodeId node) override;
  std::vector<Obstacle> obstacles(const View& view, JobId job) const override;

 private:
  void fill(NodeId node, Draft& draft);
  void place_anywhere(Draft& draft);
  /// Returns true if the request is allowed to get a container. The share of application masters
  /// and the scheduler's limits decide this.
  bool may_have(const Request& request, const Draft& draft) const {
    return am_has_room(request, draft) && scheduler_->allows(draft, request);
  }
  /// Launches requests on the node, in the room that preemption has made there for their queues.
  void serve_claims(NodeId node, Draft& draft);
  /// Places maps on the cores that suspended reduces of the same job have released on the node.
  /// These maps go before all other requests. The scheduler's limits and delay scheduling still
  /// apply to them. REQUIRES: the node is not reserved.
  void place_favoured(NodeId node, Draft& draft);
  /// Fills the nodes with room, one after the other.
  void fill_open_nodes(Draft& draft);
  /// Places one container on `node`. If there is no `node`, places it on any node where it fits.
  /// Returns false if nothing can be placed.
  bool place_one(std::optional<NodeId> node, Draft& draft);
  /// Places one container of the request. For a gang, places all containers. Returns false if they
  /// do not fit, or if the request lets the opportunity pass (delay scheduling).
  bool place(const Request& request, std::optional<NodeId> node, Draft& draft);
  /// Returns the containers of the request to launch on the node now. This is one container of full
  /// size, or several smaller maps if `locality: shrink` makes them fit beside their data. Returns
  /// nullopt if none fits.
  std::optional<Portion> portion_on(const Request& request, NodeId node, const Draft& draft) const;
  /// Returns the best node for the request if all nodes are offered. Returns nullopt if the request
  /// fits nowhere.
  std::optional<NodeId> best_node(const Request& request, const Draft& draft) const;
  /// Returns true if the request is for an executor that can be placed on any node of the view.
  bool goes_anywhere(const Request& request) const {
    return request.kind == PhaseKind::kExecutor && !request.gang && executors_->goes_anywhere();
  }
  /// Returns the node for an executor. Considers only nodes that delay scheduling allows.
  std::optional<ExecutorPlacement::Choice> find_for_executor(const Request& request,
                                                             const Draft& draft) const;
  bool place_executor(const Request& request, Draft& draft);
  /// Reserves a node for a request that fits nowhere. Returns false if the request is not allowed
  /// to reserve, or if there is no node to reserve.
  bool hold(const Request& request, std::optional<NodeId> node, Draft& draft);
  /// Returns the node with room that is nearest to the data of the request's next task. Returns
  /// `any` if no other node is nearer. REQUIRES: `any` has room.
  NodeId nearest(const Request& request, NodeId any, const Draft& draft) const;
  bool place_gang(const Request& request, Draft& draft);
  void launch(const Request& request, NodeId node, const Resources& size, std::string reason,
              Draft& draft);
  /// Launches the containers of the portion one after the other, until the scheduler's limits allow
  /// no more. REQUIRES: the limits allow the first.
  void launch(const Request& request, NodeId node, const Portion& portion,
              const std::string& reason, Draft& draft);
  /// Launches a container of the request that has reserved the node, if the node has room now.
  /// Returns true if the node stays reserved.
  bool serve_reservation(NodeId node, Draft& draft);
  bool waits_for_ramp(const Request& request, const Draft& draft) const {
    return request.early && !ramp_allows(ramp_of(draft, request, ramp_limit_), request.resources);
  }
  bool am_has_room(const Request& request, const Draft& draft) const;
  /// Returns true if the search continues with the next request, even if the scheduler is strict.
  /// This is so for an early reduce that is not allowed to start or does not fit. It is also so for
  /// an application master that would exceed the limit of all application masters.
  bool passed_over(const Request& request, const Round& round, const Draft& draft) const;
  /// Returns true if the request is allowed to be launched on the node now. For a gang, this is
  /// true if the whole gang fits on the cluster. REQUIRES: the request fits the node.
  bool may_launch(const Request& request, NodeId node, const Draft& draft) const;
  /// Returns the rules for a round. The draft must outlive the rules.
  RoundRules rules(const Draft& draft) const;

  // Functions that find the obstacles of requests (placement_obstacles.cc). Functions that take a
  // `draft` which is not const try placements on it.
  Obstacle::What obstacle_of(const Request& request, const View& view) const;
  /// Returns the jobs that go before the request. If the order depends on the node, this is the
  /// order on `node`.
  Ahead ahead_of(const Request& request, NodeId node, const Draft& draft) const;
  /// Returns the nodes whose reports can lead to a placement of the request, in the order in which
  /// the reports are due. `with_room`: the nodes that have room for the request.
  std::vector<NodeId> reports(const Request& request, std::vector<NodeId> with_room,
                              const View& view) const;
  /// Returns what happens to the request when the node reports. Returns nullopt if other jobs take
  /// the room first. Adds these jobs to `ahead`.
  std::optional<Obstacle::What> turn_at(const Request& request, NodeId node, Draft& draft,
                                        AheadOf& ahead) const;
  /// Returns what happens to the request when these nodes report, in this order.
  Obstacle::What turn_of(const Request& request, const std::vector<NodeId>& nodes,
                         Draft& draft) const;
  /// Launches a container of the request in the draft. For a gang, launches all containers. Returns
  /// false if that is not possible.
  bool would_place(const Request& request, NodeId node, Draft& draft) const;

  const Scenario& scenario_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<ExecutorPlacement> executors_;
  std::unique_ptr<ReduceAdjustment> reduces_;
  std::unique_ptr<LocalityRule> locality_;
  FirstFit placement_;
  Delay delay_;
  FreeNodeIndex free_nodes_;
  ReducePreemption reduce_preemption_;
  double max_am_share_;
  double ramp_limit_;
};

}  // namespace heddle
