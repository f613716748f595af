#pragma once

#include "core/policy/gate.h"
#include "core/policy/placement/executor_placement.h"
#include "core/policy/placement/first_fit.h"
#include "core/policy/reduces/early_start.h"
#include "core/policy/reduces/reduce_adjustment.h"

namespace heddle {

/// Parts of a policy, except for the capacity model. The engine has the capacity model. All except
/// the scheduler can be null.
struct LoopParts {
  std::unique_ptr<Scheduler> scheduler;
  std::unique_ptr<ExecutorPlacement> executors;
  std::unique_ptr<ReduceAdjustment> reduces;
  std::unique_ptr<LocalityRule> locality;
  bool reserve = false;   ///< the option `reserve`
  double reservable = 1;  ///< the option `reservable_nodes`
};

/// Places containers in the scheduler's order. All schedulers share this loop. With `dispatch:
/// heartbeat`, the loop fills the nodes that reported, one node after the other. It places one
/// container at a time, and asks the scheduler again before each container. With `dispatch:
/// immediate`, the loop searches all nodes for each container. If the scheduler's order depends on
/// the node, the loop fills the nodes with room one after the other instead.
///
/// The gates (gate.h) decide whether a request gets a container. A request does not lose its turn
/// because it has reserved another node.
class PlacementLoop : public Policy {
 public:
  /// The scenario must outlive the loop.
  PlacementLoop(const Scenario& scenario, LoopParts parts);
  Decision decide(const View& view, std::span<const Event> events) override;
  bool passes(const View& view, NodeId node) override;
  EmuTime passes_until() const override {
    return delay_.takes_time() ? EmuTime(0) : scheduler_->passes_until();
  }
  std::vector<Obstacle> obstacles(const View& view, JobId job) const override;

  /// Ends a decision that the scheduler has interrupted (Scheduler::paused). Otherwise, the next
  /// call of decide() resumes it with the nodes that are not full yet.
  void give_up() { unfilled_.clear(); }

  /// Asks the whole chain of gates for a container of the request on the node. Returns the answer
  /// of the first gate that refuses.
  std::optional<Refusal> refused_at(const Request& request, NodeId node, const Draft& draft) const;
  /// Asks only the gates of requests.
  std::optional<Refusal> refused_anywhere(const Request& request, const Draft& draft) const {
    return gates_.of_request(request, draft);
  }
  /// Returns true if some requests wait for nodes near their data.
  bool delays() const { return delay_.active(); }
  /// Returns a draft's view of free nodes in this state.
  FreeNodeIndex free_nodes(const View& view) const;

  /// Is called with each refusal, also of trials by obstacles(). Tests compare both.
  using Note = std::function<void(const Request&, const Refusal&)>;
  void note_refusals(Note note) { note_ = std::move(note); }

 private:
  /// Where containers of a request are launched.
  struct Place {
    NodeId node;
    Portion portion;
    std::vector<NodeId> gang;  ///< the node of each container of a gang
    std::string why = {};      ///< why an executor goes to this node
  };
  /// Releases the reservations of requests that are not the first one that may have a container.
  void release_late(Draft& draft);
  /// Releases the nodes that the site has reserved for others than those that hold them.
  static void release_kept_out(Draft& draft);
  void fill(NodeId node, Draft& draft);
  void place_anywhere(Draft& draft);
  /// Returns true if no gate of requests refuses.
  bool may_have(const Request& request, const Draft& draft) const {
    return !gates_.of_request(request, draft);
  }
  /// Launches requests on the node, in the room that preemption has made there for their queues.
  void serve_claims(NodeId node, Draft& draft);
  /// Places maps on the cores that suspended reduces of the same job have released on the node.
  /// These maps go before all other requests, but the gates still apply to them. REQUIRES: the
  /// node is not reserved.
  void place_favoured(NodeId node, Draft& draft);
  /// Places one container on a node that the scheduler prefers for it. Returns false if nothing can
  /// be placed.
  bool place_preferred(Draft& draft);
  /// Fills the nodes with room, one after the other.
  void fill_open_nodes(Draft& draft);
  /// Places one container on `node`. If there is no `node`, places it on any node where it fits.
  /// Returns false if nothing can be placed.
  bool place_one(std::optional<NodeId> node, Draft& draft);
  /// Asks the gates of nodes and patience where containers of the request are launched now: one
  /// container, all of a gang, or the maps of a portion. If there is a `node`, only there, except
  /// for gangs and for executors that can go anywhere. Sets `place`, or returns why not.
  std::optional<Refusal> find(const Request& request, std::optional<NodeId> node,
                              const Draft& draft, Place& place) const;
  std::optional<Refusal> find_for_gang(const Request& request, const Draft& draft,
                                       Place& place) const;
  std::optional<Refusal> find_for_executor(const Request& request, const Draft& draft,
                                           Place& place) const;
  /// Places what find() finds. If it finds nothing, takes in the refusal and returns false.
  bool place(const Request& request, std::optional<NodeId> node, Draft& draft);
  /// Takes in that the request was refused. It may have let an opportunity pass.
  void refuse(const Request& request, const Refusal& refusal, Draft& draft);
  /// Returns whether it is known that the amount fits on no node that meets the conditions.
  bool lacks_labelled_room(const Resources& wanted, const Where& where) const;
  /// Notes, until some node has got more room, that this is so, if it is.
  void note_labelled_room(const Request& request, const Draft& draft) const;
  /// Returns the best node for the request if all nodes are offered. Returns nullopt if the request
  /// fits nowhere.
  std::optional<NodeId> best_node(const Request& request, const Draft& draft) const;
  /// Returns true if the request is for an executor that can be placed on any node of the view.
  bool goes_anywhere(const Request& request) const {
    return executors_ && request.kind == PhaseKind::kExecutor && !request.gang;
  }
  /// Reserves a node for a request that fits nowhere. Returns false if the request is not allowed
  /// to reserve, or if there is no node to reserve.
  bool hold(const Request& request, std::optional<NodeId> node, Draft& draft);
  /// Keeps nodes for a gang that does not fit. Returns true if a reservation has changed.
  bool keep_for_gang(const Request& request, Draft& draft);
  /// Returns the node with room that is nearest to the data of the request's next task. Returns
  /// `any` if no other node is nearer. REQUIRES: `any` has room.
  NodeId nearest(const Request& request, NodeId any, const Draft& draft) const;
  void launch_gang(const Request& request, const std::vector<NodeId>& nodes, Draft& draft);
  GangPlaces gang_places(Draft& draft);
  /// Launches a container on the devices that `node_order` chooses.
  void launch_one(const Request& request, NodeId node, const Resources& size, std::string reason,
                  Draft& draft);
  void launch(const Request& request, NodeId node, const Resources& size, std::string reason,
              Draft& draft);
  /// Launches the containers of the portion one after the other, until the scheduler's gate
  /// refuses. REQUIRES: the gates let the first pass.
  void launch(const Request& request, NodeId node, const Portion& portion,
              const std::string& reason, Draft& draft);
  /// Launches a container of the request that has reserved the node, if the node has room now.
  /// Returns true if the node stays reserved.
  bool serve_reservation(NodeId node, Draft& draft);
  /// Returns true if the search continues with the next request, even if the scheduler is strict:
  /// a gate of requests refuses, or an early reduce does not fit.
  bool passed_over(const Request& request, const Round& round, const Draft& draft) const;
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
  /// Launches what find() finds, but only in the draft.
  std::optional<Refusal> try_place(const Request& request, NodeId node, Draft& draft) const;

  const Scenario& scenario_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<ExecutorPlacement> executors_;
  std::unique_ptr<ReduceAdjustment> reduces_;
  std::unique_ptr<LocalityRule> locality_;
  NodeRank rank_;
  FirstFit placement_;
  Delay delay_;
  JobLimits limits_;
  Gates gates_;
  FreeNodeIndex free_nodes_;
  /// FreeNodeIndex::grown() when a size fitted on no node with these labels.
  mutable std::map<Resources, std::map<Where, std::uint64_t>, BySize> no_labelled_room_;
  ReducePreemption reduce_preemption_;
  bool nothing_to_do_ = false;    ///< the last decision could use every node, and had no action
  std::vector<NodeId> unfilled_;  ///< nodes of an interrupted decision, in their order
  Note note_;
};

}  // namespace heddle
