#include "core/policy/scheduler/fair.h"

namespace heddle {

double Fair::memory_share(const Resources& part, const Resources& whole) {
  return share_of(part.memory.count(), whole.memory.count());
}

Fair::Fair(const Scenario& scenario, Measure measure)
    : measure_(measure),
      tree_(scenario,
            [measure](const Job& job, const Resources& used, const Resources& total) {
              return measure(used, total) / job.spec().weight;
            }),
      preemption_(make_preemption(scenario)) {}

void Fair::refresh(Draft& draft) {
  total_ = draft.view().cluster.total();
  tree_.refresh(draft);
}

void Fair::in_order(const Round& round, const Visit& visit) {
  auto key = [&](const Queue& queue) -> std::pair<int, double> {
    const double used = measure_(queue.used, total_);
    const double min = measure_(queue.spec->min, total_);
    if (used < min) return {0, used / min};
    return {1, used / queue.spec->weight};
  };
  tree_.in_order(round, key, visit);
}

void Fair::launched(const Draft& draft, const Request& request) { tree_.launched(draft, request); }

std::vector<NodeId> Fair::preempt(Draft& draft, const Visit& may_have) {
  if (!preemption_) return {};
  return preemption_->run(tree_, limits(), may_have, draft);
}

const Request* Fair::claim(NodeId node, Draft& draft, const Visit& may_have) {
  if (!preemption_ || !preemption_->holds_room(node)) return nullptr;
  return preemption_->claim(node, tree_, limits(), may_have, draft);
}

QueueLimits Fair::limits() const {
  const std::vector<Queue>& queues = tree_.queues();
  std::vector<double> shares(queues.size(), 0);
  auto active = [&](int i) { return queues[i].asking > 0 || queues[i].used != Resources{}; };
  auto divide = [&](auto& self, int parent) -> void {
    double weights = 0;
    for (int child : queues[parent].children)
      if (active(child)) weights += queues[child].spec->weight;
    for (int child : queues[parent].children) {
      if (!active(child)) continue;
      shares[child] = std::max(shares[parent] * queues[child].spec->weight / weights,
                               dominant_share(queues[child].spec->min, total_));
      self(self, child);
    }
  };
  shares[0] = 1;
  divide(divide, 0);
  return {std::move(shares), std::vector<double>(queues.size(), 1)};
}

}  // namespace heddle
