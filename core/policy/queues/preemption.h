#pragma once

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
  /// The tree must outlive this object.
  Preemption(const Scenario& scenario, const QueueTree& tree)
      : tree_(tree),
        grace_(value(scenario.policy, kPreemptionGrace)),
        interval_(scenario.cluster.heartbeat),
        held_room_(tree.queues().size()) {}

  /// Makes room for the leaves that have waited long enough. `limits`: by queue of the tree. For
  /// `may_have` and the result, see Scheduler::preempt.
  std::vector<NodeId> run(const QueueLimits& limits, const Scheduler::Visit& may_have,
                          Draft& draft);
  /// See Scheduler::claim.
  const Request* claim(NodeId node, const QueueLimits& limits, const Scheduler::Visit& may_have,
                       Draft& draft);
  /// Returns true if room is held on the node. Otherwise, claim() finds nothing there.
  bool holds_room(NodeId node) const { return !held_room_.on(node).empty(); }
  /// Returns true if room is held for the leaf.
  bool expects_room(int leaf) const { return held_room_.count(leaf) > 0; }

 private:
  struct Waiting {
    EmuTime due;              ///< when to make room for the leaf
    std::int64_t looked = 0;  ///< value of state_ when the plan last served the leaf
  };
  /// Gives back the room on lost nodes. Also gives back room that did not become free although no
  /// container is being killed on the node.
  void drop_lost(Draft& draft);
  /// Gives back room that the leaf no longer needs.
  void drop_surplus(int leaf, double guaranteed, Draft& draft);

  const QueueTree& tree_;
  EmuTime grace_, interval_;
  std::int64_t state_ = 0;          ///< number of steps in which something has changed
  std::map<int, Waiting> waiting_;  ///< leaves that wait below their guarantee
  HeldRoom held_room_;
  std::optional<EmuTime> wake_;  ///< time of the last wake that was requested
};

}  // namespace heddle
