#pragma once

#include "core/policy/scheduler/request_order.h"

namespace heddle {

/// First in, first out: requests by (priority, submit time, job id, phase), what does not fit being
/// passed over, or not (`strict_order`: the placement stops at the first job that can't get what it
/// asks for now).
///
/// Source: Hadoop's FifoScheduler and FifoComparator; unlike Hadoop's, it reserves (placement's
/// `reserve`). Parameters: none of its own. Good at: batches whose order is the wish; the least
/// bookkeeping. Bad at: small jobs behind a big one wait for all of it; nothing is shared between
/// users or queues.
class Fifo : public Scheduler {
 public:
  void refresh(Draft& draft) override;
  void in_order(const Round& round, const Visit& visit) override;
  void launched(const Draft& draft, const Request& request) override;
  bool passes(EmuTime) const override { return true; }

 private:
  RequestOrder order_;
};

}  // namespace heddle
