#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/policy/base/draft.h"
#include "core/policy/base/obstacle.h"

namespace heddle {

/// The limit on the jobs of a user that have containers at the same time (max_jobs_per_user of a
/// quality of service). A job that has reached the limit waits as if it did not ask.
class QosLimits {
 public:
  explicit QosLimits(const Scenario& scenario);

  /// Returns whether there are limits.
  bool any() const { return !limits_.empty(); }
  /// Takes in what changed since the last step.
  void refresh(const View& view);
  /// Takes in that a container of the job has been launched in this step.
  void launched(JobId job);
  /// Returns why the job may not start now. Returns nullopt if it may, or has started.
  std::optional<obstacle::JobsOfUser> refusal(JobId job) const;

 private:
  using Key = std::pair<std::string, std::string>;  ///< quality of service and user
  /// Returns the limit of a job's quality of service; nullopt: none.
  std::optional<int> limit_of(const JobSpec& job) const;

  const Scenario& scenario_;
  std::map<std::string, int> limits_;  ///< by quality of service
  std::map<Key, std::set<JobId>> started_;
};

}  // namespace heddle
