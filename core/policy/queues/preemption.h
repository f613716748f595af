#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/policy/queues/queue_tree.h"

namespace heddle {

/// Takes containers from queues above their guarantee for queues that have waited below theirs.
///
/// A leaf waits below its guarantee while it asks for a container with which it would hold at most
/// that. After the grace period, and from then on once a heartbeat period, it gets room for each
/// such container that fits nowhere, on the node where the fewest containers of leaves above their
/// guarantee have to be killed for it, of these where they are youngest. The node is reserved for
/// it, so that what is freed isn't taken by those who lost it. Application masters are spared,
/// gangs get nothing.
///
/// Source: Hadoop's ProportionalCapacityPreemptionPolicy and FSPreemptionThread in outline; the
/// choice of nodes is ours.
class Preemption {
 public:
  Preemption(EmuTime grace, EmuTime interval) : grace_(grace), interval_(interval) {}

  /// `guarantees`: shares of the cluster, by queue of the tree; `may_have`: see Scheduler::preempt.
  void run(const QueueTree& tree, const std::vector<double>& guarantees,
           const Scheduler::Visit& may_have, Draft& draft);

 private:
  void ask_for_wake(EmuTime at, Draft& draft);

  EmuTime grace_, interval_;
  std::map<int, EmuTime> due_;   ///< leaves that wait below their guarantee, and when to help them
  std::optional<EmuTime> wake_;  ///< the last one asked for
};

/// None where the policy's `preemption` is none.
std::optional<Preemption> make_preemption(const Scenario& scenario);

}  // namespace heddle
