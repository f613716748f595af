#include <utility>

#include "core/policy/placement/first_fit.h"
#include "core/policy/queues/queue_scheduler.h"
#include "core/policy/queues/share_options.h"
#include "core/policy/scheduler/schedulers.h"

namespace heddle {
namespace {

/// Returns which share of the whole a part is. Fairness compares these shares.
using Measure = std::function<double(const Resources& part, const Resources& whole)>;

/// Fair scheduler. The queue with the smallest share of memory (or of another resource, which
/// fair_resource names) divided by its weight goes first.
/// Within the queue, the job with the smallest share divided by its weight goes first. Queues below
/// their `min` go before all other queues. Among them, the queue that holds the smallest part of
/// its `min` goes first. The scheduler reads weight and min of queues, and the weight of jobs. With
/// `user_queues`, each user has a queue of weight 1 below the queue that jobs name. For
/// preemption, the guarantee of a queue is its min or, if this is more, its part by weight of its
/// parent's share. Only queues that hold or request something get a part.
///
/// Dominant resource fairness. The scheduler works like fair, without preemption, but compares the
/// largest share of any resource: max_k(used_k / cluster_k) / weight. The share of a parent is the
/// share of what its children hold together. This is the naive form of Bhattacharya et al.,
/// "Hierarchical Scheduling for Diverse Datacenter Workloads", SoCC 2013. With it, a child that
/// holds all of one resource can starve its siblings.
class Fair : public QueueScheduler {
 public:
  Fair(const Scenario& scenario, Measure measure)
      : QueueScheduler(
            scenario,
            [measure](const Job& job, const Resources& used, const Resources& total) {
              return measure(used, total) / job.spec().weight;
            },
            has_user_queues(scenario)),
        measure_(std::move(measure)) {}

  void in_order(const Round& round, const Visit& visit) override {
    auto key = [&](const Queue& queue) -> std::pair<int, double> {
      const double used = measure_(queue.used, total());
      const double min = measure_(queue.spec->min, total());
      if (used < min) return {0, used / min};
      return {1, used / queue.spec->weight};
    };
    tree().in_order(round, key, visit);
  }

 private:
  QueueLimits limits() const override {
    const std::vector<Queue>& queues = tree().queues();
    std::vector<double> shares(queues.size(), 0);
    auto active = [&](int i) { return queues[i].asking > 0 || queues[i].used != Resources{}; };
    auto divide = [&](auto& self, int parent) -> void {
      double weights = 0;
      for (int child : queues[parent].children)
        if (active(child)) weights += queues[child].spec->weight;
      for (int child : queues[parent].children) {
        if (!active(child)) continue;
        shares[child] = std::max(shares[parent] * queues[child].spec->weight / weights,
                                 dominant_share(queues[child].spec->min, total()));
        self(self, child);
      }
    };
    shares[0] = 1;
    divide(divide, 0);
    return {std::move(shares), std::vector<double>(queues.size(), 1)};
  }

  Measure measure_;
};

std::unique_ptr<Scheduler> make_drf(const Scenario& scenario) {
  return std::make_unique<Fair>(scenario, &dominant_share);
}

std::unique_ptr<Scheduler> make_fair(const Scenario& scenario) {
  const std::string name = value(scenario.policy, kFairResource);
  if (name == "memory") return std::make_unique<Fair>(scenario, &memory_share);
  if (name == "cores")
    return std::make_unique<Fair>(scenario, [](const Resources& part, const Resources& whole) {
      return share_of(part.cores.count(), whole.cores.count());
    });
  const CountNames& counted = scenario.cluster.resources;
  const auto i = static_cast<std::size_t>(std::ranges::find(counted, name, &CountedResource::name) -
                                          counted.begin());
  return std::make_unique<Fair>(scenario, [i](const Resources& part, const Resources& whole) {
    return share_of(part.counts[i].count(), whole.counts[i].count());
  });
}

}  // namespace

constinit const SchedulerPart kFairScheduler{
    {.name = "fair",
     .summary = "the smallest weighted share of memory, or of fair_resource, first",
     .good_at = "small interactive jobs beside large ones.",
     .bad_at = "jobs that need cores and little memory (see drf). The jobs of a batch all finish "
               "late, because all run at the same time. With `reserve: false`, large requests are "
               "passed over as long as small ones fit.",
     .source = "Hadoop, FairSharePolicy",
     .options = {&kPreemption, &kPreemptionGrace, &kUserQueues, &kFairResource},
     .defaults = {{&kReserve, "true"}, {&kReservableNodes, "0.05"}}},
    &make_fair};

constinit const SchedulerPart kDrfScheduler{
    {.name = "drf",
     .summary = "the smallest weighted dominant share first",
     .good_at = "jobs that need cores beside jobs that need memory. No job gains by asking for "
                "more than it needs.",
     .bad_at = "the same cases as fair. A job's non-dominant resources may stay idle.",
     .source = "Ghodsi et al., \"Dominant Resource Fairness\", NSDI 2011, Algorithm 1; Hadoop, "
               "DominantResourceFairnessPolicy",
     .options = {&kUserQueues},
     .defaults = {{&kReserve, "true"}, {&kReservableNodes, "0.05"}}},
    &make_drf};

}  // namespace heddle
