#pragma once

#include <map>

#include "core/policy/placement/executor_placement.h"
#include "core/policy/placement/node_load.h"
#include "core/policy/reduces/control_points.h"

namespace heddle {

/// Chooses nodes for executors over the whole cluster (docs/reference/policies.md). An executor is
/// placed when the scheduler's order comes to its request, on whichever node is chosen. Its launch
/// rides on that node's next reply, like the containers of a gang. If no node has room, a node is
/// reserved for each outstanding container. All other requests go by FirstFit, without
/// reservations.
///
/// Costs: a node is loaded when it changes. A search looks only at the nodes that have room for the
/// request or could come to have it.
///
/// The journal records reservations: placement.reservation when a node is reserved, when the
/// reservation moves, and at each control point (a multiple of control_interval) while it is held;
/// placement.released when it is over, however it ended.
class ClusterPlacement : public ExecutorPlacement {
 public:
  /// The scenario must outlive the placement.
  explicit ClusterPlacement(const Scenario& scenario);

  bool goes_anywhere() const override { return true; }
  /// Takes in what changed; at a control point, reservations may move.
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
  /// Returns the largest container that the node could come to hold if nobody else is placed there.
  virtual Resources most_room(const NodeLoad& load) const = 0;
  // For the next three: `candidates` are ascending, and their NodeLoad::open and free are as the
  // draft has them.
  /// Returns the best of the candidates that have room.
  virtual std::optional<Choice> best_room(const Request& request, const Nodes& candidates,
                                          const Resources& total) const = 0;
  /// Returns the best of the candidates that could come to have room.
  virtual std::optional<Choice> best_to_hold(const Request& request, const Nodes& candidates,
                                             const Draft& draft) = 0;
  /// Returns a candidate that is so much better for the request than the node `held` that the
  /// reservation is to move there; nullopt if there is none. NodeLoad::free of `held` is as the
  /// draft has it.
  virtual std::optional<Choice> better_than(NodeId /*held*/, const Request&, const Nodes&,
                                            const Draft&) {
    return std::nullopt;
  }
  /// Returns how long it takes until the held node has room, if that is predicted.
  virtual std::optional<EmuTime> wait_on(NodeId, const Request&, const Draft&) {
    return std::nullopt;
  }

  NodeLoads& loads() { return loads_; }
  const NodeLoads& loads() const { return loads_; }
  /// Returns the number of the current step, from 1.
  std::int64_t step() const { return step_; }

 private:
  /// Computes the node's load from the state.
  void load(NodeId node, const Draft& draft);
  void refresh_room_to_come(NodeId node, const Draft& draft);
  /// Brings held_ up to date with the node's reservation in the state, and notes the changes.
  void keep_books(NodeId node, Draft& draft);
  void look_again(Draft& draft);
  void tell(NodeId node, const Reservation& held, Draft& draft);
  /// Returns the nodes that could come to hold the request, with their loads as the draft has them.
  Nodes candidates_to_hold(const Request& request, const Draft& draft);
  void look_at(const Nodes& nodes, const Draft& draft);

  EmuTime interval_;
  std::int64_t step_ = 0;
  NodeLoads loads_;
  FreeIndex room_to_come_;              ///< most_room() of the nodes that nobody holds
  std::size_t followed_ = 0;            ///< entries of FreeNodeIndex::touched() taken in
  std::set<NodeId> touched_;            ///< nodes that the last step's draft has changed
  std::map<NodeId, Reservation> held_;  ///< for executors; a move keeps `since`
  std::optional<EmuTime> wake_;         ///< the next control point, if one was asked for
};

}  // namespace heddle
