#pragma once

#include <optional>
#include <set>
#include <vector>

#include "core/policy/base/draft.h"
#include "core/policy/base/obstacle.h"

namespace heddle {

/// The limits on how many jobs of a group have containers at the same time: jobs of a user with the
/// same quality of service (max_jobs_per_user), and jobs of an array (array_limit). A job whose
/// group has reached its limit waits as if it did not ask.
class JobLimits {
 public:
  explicit JobLimits(const Scenario& scenario);

  /// Returns whether there are limits.
  bool any() const { return !groups_.empty(); }
  /// Takes in what changed since the last step.
  void refresh(const View& view);
  /// Takes in that a container of the job has been launched in this step.
  void launched(JobId job);
  /// Returns why the job may not start now. Returns nullopt if it may, or has started.
  std::optional<Refusal> refusal(JobId job) const;

 private:
  struct Group {
    bool is_array = false;
    int most = 0;
    std::set<JobId> started = {};
  };
  /// Returns the indices of the job's groups.
  const std::vector<std::size_t>& of(JobId job) const {
    return of_job_[static_cast<std::size_t>(job.value)];
  }

  std::vector<Group> groups_;
  std::vector<std::vector<std::size_t>> of_job_;  ///< empty if there are no groups
};

}  // namespace heddle
