#pragma once

#include <map>
#include <memory>
#include <vector>

#include "report/why/why.h"
#include "sim/replay.h"

namespace heddle::report {

/// Feeds a journal through the engine again and asks, after each step, what keeps jobs waiting: so
/// that the policy's own state is there as it was. Records come one by one, as for Replay.
class WhyReplay {
 public:
  /// `scenario` (resolved) must outlive it. Without `later` a job is asked about until its first
  /// task has started; with it also whenever it runs none after that.
  WhyReplay(const Scenario& scenario, const std::vector<JobId>& jobs, bool later);

  /// As Replay::add and finish; what was told before an error or a difference stands.
  Result<void> add(const wire::Json& record);
  Result<void> finish();
  const std::optional<sim::ReplayDifference>& difference() const { return replay_.difference(); }
  /// Nothing will be asked any more.
  bool settled() const { return asked_.empty(); }
  /// When the last step was decided.
  EmuTime now() const { return replay_.state().now(); }
  /// REQUIRES: one of the jobs.
  WaitLog& log(JobId job) { return logs_.at(job); }

 private:
  WhyReplay(const Scenario& scenario, const std::vector<JobId>& jobs, bool later,
            std::unique_ptr<Policy> policy);
  void ask();
  void ask(const Job& job);

  bool anywhere_, later_;
  const Policy* policy_;  ///< the replay's
  sim::Replay replay_;
  std::int64_t steps_ = 0;
  std::map<JobId, WaitLog> logs_;
  std::set<JobId> asked_;  ///< jobs that are asked about …
  std::set<JobId> begun_;  ///< … and have had their first start
};

}  // namespace heddle::report
