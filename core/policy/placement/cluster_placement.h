#pragma once

#include <map>

#include "core/policy/placement/executor_placement.h"
#include "core/policy/placement/node_load.h"
#include "core/policy/reduces/control_points.h"

namespace heddle {

/// Where executors go, seen over the whole cluster (policies.md, section 5): one is placed when the
/// scheduler's order comes to its request, on whichever node is chosen, and rides on that node's
/// next reply as a gang's containers do. Where none has room, a node is reserved for each container
/// outstanding. All other requests go by FirstFit, without reservations.
///
/// Costs: a node is looked at when it changes; a search looks at the nodes that have room for the
/// request, or that could come to have it, and at no others.
///
/// Who holds what is told in the journal: placement.reservation when a node is reserved, when that
/// moves, and at each control point (a multiple of control_interval) while it is held;
/// placement.released when it is over, however it ended.
class ClusterPlacement : public ExecutorPlacement {
 public:
  /// The scenario must outlive it.
  explicit ClusterPlacement(const Scenario& scenario);

  bool goes_anywhere() const override { return true; }
  /// At a control point reservations may move.
  void refresh(Draft& draft) override;
  std::optional<Choice> find(const Request& request, const Draft& draft,
                             const std::function<bool(NodeId)>& may) override;
  void follow(const Draft& draft) override;
  bool could_hold(const Resources& size) const override {
    return room_to_come_.first(size).has_value();
  }
  bool reserve(const Request& request, Draft& draft) override;
  void launched(const Request& request, NodeId node, const Resources& size) override;

 protected:
  using Nodes = std::vector<NodeId>;
  /// The largest container that the node could come to hold, should nobody else be placed there.
  virtual Resources most_room(const NodeLoad& load) const = 0;
  // NodeLoad::open and free of `candidates`, which are ascending, are as the draft has them.
  /// Returns the best of the candidates that have room.
  virtual std::optional<Choice> best_room(const Request& request, const Nodes& candidates,
                                          const Resources& total) const = 0;
  /// Returns the best of the candidates that could come to have room.
  virtual std::optional<Choice> best_to_hold(const Request& request, const Nodes& candidates,
                                             const Draft& draft) = 0;
  /// A candidate that is better for the request than the node it holds, by so much that the
  /// reservation is to move there; NodeLoad::free of `held` is as the draft has it.
  virtual std::optional<Choice> better_than(NodeId /*held*/, const Request&, const Nodes&,
                                            const Draft&) {
    return std::nullopt;
  }
  /// How long until the held node has room, if that is predicted.
  virtual std::optional<EmuTime> wait_on(NodeId, const Request&, const Draft&) {
    return std::nullopt;
  }

  NodeLoads& loads() { return loads_; }
  const NodeLoads& loads() const { return loads_; }
  /// Its number, from 1.
  std::int64_t step() const { return step_; }

 private:
  /// Looks at the node as the state has it.
  void load(NodeId node, const Draft& draft);
  void refresh_room_to_come(NodeId node, const Draft& draft);
  /// The books of what is held on the node as the state has it.
  void keep_books(NodeId node, Draft& draft);
  void look_again(Draft& draft);
  void tell(NodeId node, const Reservation& held, Draft& draft);
  /// Nodes that could come to hold it, as the draft has them.
  Nodes candidates_to_hold(const Request& request, const Draft& draft);
  void look_at(const Nodes& nodes, const Draft& draft);

  EmuTime interval_;
  std::int64_t step_ = 0;
  NodeLoads loads_;
  FreeIndex room_to_come_;              ///< most_room() of the nodes that nobody holds
  std::size_t followed_ = 0;            ///< of FreeNodeIndex::touched()
  std::set<NodeId> touched_;            ///< by the last step's draft
  std::map<NodeId, Reservation> held_;  ///< for executors; `since`, wherever it has moved from
  std::optional<EmuTime> wake_;         ///< the next control point, if one was asked for
};

}  // namespace heddle
