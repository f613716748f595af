#pragma once

#include <map>
#include <memory>
#include <vector>

#include "report/why/why.h"
#include "sim/replay.h"

namespace heddle::report {

/// Replays a journal through the engine and asks the policy after each step what keeps jobs
/// waiting, so the policy's own state is the same as in the run. Records come one by one, as for
/// Replay.
class WhyReplay {
 public:
  /// `scenario` (resolved) must outlive the replay. Without `later`, a job is asked about until its
  /// first task has started; with `later`, also whenever the job runs no task after that.
  WhyReplay(const Scenario& scenario, const std::vector<JobId>& jobs, bool later);

  /// Do the same as Replay::add and finish. Answers from before an error or a difference remain
  /// valid.
  Result<void> add(const wire::Json& record);
  Result<void> finish();
  const std::optional<sim::ReplayDifference>& difference() const { return replay_.difference(); }
  /// Returns true if no job will be asked about any more.
  bool settled() const { return asked_.empty(); }
  /// Returns the time of the last step.
  EmuTime now() const { return replay_.state().now(); }
  /// Returns the log of a job. REQUIRES: `job` was given to the constructor.
  WaitLog& log(JobId job) { return logs_.at(job); }

 private:
  WhyReplay(const Scenario& scenario, const std::vector<JobId>& jobs, bool later,
            std::unique_ptr<Policy> policy);
  void ask();
  void ask(const Job& job);

  bool anywhere_, later_;
  const Policy* policy_;  ///< owned by the replay
  sim::Replay replay_;
  std::int64_t steps_ = 0;
  std::map<JobId, WaitLog> logs_;
  std::set<JobId> asked_;  ///< jobs that are asked about …
  std::set<JobId> begun_;  ///< … and have had their first start
};

}  // namespace heddle::report
