#include <functional>

#include "core/policy/base/request_order.h"
#include "core/policy/scheduler/fitness.h"
#include "core/policy/scheduler/schedulers.h"

namespace heddle {
namespace {

/// First fit decreasing by dot product. To fill a node with residual C, the request R that fits and
/// has the largest sum_k w_k R_k C_k goes first. R and C are shares of the cluster's resources. w_k
/// is cores_weight or memory_weight. On a tie, the job that holds the smallest dominant share goes
/// first, then (priority, submit time, job id, phase). Otherwise, equal jobs would run one after
/// the other, as under fifo. Requests that do not fit come after those that fit, in the order of
/// the tie-break. Gangs and reservations are not limited to this node, so these requests can still
/// get something.
class FfdDp : public Scheduler {
 public:
  explicit FfdDp(const Scenario& scenario)
      : Scheduler({.by_node = true}), weights_(Fitness::weights(scenario.policy)) {}

  void refresh(Draft& draft) override {
    const View& view = draft.view();
    if (view.cluster.allowances() != allowances_) {
      allowances_ = view.cluster.allowances();
      for (const Job& job : view.cluster.jobs()) put(draft, job.id());
    } else {
      for (JobId job : view.changed_jobs) put(draft, job);
    }
  }

  /// Scores each requested size once. The cost is O(sizes log sizes), regardless of the number of
  /// requests.
  void in_order(const Round& round, const Visit& visit) override {
    const Draft& draft = round.draft();
    if (!round.node()) {
      order_.in_order(round, visit);
      return;
    }
    const Fitness fitness(weights_, draft.free(*round.node()), draft.view().cluster.total());

    std::map<float, std::vector<const RequestOrder::Groups::value_type*>, std::greater<>> fitting;
    std::vector<const RequestOrder::Groups::value_type*> others;
    for (const auto& entry : order_.groups()) {
      const RequestGroup& group = entry.first;
      if (round.fits(group.size))
        fitting[fitness.of(group.size)].push_back(&entry);
      else if (round.useful(group))
        others.push_back(&entry);
    }
    for (const auto& [score, groups] : fitting)
      if (!RequestOrder::in_order(round, groups, visit)) return;
    RequestOrder::in_order(round, others, visit);
  }

  void launched(const Draft& draft, const Request& request) override {
    put(draft, request.phase.job);
  }

  EmuTime passes_until() const override { return kNever; }

 private:
  void put(const Draft& draft, JobId job) {
    order_.put(draft, job, dominant_share(draft.allocated(job), allowances_));
  }

  Fitness::Weights weights_;
  RequestOrder order_;
  Resources allowances_;  ///< with which the shares were computed
};

}  // namespace

constinit const SchedulerPart kFfdDpScheduler{
    {.name = "ffd-dp",
     .summary = "the largest dot product of request and residual first",
     .good_at = "batches of requests of different shape. Big requests go first, and each shape "
                "meets the nodes that have free resources of that shape.",
     .bad_at =
         "small requests wait while larger ones fit anywhere, whichever came first. Nothing is "
         "shared between users or queues. Task lengths are unknown, so the makespan may end "
         "with a long small task.",
     .source = "Panigrahy et al., \"Heuristics for Vector Bin Packing\", 2011; Grandl et al., "
               "Tetris, SIGCOMM 2014; baseline of Yao et al., HaSTE, CLOUD 2014",
     .options = {&kCoresWeight, &kMemoryWeight}},
    &make_part<Scheduler, FfdDp>};

}  // namespace heddle
