#include "core/policy/base/job_limits.h"

#include <map>
#include <string>
#include <utility>

namespace heddle {

JobLimits::JobLimits(const Scenario& scenario) {
  std::map<std::string, int> limits;  // by quality of service
  for (const QosSpec& qos : scenario.qos)
    if (qos.max_jobs_per_user) limits[qos.name] = *qos.max_jobs_per_user;
  std::map<std::pair<std::string, std::string>, std::size_t> users;  // by quality of service
  std::map<std::string, std::size_t> arrays;
  std::vector<std::vector<std::size_t>> of_job(scenario.jobs.size());
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    const JobSpec& job = scenario.jobs[i];
    const auto add = [&](auto& groups, const auto& key, bool is_array, int most) {
      const auto [known, fresh] = groups.try_emplace(key, groups_.size());
      if (fresh) groups_.push_back({is_array, most});
      of_job[i].push_back(known->second);
    };
    if (const auto limit = limits.find(job.qos); limit != limits.end())
      add(users, std::pair(job.qos, job.user), false, limit->second);
    if (job.array_limit) add(arrays, job.array, true, *job.array_limit);
  }
  if (any()) of_job_ = std::move(of_job);
}

void JobLimits::refresh(const View& view) {
  if (!any()) return;
  for (const JobId job : view.changed_jobs)
    for (const std::size_t group : of(job))
      if (view.cluster.holdings(job).containers.empty())
        groups_[group].started.erase(job);
      else
        groups_[group].started.insert(job);
}

void JobLimits::launched(JobId job) {
  if (!any()) return;
  for (const std::size_t group : of(job)) groups_[group].started.insert(job);
}

std::optional<Refusal> JobLimits::refusal(JobId job) const {
  if (!any()) return std::nullopt;
  for (const std::size_t index : of(job)) {
    const Group& group = groups_[index];
    const int jobs = static_cast<int>(group.started.size());
    if (jobs < group.most || group.started.contains(job)) continue;
    if (group.is_array) return obstacle::JobsOfArray{jobs, group.most};
    return obstacle::JobsOfUser{jobs, group.most};
  }
  return std::nullopt;
}

}  // namespace heddle
