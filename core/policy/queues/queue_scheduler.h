#pragma once

#include <optional>

#include "core/policy/queues/preemption.h"

namespace heddle {

/// Common base of schedulers that share the cluster among queues. It has the tree of queues and,
/// with the option `preemption`, kills containers for queues below their guarantee.
class QueueScheduler : public Scheduler {
 public:
  void refresh(Draft& draft) override {
    total_ = draft.view().cluster.total();
    tree_.refresh(draft);
  }
  void launched(const Draft& draft, const Request& request) override {
    tree_.launched(draft, request);
  }
  void reserved(const Draft& draft, const Request& request) override {
    tree_.reserved(draft, request.phase.job);
  }
  Preemption* preemption() override { return preemption_ ? &*preemption_ : nullptr; }
  EmuTime passes_until() const override { return preemption_ ? EmuTime(0) : kNever; }

 protected:
  /// The scenario must outlive the scheduler.
  QueueScheduler(const Scenario& scenario, QueueTree::JobKey job_key, bool user_queues = false)
      : tree_(scenario, std::move(job_key), user_queues) {
    if (value(scenario.policy, kPreemption) == PreemptionBy::kKill)
      preemption_.emplace(scenario, tree_, [this] { return limits(); });
  }

  const QueueTree& tree() const { return tree_; }
  /// Returns the cluster's total as of this step.
  const Resources& total() const { return total_; }

 private:
  /// Returns the guaranteed and the maximum shares of the queues, for preemption.
  virtual QueueLimits limits() const = 0;

  QueueTree tree_;
  Resources total_;
  std::optional<Preemption> preemption_;
};

}  // namespace heddle
