#pragma once

#include "core/policy/base/scheduler.h"
#include "core/policy/locality/delay.h"
#include "core/policy/locality/locality_rule.h"
#include "core/policy/placement/executor_placement.h"
#include "core/policy/placement/first_fit.h"
#include "core/policy/reduces/early_start.h"
#include "core/policy/reduces/reduce_adjustment.h"

namespace heddle {

/// What the shared loop does about application masters. Every policy has it.
extern const PartText kMasterShare;

/// The parts that a policy is composed of, but for the capacity model, which the engine has.
struct LoopParts {
  std::unique_ptr<Scheduler> scheduler;
  std::unique_ptr<ExecutorPlacement> executors;
  std::unique_ptr<ReduceAdjustment> reduces;
  std::unique_ptr<LocalityRule> locality;
  bool reserve = false;  ///< the option `reserve`
};

/// The loop that all schedulers share. In `dispatch: heartbeat` it fills the nodes that reported,
/// one after the other, each with one container after the other, the scheduler being asked anew
/// before each; in `immediate` the same over all nodes at once (for a scheduler whose order depends
/// on the node, over the nodes with room).
///
/// What keeps a request from its turn, whoever the scheduler is: its own reservation elsewhere
/// doesn't, but the share of the cluster that application masters may hold (max_am_share, at least
/// one may always run), YARN's ramp of early reduces, delay scheduling, and the scheduler's limits.
class PlacementLoop : public Policy {
 public:
  /// The scenario must outlive it.
  PlacementLoop(const Scenario& scenario, LoopParts parts);
  Decision decide(const View& view, std::span<const Event> events) override;
  bool passes(const View& view, NodeId node) override;
  std::vector<Obstacle> obstacles(const View& view, JobId job) const override;

 private:
  void fill(NodeId node, Draft& draft);
  void place_anywhere(Draft& draft);
  /// Returns whether no limit, of the scheduler's or another's, keeps the request from having a
  /// container.
  bool may_have(const Request& request, const Draft& draft) const {
    return am_has_room(request, draft) && scheduler_->allows(draft, request);
  }
  /// Gives room that was made on the node for queues to their requests.
  void serve_claims(NodeId node, Draft& draft);
  /// Gives cores that suspended reduces have let go of on the node to maps of their jobs, before
  /// anybody's turn, but within the scheduler's limits, and with delay scheduling. REQUIRES: nobody
  /// holds the node.
  void place_favoured(NodeId node, Draft& draft);
  /// Fills nodes with room, one after the other.
  void fill_open_nodes(Draft& draft);
  /// Places one container, on `node` or wherever it fits; false if nothing can be placed.
  bool place_one(std::optional<NodeId> node, Draft& draft);
  /// Places one container of the request, or all of a gang; false: it doesn't fit, or lets the
  /// opportunity pass.
  bool place(const Request& request, std::optional<NodeId> node, Draft& draft);
  /// The containers of the request that would be launched on the node now: one in full, or, if maps
  /// are shrunk for their data, some together. nullopt: none fits.
  std::optional<Portion> portion_on(const Request& request, NodeId node, const Draft& draft) const;
  /// Where it goes if any node will do.
  std::optional<NodeId> best_node(const Request& request, const Draft& draft) const;
  /// It is an executor that the whole view is looked through for.
  bool goes_anywhere(const Request& request) const {
    return request.kind == PhaseKind::kExecutor && !request.gang && executors_->goes_anywhere();
  }
  /// The node for it, of those that delay scheduling lets it have.
  std::optional<ExecutorPlacement::Choice> find_for_executor(const Request& request,
                                                             const Draft& draft) const;
  bool place_executor(const Request& request, Draft& draft);
  /// Reserves for a request that fits nowhere; false if it may not, or there is nothing to reserve.
  bool hold(const Request& request, std::optional<NodeId> node, Draft& draft);
  /// Of the nodes with room one that is as near to the request's data as any; `any` (one of them)
  /// if it is. Looked for is the data of the task that goes next wherever it may.
  NodeId nearest(const Request& request, NodeId any, const Draft& draft) const;
  bool place_gang(const Request& request, Draft& draft);
  void launch(const Request& request, NodeId node, const Resources& size, std::string reason,
              Draft& draft);
  /// Launches all containers of the portion, or as many as the scheduler's limits allow; the first
  /// is known to be allowed.
  void launch(const Request& request, NodeId node, const Portion& portion,
              const std::string& reason, Draft& draft);
  /// Gives a reserved node to its holder if it has room now; true if the node is held on.
  bool serve_reservation(NodeId node, Draft& draft);
  bool waits_for_ramp(const Request& request, const Draft& draft) const {
    return request.early && !ramp_allows(ramp_of(draft, request, ramp_limit_), request.resources);
  }
  bool am_has_room(const Request& request, const Draft& draft) const;
  /// Its turn comes and goes, whoever the scheduler is: it is early and may not, or can't, or it is
  /// a master too many.
  bool passed_over(const Request& request, const Round& round, const Draft& draft) const;
  /// Returns true if the request, which fits the node, may be launched there now. A gang may if
  /// all of it fits.
  bool may_launch(const Request& request, NodeId node, const Draft& draft) const;
  /// The rules for a round over the draft, which must outlive them.
  RoundRules rules(const Draft& draft) const;

  // What keeps a request from its turn (placement_obstacles.cc). `draft`s are to try things on.
  Obstacle::What obstacle_of(const Request& request, const View& view) const;
  /// Those that go before it, wherever that is asked (`node`, where the order depends on it).
  Ahead ahead_of(const Request& request, NodeId node, const Draft& draft) const;
  /// The nodes at whose reports it could be placed, `with_room` being those that have room for it,
  /// in the order in which they are due.
  std::vector<NodeId> reports(const Request& request, std::vector<NodeId> with_room,
                              const View& view) const;
  /// What becomes of it when the node reports; nullopt: it gets nothing, as
  /// others have taken the room. Adds these.
  std::optional<Obstacle::What> turn_at(const Request& request, NodeId node, Draft& draft,
                                        AheadOf& ahead) const;
  /// What becomes of it when these nodes report, in this order.
  Obstacle::What turn_of(const Request& request, const std::vector<NodeId>& nodes,
                         Draft& draft) const;
  /// The draft launches a container of the request there, or all of a gang, if it can.
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
