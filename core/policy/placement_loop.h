#pragma once

#include "core/policy/base/scheduler.h"
#include "core/policy/locality/delay.h"
#include "core/policy/locality/locality_rule.h"
#include "core/policy/placement/executor_placement.h"
#include "core/policy/placement/first_fit.h"
#include "core/policy/reduces/early_start.h"
#include "core/policy/reduces/reduce_adjustment.h"

namespace heddle {

/// Describes how the shared loop limits application masters. Every policy has this part.
extern const PartText kMasterShare;

/// The parts that a policy is composed of, without the capacity model, which the engine has.
struct LoopParts {
  std::unique_ptr<Scheduler> scheduler;
  std::unique_ptr<ExecutorPlacement> executors;
  std::unique_ptr<ReduceAdjustment> reduces;
  std::unique_ptr<LocalityRule> locality;
  bool reserve = false;  ///< the option `reserve`
};

/// Places containers in the scheduler's order; all schedulers share this loop. In `dispatch:
/// heartbeat` it fills the nodes that reported, one node after the other and one container after
/// the other, and asks the scheduler again before each container. In `immediate` it does the same
/// over all nodes at once, or over the nodes with room if the scheduler's order depends on the
/// node.
///
/// Under every scheduler a request can be kept from its turn by the share of the cluster that
/// application masters may hold (max_am_share; at least one may always run), by YARN's ramp of
/// early reduces, by delay scheduling, and by the scheduler's limits. Its own reservation elsewhere
/// does not keep it from its turn.
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
  /// Returns true if neither the share of application masters nor a limit of the scheduler keeps
  /// the request from a container.
  bool may_have(const Request& request, const Draft& draft) const {
    return am_has_room(request, draft) && scheduler_->allows(draft, request);
  }
  /// Launches the requests for whose queues room was made on the node.
  void serve_claims(NodeId node, Draft& draft);
  /// Gives the cores that suspended reduces have released on the node to maps of their jobs. These
  /// maps go before all other requests, but within the scheduler's limits and with delay
  /// scheduling. REQUIRES: nobody holds the node.
  void place_favoured(NodeId node, Draft& draft);
  /// Fills the nodes with room, one after the other.
  void fill_open_nodes(Draft& draft);
  /// Places one container on `node` or, without one, wherever it fits. Returns false if nothing can
  /// be placed.
  bool place_one(std::optional<NodeId> node, Draft& draft);
  /// Places one container of the request, or all of a gang. Returns false if it doesn't fit or lets
  /// the opportunity pass.
  bool place(const Request& request, std::optional<NodeId> node, Draft& draft);
  /// Returns the containers of the request that would be launched on the node now: one in full or,
  /// if maps are shrunk for their data, some together. nullopt: none fits.
  std::optional<Portion> portion_on(const Request& request, NodeId node, const Draft& draft) const;
  /// Returns the node for the request if any node will do; nullopt if it fits nowhere.
  std::optional<NodeId> best_node(const Request& request, const Draft& draft) const;
  /// Returns true if the request is for an executor that may go to any node of the view.
  bool goes_anywhere(const Request& request) const {
    return request.kind == PhaseKind::kExecutor && !request.gang && executors_->goes_anywhere();
  }
  /// Returns the node for an executor, among those that delay scheduling allows.
  std::optional<ExecutorPlacement::Choice> find_for_executor(const Request& request,
                                                             const Draft& draft) const;
  bool place_executor(const Request& request, Draft& draft);
  /// Reserves for a request that fits nowhere. Returns false if it may not reserve, or there is
  /// nothing to reserve.
  bool hold(const Request& request, std::optional<NodeId> node, Draft& draft);
  /// Returns a node with room that is as near to the request's data as possible: `any`, which has
  /// room, if no other is nearer. Only the data of the request's next task counts.
  NodeId nearest(const Request& request, NodeId any, const Draft& draft) const;
  bool place_gang(const Request& request, Draft& draft);
  void launch(const Request& request, NodeId node, const Resources& size, std::string reason,
              Draft& draft);
  /// Launches all containers of the portion, or as many as the scheduler's limits allow. The first
  /// is known to be allowed.
  void launch(const Request& request, NodeId node, const Portion& portion,
              const std::string& reason, Draft& draft);
  /// Launches the holder of a reserved node there if it has room now. Returns true if the node
  /// stays reserved.
  bool serve_reservation(NodeId node, Draft& draft);
  bool waits_for_ramp(const Request& request, const Draft& draft) const {
    return request.early && !ramp_allows(ramp_of(draft, request, ramp_limit_), request.resources);
  }
  bool am_has_room(const Request& request, const Draft& draft) const;
  /// Returns true if the search goes on to the next request, even if the scheduler is strict. This
  /// is so for an early reduce that may not start or does not fit, and for an application master
  /// that would exceed the limit of all application masters.
  bool passed_over(const Request& request, const Round& round, const Draft& draft) const;
  /// Returns true if the request may be launched on the node now. For a gang, this is true if the
  /// whole gang fits on the cluster. REQUIRES: the request fits the node.
  bool may_launch(const Request& request, NodeId node, const Draft& draft) const;
  /// Returns the rules for a round over the draft, which must outlive them.
  RoundRules rules(const Draft& draft) const;

  // Obstacles of requests (placement_obstacles.cc). They try placements on the `draft`s.
  Obstacle::What obstacle_of(const Request& request, const View& view) const;
  /// Returns the jobs that go before the request, on `node` if the order depends on the node.
  Ahead ahead_of(const Request& request, NodeId node, const Draft& draft) const;
  /// Returns the nodes at whose reports the request could be placed, in the order in which the
  /// reports are due. `with_room`: the nodes that have room for it.
  std::vector<NodeId> reports(const Request& request, std::vector<NodeId> with_room,
                              const View& view) const;
  /// Returns what happens to the request when the node reports; nullopt if it gets nothing because
  /// other jobs have taken the room. Adds these jobs to `ahead`.
  std::optional<Obstacle::What> turn_at(const Request& request, NodeId node, Draft& draft,
                                        AheadOf& ahead) const;
  /// Returns what happens to the request when these nodes report, in this order.
  Obstacle::What turn_of(const Request& request, const std::vector<NodeId>& nodes,
                         Draft& draft) const;
  /// Launches a container of the request, or all of a gang, in the draft. Returns false if it
  /// can't.
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
