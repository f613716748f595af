#include "core/policy/base/qos_limits.h"

namespace heddle {

QosLimits::QosLimits(const Scenario& scenario) : scenario_(scenario) {
  for (const QosSpec& qos : scenario.qos)
    if (qos.max_jobs_per_user) limits_[qos.name] = *qos.max_jobs_per_user;
}

std::optional<int> QosLimits::limit_of(const JobSpec& job) const {
  const auto limit = limits_.find(job.qos);
  return limit == limits_.end() ? std::nullopt : std::optional(limit->second);
}

void QosLimits::refresh(const View& view) {
  if (limits_.empty()) return;
  for (const JobId job : view.changed_jobs) {
    const JobSpec& spec = view.cluster.job(job).spec();
    if (!limit_of(spec)) continue;
    std::set<JobId>& started = started_[{spec.qos, spec.user}];
    if (view.cluster.holdings(job).containers.empty())
      started.erase(job);
    else
      started.insert(job);
  }
}

void QosLimits::launched(JobId job) {
  if (limits_.empty()) return;
  const JobSpec& spec = scenario_.jobs[static_cast<std::size_t>(job.value)];
  if (limit_of(spec)) started_[{spec.qos, spec.user}].insert(job);
}

std::optional<obstacle::JobsOfUser> QosLimits::refusal(JobId job) const {
  if (limits_.empty()) return std::nullopt;
  const JobSpec& spec = scenario_.jobs[static_cast<std::size_t>(job.value)];
  const std::optional<int> limit = limit_of(spec);
  if (!limit) return std::nullopt;
  const auto known = started_.find({spec.qos, spec.user});
  if (known == started_.end() || std::ssize(known->second) < *limit || known->second.contains(job))
    return std::nullopt;
  return obstacle::JobsOfUser{static_cast<int>(known->second.size()), *limit};
}

}  // namespace heddle
