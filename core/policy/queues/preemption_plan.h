#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/policy/queues/held_room.h"
#include "core/policy/queues/queue_tree.h"

namespace heddle {

/// Guaranteed and maximum shares of the queues, by queue of the tree: dominant shares of the
/// cluster.
struct QueueLimits {
  std::vector<double> guaranteed, maximum;
};

/// Returns whether `held` is at most the guarantee, a dominant share of `total`.
bool within(double guaranteed, const Resources& held, const Resources& total);

/// Decides, within one step, which containers die for leaves that have waited below their
/// guarantee.
///
/// A leaf gets room for the containers, in its own order, with which it holds at most its
/// guarantee. Nothing is killed for a container that has room anywhere. For each other container,
/// the leaf that holds most above its ideal share (ideal_shares) gives up its youngest containers,
/// on the node where the fewest have to die; on a tie, the node with the youngest. If that leaf's
/// containers on the node are not enough, containers of the next leaf die too. The room is then
/// held for the queue. If a node is reserved for a request within the guarantee of the request's
/// own queue, the plan leaves it alone; other reservations on the node are released. The plan
/// spares application masters, and gives nothing to gangs and early reduces.
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
  /// The price of victims: the number of containers, the negative id of the first, and the node.
  /// Fewer containers are cheaper, then a younger first container.
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
  /// Makes room for that many containers of the request, as far as the guarantee goes.
  void serve(const Request& request, int containers);
  /// Takes free room for one container of that size. Returns false if there is none.
  bool free_room(const Resources& size);
  bool take_spare(NodeId node, const Resources& size);
  bool make_room(const Request& request);
  /// Returns the cheapest victims on any node; the first victim belongs to the leaf `first`.
  std::optional<Victims> cheapest(const Resources& size, int first);
  std::optional<Victims> victims_on(NodeId node, const Resources& size, int first) const;
  const Container* next_victim(const Node& node, const std::map<int, Resources>& taken,
                               std::optional<int> of, const std::vector<ContainerId>& but) const;
  static Price price(const Victims& victims);
  bool left_alone(NodeId node) const;
  /// Returns what is free on the node, or about to be, and not held for anybody.
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
  std::vector<std::vector<ContainerId>> may_die_;  ///< by leaf, ascending; some may have died since
  std::map<NodeId, Resources> dying_, promised_;
  std::set<NodeId> spare_;  ///< nodes that may have spare room besides what is free already
  /// The nodes on which a size may still find room.
  struct Search {
    NodeId from;  ///< the first node with free room that is left to try
    std::set<NodeId> spare;
  };
  std::map<Resources, Search, BySize> searches_;

  // State of the leaf that is being served.
  int leaf_ = 0;
  Resources coming_;  ///< what the leaf holds, and what there is or will be room for
  int masters_ = 0;   ///< number of application masters in `coming_`
  std::set<Resources, BySize> impossible_;
  /// Prices by the leaf of the first victim, then by the size of the request that needs the room.
  /// Entries may be too low; cheapest() checks them before use.
  std::map<int, std::map<Resources, std::set<Price>, BySize>> prices_;
};

}  // namespace heddle
