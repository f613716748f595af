#pragma once

#include <map>
#include <memory>
#include <vector>

#include "report/why/why.h"
#include "sim/replay.h"

namespace heddle::report {

/// Replays a journal through the engine. After each step, asks the policy what keeps jobs waiting.
/// The policy's state is then the same as it was in the run at this step. Records are added one by
/// one, as for Replay.
class WhyReplay {
 public:
  /// `scenario` (resolved) must outlive the replay. The policy is asked about a job until the job's
  /// first task has started. With `later`, it is also asked after that, whenever the job runs no
  /// task.
  WhyReplay(const Scenario& scenario, const std::vector<JobId>& jobs, bool later);

  /// Do the same as Replay::add and Replay::finish. If there is an error or a difference, the
  /// answers from before it remain valid.
  Result<void> add(const wire::Json& record);
  Result<void> finish();
  const std::optional<sim::ReplayDifference>& difference() const { return replay_.difference(); }
  /// Returns true if the policy will not be asked about any job any more.
  bool settled() const { return asked_.empty() && unsubmitted_.empty(); }
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
  std::vector<JobId> unsubmitted_;  ///< jobs with a later submission, the next one last
  std::set<JobId> asked_;           ///< submitted jobs about which the policy is asked
  std::set<JobId> begun_;           ///< jobs among them whose first task has started
};

}  // namespace heddle::report
