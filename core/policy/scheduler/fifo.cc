#include "core/policy/base/request_order.h"
#include "core/policy/placement/first_fit.h"
#include "core/policy/scheduler/job_order.h"
#include "core/policy/scheduler/priorities.h"
#include "core/policy/scheduler/schedulers.h"

namespace heddle {
namespace {

constexpr FlagOption kStrictOrder(
    {.name = "strict_order",
     .by_default = "false",
     .help = "stop at the first job that cannot get what it asks for now"});

/// First in, first out. Requests go by (priority, submit time, job id, phase). A request that does
/// not fit is passed over, unless the option strict_order is set. Unlike Hadoop's FIFO scheduler,
/// this scheduler makes reservations by default. With strict_order, the option `order` replaces the
/// order of jobs; priorities then decide on ties only.
class Fifo : public Scheduler {
 public:
  explicit Fifo(const Scenario& scenario)
      : Scheduler({.strict = value(scenario.policy, kStrictOrder),
                   .reorders = value(scenario.policy, kJobOrder) != JobOrder::kFcfs}),
        job_order_(value(scenario.policy, kJobOrder)),
        order_(job_order_ != JobOrder::kPriority) {
    if (job_order_ == JobOrder::kPriority) priorities_.emplace(scenario);
  }

  void refresh(Draft& draft) override {
    const View& view = draft.view();
    if (priorities_) priorities_->refresh(draft);
    for (JobId job : view.changed_jobs) {
      put(draft, job);
      if (!moves() && !priorities_) continue;
      if (asks(draft, job))
        waiting_.insert(job);
      else
        waiting_.erase(job);
    }
    if (moves() || (priorities_ && priorities_->recalculated()))
      for (JobId job : waiting_) put(draft, job);
  }

  void in_order(const Round& round, const Visit& visit) override { order_.in_order(round, visit); }
  void launched(const Draft& draft, const Request& request) override {
    put(draft, request.phase.job);
  }

  std::optional<JobPriority> priority_of(JobId job) const override {
    return priorities_ ? priorities_->of(job) : std::nullopt;
  }

  EmuTime passes_until() const override {
    if (priorities_) return priorities_->next();
    return moves() && !waiting_.empty() ? EmuTime(0) : kNever;
  }

 private:
  /// Returns true if the order changes as time passes.
  bool moves() const { return depends_on_waiting(job_order_); }

  void put(const Draft& draft, JobId job) {
    const Job& known = draft.view().cluster.job(job);
    const JobSpec& spec = known.spec();
    order_.put(
        draft, job,
        place_in(job_order_, {spec.submit, known.eligible(), draft.view().now, spec.walltime,
                              processors_of(spec), priorities_ ? priorities_->number_of(job) : 0}));
  }

  JobOrder job_order_;
  std::optional<Priorities> priorities_;  ///< only if they are the order
  std::set<JobId> waiting_;  ///< jobs that request something; only if their order can change
  RequestOrder order_;
};

Result<void> check_fifo(const PolicySpec& policy) {
  if (value(policy, kJobOrder) == JobOrder::kFcfs || value(policy, kStrictOrder)) return {};
  return usage_error(
      "option order: fifo follows another order than fcfs only with "
      "strict_order=true");
}

}  // namespace

constinit const SchedulerPart kFifoScheduler{
    {.name = "fifo",
     .summary = "by priority, submit time and job id; requests that do not fit are skipped",
     .good_at = "batches that are to run in a given order. fifo does the least bookkeeping.",
     .bad_at = "small jobs, which wait for all of a big job before them. Nothing is shared between "
               "users or queues.",
     .source = "Hadoop, FifoScheduler and FifoComparator",
     .options = with_priorities({&kStrictOrder, &kJobOrder}),
     .defaults = {{&kReserve, "true"}},
     .check = &check_fifo},
    &make_part<Scheduler, Fifo>};

}  // namespace heddle
