#pragma once

#include <map>

#include "core/policy/placement/executor_placement.h"
#include "core/policy/placement/node_load.h"
#include "core/policy/reduces/control_points.h"

namespace heddle {

/// Chooses nodes for executors over the whole cluster (docs/reference/policies.md). When the
/// scheduler's order comes to a request for executors, the executor can be placed on any node. The
/// launch is sent with the next reply to that node, like the containers of a gang. If no node has
/// room, a node is reserved for each outstanding container. FirstFit places all other requests.
///
/// Costs: the load of a node is computed when the node changes. A search looks only at nodes that
/// have room for the request, or would have room after other containers end.
///
/// The journal records reservations. It has `placement.reservation` when a node is reserved, when
/// the reservation moves, and at each control point (a multiple of control_interval) during the
/// reservation. It has `placement.released` when the reservation ends for any reason.
class ClusterPlacement : public ExecutorPlacement {
 public:
  /// The scenario must outlive the placement.
  explicit ClusterPlacement(const Scenario& scenario);

  /// Takes in what changed. At a control point, also moves reservations to better nodes.
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
  /// Returns the size of the largest container that would have room on the node after other
  /// containers end, if nothing else is placed there.
  virtual Resources most_room(const NodeLoad& load) const = 0;
  // In the next three functions, `candidates` are ascending. NodeLoad::open and NodeLoad::free of
  // the candidates include what the draft has done.
  /// Returns the best candidate that has room.
  virtual std::optional<Choice> best_room(const Request& request, const Nodes& candidates,
                                          const Resources& total) const = 0;
  /// Returns the best candidate to reserve. A candidate can be reserved if it would have room after
  /// other containers end.
  virtual std::optional<Choice> best_to_hold(const Request& request, const Nodes& candidates,
                                             const Draft& draft) = 0;
  /// Returns the candidate to which the reservation of the node `held` moves, because it is clearly
  /// better for the request. Returns nullopt if there is none. NodeLoad::free of `held` includes
  /// what the draft has done.
  virtual std::optional<Choice> better_than(NodeId /*held*/, const Request&, const Nodes&,
                                            const Draft&) {
    return std::nullopt;
  }
  /// Returns the time until the reserved node has room. Returns nullopt if that time is not
  /// predicted.
  virtual std::optional<EmuTime> wait_on(NodeId, const Request&, const Draft&) {
    return std::nullopt;
  }

  NodeLoads& loads() { return loads_; }
  const NodeLoads& loads() const { return loads_; }
  /// Returns text such as "2 cores and 3GiB".
  std::string in_words(const Resources& amount) const;
  /// Returns the number of the current step. The first step has the number 1.
  std::int64_t step() const { return step_; }

 private:
  /// Computes the node's load from the state.
  void load(NodeId node, const Draft& draft);
  void refresh_room_to_come(NodeId node, const Draft& draft);
  /// Updates held_ from the node's reservation in the state, and notes the change in the journal.
  void keep_books(NodeId node, Draft& draft);
  void look_again(Draft& draft);
  void tell(NodeId node, const Reservation& held, Draft& draft);
  /// Returns the nodes that would have room for the request after other containers end. Their loads
  /// include what the draft has done.
  Nodes candidates_to_hold(const Request& request, const Draft& draft);
  void look_at(const Nodes& nodes, const Draft& draft);

  CountNames names_;
  EmuTime interval_;
  std::int64_t step_ = 0;
  NodeLoads loads_;
  FreeIndex room_to_come_;    ///< most_room() of the nodes that are not reserved
  std::size_t followed_ = 0;  ///< number of entries of FreeNodeIndex::touched() taken in so far
  std::set<NodeId> touched_;  ///< nodes that the draft of the last step has changed
  /// Reservations for executors. If a reservation moves, it keeps its `since`.
  std::map<NodeId, Reservation> held_;
  std::optional<EmuTime> wake_;  ///< the next control point, if a wake was requested for it
};

}  // namespace heddle
