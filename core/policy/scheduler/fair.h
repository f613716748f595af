#pragma once

#include <optional>

#include "core/policy/queues/preemption.h"
#include "core/policy/queues/queue_tree.h"

namespace heddle {

/// Fair: the queue, and in it the job, with the smallest share of memory over its weight first;
/// queues below their `min` before all others, the one at the smallest part of it first.
///
/// Source: Hadoop's FairScheduler, FairSharePolicy.FairShareComparator. Parameters: queues' weight
/// and min, jobs' weight; preemption, preemption_grace (a queue's guarantee is its min, or, if
/// more, its part by weight of what its parent has, among the queues that hold or ask for
/// something). Good at: interactive small jobs beside large ones. Bad at: jobs whose need is cores,
/// not memory (see drf); every job of a batch finishes late, since all go on at the same time;
/// with `reserve: false` large requests are passed over as long as small ones fit.
class Fair : public Scheduler {
 public:
  /// The scenario must outlive it.
  explicit Fair(const Scenario& scenario) : Fair(scenario, &memory_share) {}

  void refresh(Draft& draft) override;
  void in_order(const Round& round, const Visit& visit) override;
  void launched(const Draft& draft, const Request& request) override;
  std::vector<NodeId> preempt(Draft& draft, const Visit& may_have) override;
  const Request* claim(NodeId node, Draft& draft, const Visit& may_have) override;
  bool expects_room(const Request& request) const override {
    return preemption_ && preemption_->expects_room(tree_.queue_of(request.phase.job));
  }
  bool passes(EmuTime) const override { return !preemption_; }

 protected:
  /// How much of the whole a part is: what fairness is about.
  using Measure = double (*)(const Resources& part, const Resources& whole);
  Fair(const Scenario& scenario, Measure measure);

 private:
  static double memory_share(const Resources& part, const Resources& whole);
  QueueLimits limits() const;

  Measure measure_;
  QueueTree tree_;
  Resources total_;
  std::optional<Preemption> preemption_;
};

}  // namespace heddle
