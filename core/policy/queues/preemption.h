#pragma once

#include <functional>
#include <map>
#include <optional>

#include "core/policy/queues/preemption_plan.h"

namespace heddle {

enum class PreemptionBy { kNone, kKill };

inline constexpr WordOption<PreemptionBy> kPreemption(
    {.name = "preemption",
     .words = {"none", "kill"},
     .by_default = "none",
     .help = "whether containers of queues above their ideal share are killed for queues that wait "
             "below their guarantee"});
inline constexpr SecondsOption kPreemptionGrace(
    {.name = "preemption_grace",
     .least = 0,
     .most = 86400,
     .unit = "s",
     .by_default = "15",
     .help = "time that a queue waits below its guarantee before containers are killed for it"});

/// Kills containers of queues above their ideal share for queues that have waited below their
/// guarantee.
///
/// A leaf waits below its guarantee while it requests a container with which it would hold at most
/// its guarantee. After the grace period, a PreemptionPlan makes room for every such container. It
/// does so again once per heartbeat period. The room is held for the leaf until a request of the
/// leaf gets it (claim). It is given back if the leaf has its guarantee or requests nothing more.
/// While room is held for the leaf, the leaf makes no reservations.
///
/// Source: Hadoop. How much each queue gives up (ideal_shares) follows
/// ProportionalCapacityPreemptionPolicy. A queue gives up its youngest containers, as in
/// FifoCandidatesSelector. The choice of nodes and the holding of room are not from Hadoop.
class Preemption {
 public:
  /// The tree must outlive this object. `limits` returns the limits of the tree's queues now.
  Preemption(const Scenario& scenario, const QueueTree& tree, std::function<QueueLimits()> limits)
      : tree_(tree),
        limits_(std::move(limits)),
        grace_(value(scenario.policy, kPreemptionGrace)),
        interval_(scenario.cluster.heartbeat),
        held_room_(tree.queues().size()) {}

  /// Kills containers for leaves that have waited long enough. `may_have` returns true if no gate
  /// refuses the request. Returns the nodes where a reservation was removed, so that something can
  /// be placed there at once.
  std::vector<NodeId> run(const Scheduler::Visit& may_have, Draft& draft);
  /// Returns the request that gets the room which is held on the node for the request's leaf.
  /// Returns nullptr if there is none. The room is no longer withheld after the call, so the caller
  /// must launch the container at once.
  const Request* claim(NodeId node, const Scheduler::Visit& may_have, Draft& draft);
  /// Returns true if room is held for the request's leaf. The request must not reserve a node then.
  bool expects_room(const Request& request) const {
    return expects_room(tree_.queue_of(request.phase.job));
  }

 private:
  bool holds_room(NodeId node) const { return !held_room_.on(node).empty(); }
  bool expects_room(int leaf) const { return held_room_.count(leaf) > 0; }
  struct Waiting {
    EmuTime due;              ///< when to make room for the leaf
    std::int64_t looked = 0;  ///< value of state_ when the plan last served the leaf
  };
  /// Gives back the room on lost nodes. Also gives back room that did not become free although no
  /// container is being killed on the node.
  void drop_lost(Draft& draft);
  /// Gives back room that the leaf no longer needs.
  void drop_surplus(int leaf, const QueueLimits& limits, Draft& draft);

  const QueueTree& tree_;
  std::function<QueueLimits()> limits_;
  EmuTime grace_, interval_;
  std::int64_t state_ = 0;          ///< number of steps in which something has changed
  std::map<int, Waiting> waiting_;  ///< leaves that wait below their guarantee
  HeldRoom held_room_;
  std::optional<EmuTime> wake_;  ///< time of the last wake that was requested
};

}  // namespace heddle
