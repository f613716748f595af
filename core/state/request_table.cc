#include "core/state/request_table.h"

#include <cassert>

namespace heddle {

RequestTable::RequestTable(const std::vector<JobSpec>& jobs) {
  by_job_.reserve(jobs.size());
  for (const JobSpec& job : jobs) by_job_.emplace_back(job.phases.size());
}

const Request* RequestTable::find(PhaseId id) const {
  if (id.job.value < 0 || id.job.value >= std::ssize(by_job_)) return nullptr;
  const auto& phases = by_job_[id.job.value];
  return id.phase >= 0 && id.phase < std::ssize(phases) ? phases[id.phase] : nullptr;
}

Request& RequestTable::add(PhaseId id) {
  assert(!find(id));
  Request& request = all_[id];
  request.phase = id;
  by_job_[id.job.value][id.phase] = &request;
  return request;
}

void RequestTable::erase(PhaseId id) {
  assert(find(id));
  by_job_[id.job.value][id.phase] = nullptr;
  all_.erase(id);
}

}  // namespace heddle
