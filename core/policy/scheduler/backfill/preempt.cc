#include "core/policy/scheduler/backfill/preempt.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace heddle::backfill {
namespace {

/// How many of the tasks fit, kept up to date while jobs end.
class Fit {
 public:
  Fit(const Resources& size, std::vector<PreemptionNode> nodes)
      : size_(size), nodes_(std::move(nodes)) {
    for (const PreemptionNode& node : nodes_) fitting_ += on(node);
  }
  std::int64_t fitting() const { return fitting_; }
  /// Takes in whether a job ends.
  void end(const Preemptible& job, bool ends = true) {
    for (const auto& [index, amount] : job.holds) {
      PreemptionNode& node = nodes_[index];
      fitting_ -= on(node);
      node.free = ends ? node.free + amount : node.free - amount;
      fitting_ += on(node);
    }
  }

 private:
  std::int64_t on(const PreemptionNode& node) const {
    return node.usable ? std::max<std::int64_t>(times(size_, max(node.free, Resources{})), 0) : 0;
  }

  const Resources& size_;
  std::vector<PreemptionNode> nodes_;
  std::int64_t fitting_ = 0;
};

}  // namespace

std::optional<std::vector<JobId>> to_preempt(int tasks, const Resources& size,
                                             std::vector<PreemptionNode> nodes,
                                             std::vector<Preemptible> running) {
  std::ranges::sort(running, {}, [](const Preemptible& one) {
    std::set<std::size_t> on;
    for (const auto& [node, amount] : one.holds) on.insert(node);
    return std::tuple(one.priority, on.size(), -one.started.count(), -one.job.value);
  });
  Fit fit(size, std::move(nodes));
  std::vector<const Preemptible*> ended;
  for (const Preemptible& job : running) {
    if (fit.fitting() >= tasks) break;
    fit.end(job);
    ended.push_back(&job);
  }
  if (fit.fitting() < tasks) return std::nullopt;
  // Jobs that came first may not be needed, because their nodes are of no use.
  std::erase_if(ended, [&](const Preemptible* job) {
    fit.end(*job, false);
    if (fit.fitting() >= tasks) return true;
    fit.end(*job);
    return false;
  });
  std::vector<JobId> jobs;
  for (const Preemptible* job : ended) jobs.push_back(job->job);
  return jobs;
}

}  // namespace heddle::backfill
