#include "core/policy/scheduler/job_order.h"

namespace heddle {

void JobOrder::put(const Job& job, double first) {
  Key key{first, -job.spec().priority, job.spec().submit, job.id()};
  auto [it, fresh] = keys_.try_emplace(job.id(), key);
  if (!fresh) {
    if (it->second == key) return;
    order_.erase(it->second);
    it->second = key;
  }
  order_.insert(key);
}

void JobOrder::remove(JobId job) {
  auto it = keys_.find(job);
  if (it == keys_.end()) return;
  order_.erase(it->second);
  keys_.erase(it);
}

bool JobOrder::in_order(const Draft& draft, const Scheduler::Visit& visit) const {
  const auto& requests = draft.view().cluster.requests();
  for (const Key& key : order_) {
    const JobId job = std::get<JobId>(key);
    auto visit_those = [&](bool early) {
      for (auto it = requests.lower_bound({job, 0}); it != requests.end() && it->first.job == job;
           ++it)
        if (it->second.early == early && draft.pending(it->second) > 0 && !visit(it->second))
          return false;
      return true;
    };
    if (!visit_those(true) || !visit_those(false)) return false;
  }
  return true;
}

bool asks(const Draft& draft, JobId job) {
  const auto& requests = draft.view().cluster.requests();
  for (auto it = requests.lower_bound({job, 0}); it != requests.end() && it->first.job == job; ++it)
    if (draft.pending(it->second) > 0) return true;
  return false;
}

bool asks(const ClusterState& cluster, JobId job) {
  auto it = cluster.requests().lower_bound({job, 0});
  return it != cluster.requests().end() && it->first.job == job;
}

}  // namespace heddle
