#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/policy/queues/held_room.h"
#include "core/policy/queues/queue_tree.h"

namespace heddle {

/// What queues are guaranteed and may hold, by queue of the tree: dominant shares of the cluster.
struct QueueLimits {
  std::vector<double> guaranteed, maximum;
};

/// Returns whether `held` is at most the guarantee, a dominant share of `total`.
bool within(double guaranteed, const Resources& held, const Resources& total);

/// Decides, within one step, which containers die for leaves that have waited below their
/// guarantee.
///
/// A leaf gets room for the containers, in its own order, with which it holds at most its
/// guarantee. Nothing is killed for a container that has room anywhere. For each of the others the
/// leaf that holds most above its ideal (ideal_shares) gives its youngest containers, on the node
/// where the fewest have to die, of these the node with the youngest. If that leaf's containers on
/// the node are not enough, containers of the next leaf die too. The room is then held for the
/// queue. The plan leaves a node alone that is reserved for a request within the guarantee of the
/// request's own queue; it releases other reservations on the node. It spares application masters,
/// and gives nothing to gangs and early reduces.
class PreemptionPlan {
 public:
  /// All arguments must outlive the plan.
  PreemptionPlan(const QueueTree& tree, const QueueLimits& limits, const Scheduler::Visit& may_have,
                 HeldRoom& held_room, Draft& draft)
      : tree_(tree), limits_(limits), may_have_(may_have), held_room_(held_room), draft_(draft) {}

  /// Makes room for what the leaf asks for within its guarantee.
  void serve(int leaf);
  /// Returns nodes on which something can be placed at once, because a reservation was released.
  const std::vector<NodeId>& released() const { return released_; }

 private:
  /// Containers of one node that together make room for one more. The list is empty if only a
  /// reservation is in the way.
  struct Victims {
    NodeId node;
    std::vector<ContainerId> containers;
  };
  /// The price of victims: how many containers, less the id of the first, and the node. Fewer
  /// containers are cheaper, then a younger first container.
  using Price = std::tuple<std::size_t, std::int64_t, NodeId>;
  using BySize = ByCoresThenMemory;

  const ClusterState& cluster() const { return draft_.view().cluster; }
  int leaf_of(const Container& container) const { return tree_.queue_of(container.task.phase.job); }
  double share(const Resources& held) const { return dominant_share(held, cluster().total()); }
  bool fits_guarantee(int leaf, const Resources& held) const {
    return within(limits_.guaranteed[leaf], held, cluster().total());
  }
  bool may_die(const Container& container) const;

  /// Reads all containers and queues, once, when something is to be killed for the first time.
  void look();
  void find_ideal();
  /// Returns what the leaf asks for and may have, counted until its guarantee is reached.
  Resources asked(int leaf) const;
  /// Makes room for so many containers of the request, as far as the guarantee goes.
  void serve(const Request& request, int containers);
  /// Takes free room for one container of that size; false if there is none.
  bool free_room(const Resources& size);
  bool take_spare(NodeId node, const Resources& size);
  bool make_room(const Request& request);
  /// Returns the cheapest victims on any node, the first of which is the leaf's.
  std::optional<Victims> cheapest(const Resources& size, int first);
  std::optional<Victims> victims_on(NodeId node, const Resources& size, int first) const;
  const Container* next_victim(const Node& node, const std::map<int, Resources>& taken,
                               std::optional<int> of, const std::vector<ContainerId>& but) const;
  static Price price(const Victims& victims);
  bool left_alone(NodeId node) const;
  /// Returns what of the node is free, or about to be, and not held for anybody.
  Resources spare(NodeId node) const;
  void take(const Victims& victims, const Request& request);
  void release(PhaseId holder, NodeId node, std::string reason);
  /// Releases reservations of the request on nodes where nothing may die, at most as many as the
  /// request no longer needs because room was made elsewhere.
  void release_surplus(const Request& request, int made);

  const QueueTree& tree_;
  const QueueLimits& limits_;
  const Scheduler::Visit& may_have_;
  HeldRoom& held_room_;
  Draft& draft_;
  std::vector<NodeId> released_;

  // Set by look() and kept up to date since.
  bool looked_ = false;
  std::vector<Resources> held_;                    ///< by queue, leaves only: without what is dying
  std::vector<double> ideal_;                      ///< by queue
  std::vector<std::vector<ContainerId>> may_die_;  ///< by leaf, ascending; some may have since
  std::map<NodeId, Resources> dying_, promised_;
  std::set<NodeId> spare_;  ///< nodes that may have spare room besides what is free already
  /// Where a size may still find room.
  struct Search {
    NodeId from;  ///< of nodes with free room: this one and later ones
    std::set<NodeId> spare;
  };
  std::map<Resources, Search, BySize> searches_;

  // State of the leaf that is being served.
  int leaf_ = 0;
  Resources coming_;  ///< what it holds, and for which there is or will be room
  int masters_ = 0;   ///< of the containers coming
  std::set<Resources, BySize> impossible_;
  /// Prices by the leaf of the first victim, and by size. Some may be out of date.
  std::map<int, std::map<Resources, std::set<Price>, BySize>> prices_;
};

}  // namespace heddle
