#pragma once

#include <cassert>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

/// The current request of one phase.
struct Request {
  PhaseId phase;
  Resources resources;
  PhaseKind kind = PhaseKind::kMap;
  int pending = 0;            ///< containers that are requested and not allocated
  bool gang = false;          ///< all must start at once; false after the gang has begun
  bool early = false;         ///< tasks that start now would wait for maps
  int priority = 0;           ///< priority of its job; the highest is served first
  EmuTime submit;             ///< submit time of its job
  std::set<NodeId> reserved;  ///< nodes that are reserved for it
};

/// Holds the requests in order of their phases. A request is found by its job and phase without a
/// search. The address of a request does not change until the request is erased.
class RequestTable {
 public:
  explicit RequestTable(const std::vector<JobSpec>& jobs) {
    by_job_.reserve(jobs.size());
    for (const JobSpec& job : jobs) by_job_.emplace_back(job.phases.size());
  }

  RequestTable(RequestTable&&) = default;
  RequestTable& operator=(RequestTable&&) = default;

  const std::map<PhaseId, Request>& all() const { return all_; }
  /// Returns nullptr if there is no request or no such phase.
  const Request* find(PhaseId id) const {
    if (id.job.value < 0 || id.job.value >= std::ssize(by_job_)) return nullptr;
    const auto& phases = by_job_[id.job.value];
    return id.phase >= 0 && id.phase < std::ssize(phases) ? phases[id.phase] : nullptr;
  }

  Request* find(PhaseId id) { return const_cast<Request*>(std::as_const(*this).find(id)); }
  /// Returns the requests of the job, one for each phase. It is nullptr if the phase requests
  /// nothing.
  std::span<const Request* const> of(JobId id) const { return by_job_[id.value]; }

  /// REQUIRES: the phase exists and has no request.
  Request& add(PhaseId id) {
    assert(!find(id));
    Request& request = all_[id];
    request.phase = id;
    by_job_[id.job.value][id.phase] = &request;
    return request;
  }

  /// REQUIRES: the phase has a request.
  void erase(PhaseId id) {
    assert(find(id));
    by_job_[id.job.value][id.phase] = nullptr;
    all_.erase(id);
  }

 private:
  std::map<PhaseId, Request> all_;
  std::vector<std::vector<const Request*>> by_job_;
};

}  // namespace heddle
