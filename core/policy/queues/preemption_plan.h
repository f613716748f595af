#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/policy/queues/held_room.h"
#include "core/policy/queues/queue_tree.h"

namespace heddle {

/// Guaranteed and maximum shares, by queue of the tree.
struct QueueLimits {
  std::vector<double> guaranteed, maximum;
  /// Returns the share of the cluster that a part of it is.
  double (*share)(const Resources& part, const Resources& whole) = &dominant_share;

  /// Returns true if `held` is at most the guarantee of the queue.
  bool within_guarantee(int queue, const Resources& held, const Resources& total) const;
};

/// Decides, within one step, which containers are killed for leaves that have waited below their
/// guarantee.
///
/// A leaf gets room for those of its containers, in its own order, with which it holds at most its
/// guarantee. If a container has room on some node, nothing is killed for it. Otherwise, the leaf
/// that is furthest above its ideal share (ideal_shares) gives up its youngest containers. The plan
/// chooses the node where the fewest containers have to be killed. On a tie, it chooses the node
/// with the youngest container. If the containers of that leaf on the node are not enough,
/// containers of the next leaf are killed too. Containers without anything that the node lacks,
/// such as a device, are spared. The room is then held for the queue.
///
/// A node can be reserved for a request of another queue. If that queue would hold at most its
/// guarantee with the request, the plan leaves the node alone. Otherwise, the plan releases the
/// reservation. The plan never kills application masters. It makes no room for gangs and early
/// reduces.
///
/// A gang that starts again as a whole (JobSpec::gang_restart) is one victim: all its containers
/// are killed or none, and count. On a node, single containers of a queue are chosen before a
/// gang's.
class PreemptionPlan {
 public:
  /// All arguments must outlive the plan.
  PreemptionPlan(const QueueTree& tree, const QueueLimits& limits, const Scheduler::Visit& may_have,
                 HeldRoom& held_room, Draft& draft)
      : tree_(tree), limits_(limits), may_have_(may_have), held_room_(held_room), draft_(draft) {}

  /// Makes room for what the leaf requests, up to its guarantee.
  void serve(int leaf);
  /// Returns the nodes where a reservation was released, so that something can be placed there at
  /// once.
  const std::vector<NodeId>& released() const { return released_; }

 private:
  /// Containers of one node that make room for one container if they are killed. The list is empty
  /// if only a reservation is in the way.
  struct Victims {
    NodeId node;
    std::vector<ContainerId> containers;
  };
  /// The size of a container, and the labels that its node must have.
  struct Wanted {
    Resources size;
    Where where = {};
    std::optional<JobId> job = {};  ///< only if reservations of the site can keep it from nodes
    friend bool operator<(const Wanted& a, const Wanted& b) {
      if (a.size != b.size) return BySize()(a.size, b.size);
      return std::tie(a.where, a.job) < std::tie(b.where, b.job);
    }
  };
  /// The price of victims: the number of containers that end with them, the negative id of the
  /// first container, and the node. The victims with the smallest price are killed. These are the
  /// fewest and, on a tie, those whose first container is youngest.
  using Price = std::tuple<std::size_t, std::int64_t, NodeId>;

  const ClusterState& cluster() const { return draft_.view().cluster; }
  int leaf_of(const Container& container) const { return tree_.queue_of(container.task.phase.job); }
  double share(const Resources& held) const { return limits_.share(held, cluster().total()); }
  bool fits_guarantee(int leaf, const Resources& held) const {
    return limits_.within_guarantee(leaf, held, cluster().total());
  }
  bool may_die(const Container& container) const;

  /// Reads all containers and queues. Does this only once, when the plan first has to kill
  /// something.
  void look();
  void find_ideal();
  /// Returns what the leaf requests and is allowed to get. Stops counting when the leaf would reach
  /// its guarantee.
  Resources asked(int leaf) const;
  /// Makes room for that many containers of the request, but for no more than the guarantee allows.
  void serve(const Request& request, int containers);
  /// Takes free room for one container. Returns false if no node has room.
  bool free_room(const Wanted& wanted);
  bool take_spare(NodeId node, const Wanted& wanted);
  bool may_use(NodeId node, const Wanted& wanted) const {
    return (wanted.where.empty() || meets(wanted.where, cluster().node(node).spec->labels)) &&
           !(wanted.job && cluster().reserved_for_others(*wanted.job, node, draft_.view().now));
  }
  bool make_room(const Request& request);
  /// Returns the victims with the smallest price on all nodes. The first victim belongs to the leaf
  /// `first`.
  std::optional<Victims> cheapest(const Wanted& wanted, int first);
  std::optional<Victims> victims_on(NodeId node, const Wanted& wanted, int first) const;
  /// Returns the next container to be killed on the node. Returns nullptr if there is none. If
  /// `lacks` is not null, the container holds some of what `lacks` has. `taken`: what leaves give
  /// up so far. `of`: the only leaf that is considered. `but`: containers that are chosen already.
  const Container* next_victim(const Node& node, const Resources* lacks,
                               const std::map<int, Resources>& taken, std::optional<int> of,
                               const std::vector<ContainerId>& but) const;
  Price price(const Victims& victims) const;
  /// Returns the containers that end if the container is killed: itself, and all others of its
  /// gang.
  std::vector<ContainerId> lost_with(const Container& container) const;
  bool in_gang(const Container& container) const {
    const PhaseId phase = container.task.phase;
    const JobSpec& job = draft_.job(phase);
    return job.restarts_whole(job.phases[phase.phase]);
  }
  bool left_alone(NodeId node) const;
  /// Returns what is free on the node or will be after kills, without the room that is held for
  /// queues.
  Resources spare(NodeId node) const;
  void take(const Victims& victims, const Request& request);
  void release(PhaseId holder, NodeId node, std::string reason);
  /// Releases reservations that the request no longer needs because room was made on other nodes.
  /// Releases only reservations of nodes on which no container can be killed.
  void release_surplus(const Request& request, int made);

  const QueueTree& tree_;
  const QueueLimits& limits_;
  const Scheduler::Visit& may_have_;
  HeldRoom& held_room_;
  Draft& draft_;
  std::vector<NodeId> released_;

  // Members that look() sets and later functions keep up to date.
  bool looked_ = false;
  std::vector<Resources> held_;  ///< by queue, only for leaves; without containers being killed
  std::vector<double> ideal_;    ///< by queue
  /// Containers that can be killed, by leaf, ascending. Some of them can be killed already.
  std::vector<std::vector<ContainerId>> may_die_;
  std::map<NodeId, Resources> dying_;
  std::map<NodeId, std::vector<Resources>> promised_;  ///< sizes that take free room
  std::set<NodeId> spare_;  ///< nodes that can have spare room after kills
  /// The nodes on which containers can still find room.
  struct Search {
    NodeId from;  ///< the search for nodes with free room continues here
    std::set<NodeId> spare;
  };
  std::map<Wanted, Search> searches_;

  // State of the leaf that is being served.
  int leaf_ = 0;
  Resources coming_;  ///< what the leaf holds, plus what it has or will have room for
  int masters_ = 0;   ///< number of application masters in `coming_`
  std::set<Wanted> impossible_;
  /// Prices by the leaf of the first victim, and then by the request that needs the room. An entry
  /// can be lower than the true price. cheapest() checks entries before use.
  std::map<int, std::map<Wanted, std::set<Price>>> prices_;
};

}  // namespace heddle
