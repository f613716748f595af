#pragma once

#include <optional>

#include "core/policy/queues/preemption.h"
#include "core/policy/queues/queue_tree.h"

namespace heddle {

/// Capacity: at each level the queue that holds the smallest part of its guarantee first
/// (dominant share of what it holds / guaranteed), in a leaf jobs first in, first out. A queue may
/// grow into what others leave, up to its max_capacity, and gets its guarantee back as their
/// containers end.
///
/// A user's limit in a leaf: max(user_limit, 1 / users who ask) of what the leaf is guaranteed or,
/// if more, would hold with the next container; whoever is below it may have that container.
/// Application masters: max_am_share of what the queue may hold, where it is given, one always.
///
/// Source: Hadoop's CapacityScheduler (PriorityUtilizationQueueOrderingPolicy, UsersManager.
/// computeUserLimit; dominant resource calculator), with a user-limit-factor without bound.
/// Parameters: queues' capacity, max_capacity, user_limit, max_am_share; preemption,
/// preemption_grace; it reserves by default. Good at: departments that each want what they paid
/// for, and the rest when it is idle. Bad at: inside a queue it is fifo, so small jobs wait behind
/// large ones; without preemption a queue that comes late waits for others' containers to end.
class Capacity : public Scheduler {
 public:
  /// The scenario must outlive it.
  explicit Capacity(const Scenario& scenario);

  void refresh(Draft& draft) override;
  void in_order(const Round& round, const Visit& visit) override;
  void launched(const Draft& draft, const Request& request) override;
  std::optional<obstacle::Limit> limit(const Draft& draft, const Request& request) const override;
  std::vector<NodeId> preempt(Draft& draft, const Visit& may_have) override;
  const Request* claim(NodeId node, Draft& draft, const Visit& may_have) override;
  bool expects_room(const Request& request) const override {
    return preemption_ && preemption_->expects_room(tree_.queue_of(request.phase.job));
  }
  bool passes(EmuTime) const override { return !preemption_; }

 private:
  std::optional<obstacle::Limit> user_limit(int leaf, const Request& request) const;

  QueueTree tree_;
  Resources total_;
  std::optional<Preemption> preemption_;
  QueueLimits limits_;  ///< of preemption
};

}  // namespace heddle
