#include "core/policy/base/request_order.h"
#include "core/policy/placement/first_fit.h"
#include "core/policy/scheduler/schedulers.h"

namespace heddle {
namespace {

constexpr FlagOption kStrictOrder(
    {.name = "strict_order",
     .by_default = "false",
     .help = "stop at the first job that cannot get what it asks for now"});

/// First in, first out. Requests go by (priority, submit time, job id, phase). A request that does
/// not fit is passed over, unless the option strict_order is set. Unlike Hadoop's FIFO scheduler,
/// this scheduler makes reservations by default.
class Fifo : public Scheduler {
 public:
  explicit Fifo(const Scenario& scenario)
      : Scheduler({.strict = value(scenario.policy, kStrictOrder)}) {}

  void refresh(Draft& draft) override {
    for (JobId job : draft.view().changed_jobs) order_.put(draft, job, 0);
  }

  void in_order(const Round& round, const Visit& visit) override { order_.in_order(round, visit); }
  void launched(const Draft& draft, const Request& request) override {
    order_.put(draft, request.phase.job, 0);
  }

  bool passes(EmuTime) const override { return true; }

 private:
  RequestOrder order_;
};

}  // namespace

constinit const SchedulerPart kFifoScheduler{
    {.name = "fifo",
     .summary = "by priority, submit time and job id; requests that do not fit are skipped",
     .good_at = "batches that are to run in a given order. fifo does the least bookkeeping.",
     .bad_at = "small jobs, which wait for all of a big job before them. Nothing is shared between "
               "users or queues.",
     .source = "Hadoop, FifoScheduler and FifoComparator",
     .options = {&kStrictOrder},
     .defaults = {{&kReserve, "true"}}},
    &make_part<Scheduler, Fifo>};

}  // namespace heddle
