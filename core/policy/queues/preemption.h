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

/// Takes containers from queues above their ideal share for queues that have waited below their
/// guarantee.
///
/// A leaf waits below its guarantee while it asks for a container with which it would hold at most
/// its guarantee. After the grace period, and from then on once a heartbeat period, a
/// PreemptionPlan makes room for every such container. The room is held for the leaf until a
/// request of the leaf gets it (claim), or until the leaf has its guarantee or asks for nothing
/// more. While the leaf expects such room it makes no reservations.
///
/// Source: Hadoop. ProportionalCapacityPreemptionPolicy decides how much each queue gives up
/// (ideal_shares), and FifoCandidatesSelector takes its youngest containers. The choice of nodes
/// and the holding of room are Heddle's own.
class Preemption {
 public:
  /// The tree must outlive this object.
  Preemption(const Scenario& scenario, const QueueTree& tree)
      : tree_(tree),
        grace_(value(scenario.policy, kPreemptionGrace)),
        interval_(scenario.cluster.heartbeat),
        held_room_(tree.queues().size()) {}

  /// Makes room for the leaves that are due. `limits`: by queue of the tree. For `may_have` and the
  /// result, see Scheduler::preempt.
  std::vector<NodeId> run(const QueueLimits& limits, const Scheduler::Visit& may_have,
                          Draft& draft);
  /// See Scheduler::claim.
  const Request* claim(NodeId node, const QueueLimits& limits, const Scheduler::Visit& may_have,
                       Draft& draft);
  /// Returns whether room is held on the node, so that claim may find something.
  bool holds_room(NodeId node) const { return !held_room_.on(node).empty(); }
  /// Returns whether room is held for the leaf.
  bool expects_room(int leaf) const { return held_room_.count(leaf) > 0; }

 private:
  struct Waiting {
    EmuTime due;              ///< when to make room for the leaf
    std::int64_t looked = 0;  ///< state_ when that was last tried
  };
  /// Gives back room on nodes that are lost, and room that did not come free although nothing is
  /// being killed on the node any more.
  void drop_lost(Draft& draft);
  /// Gives back room that the leaf no longer needs.
  void drop_surplus(int leaf, double guaranteed, Draft& draft);

  const QueueTree& tree_;
  EmuTime grace_, interval_;
  std::int64_t state_ = 0;          ///< number of steps in which something has changed
  std::map<int, Waiting> waiting_;  ///< leaves that wait below their guarantee
  HeldRoom held_room_;
  std::optional<EmuTime> wake_;  ///< time of the last wake asked for
};

}  // namespace heddle
