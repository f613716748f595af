#pragma once

#include <map>
#include <set>
#include <tuple>

#include "core/policy/scheduler/scheduler.h"

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
  void refresh(const View& view) override;
  void in_order(const Draft& draft, const std::function<bool(const Request&)>& visit) override;

 private:
  using Key = std::tuple<int, EmuTime, PhaseId>;  ///< (-priority, submit, phase)
  std::set<Key> order_;
  std::map<PhaseId, Key> keys_;
};

}  // namespace heddle
