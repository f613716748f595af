#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/scenario/job_spec.h"

namespace heddle {

/// Removes the jobs for which `drop(job)` returns true. It is called once for each job, in order,
/// and can change the job. Conditions on jobs that are removed are removed too.
template <class Drop>
void drop_jobs(std::vector<JobSpec>& jobs, Drop drop) {
  std::vector<std::optional<std::int64_t>> places(jobs.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (drop(jobs[i])) continue;
    places[i] = static_cast<std::int64_t>(kept);
    if (kept != i) jobs[kept] = std::move(jobs[i]);
    ++kept;
  }
  jobs.resize(kept);
  for (JobSpec& job : jobs)
    std::erase_if(job.after, [&](JobCondition& condition) {
      const std::optional<std::int64_t> place = places[condition.job.value];
      condition.job = JobId{place.value_or(0)};
      return !place;
    });
}

}  // namespace heddle
