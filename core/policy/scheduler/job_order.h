#pragma once

#include <map>
#include <set>
#include <tuple>

#include "core/policy/scheduler/scheduler.h"

namespace heddle {

/// Jobs that ask for something, in the order of a key. Changing one costs O(log n).
/// The key begins with a number of the scheduler's (its share, say; 0 for none), ties go to the
/// higher priority, then the earlier submission, then the lower id.
class JobOrder {
 public:
  /// Puts the job where `first` says.
  void put(const Job& job, double first);
  void remove(JobId job);
  bool empty() const { return order_.empty(); }

  /// Calls `visit` with the pending requests of each job in turn, by phase, until it returns false;
  /// false if it did. Early reduces go before their job's maps, as in YARN (RMContainerAllocator's
  /// priorities): it is the ramp that holds them back, not the maps.
  bool in_order(const Draft& draft, const Scheduler::Visit& visit) const;

 private:
  using Key = std::tuple<double, int, EmuTime, JobId>;  ///< (first, -priority, submit, job)
  std::set<Key> order_;
  std::map<JobId, Key> keys_;
};

/// True if the job has a request with something pending.
bool asks(const Draft& draft, JobId job);
bool asks(const ClusterState& cluster, JobId job);

}  // namespace heddle
