#include "core/policy/scheduler/capacity.h"

#include <algorithm>

#include "core/policy/queues/ideal_shares.h"

namespace heddle {

Capacity::Capacity(const Scenario& scenario)
    : tree_(scenario, nullptr), preemption_(make_preemption(scenario)) {
  for (const Queue& queue : tree_.queues()) {
    limits_.guaranteed.push_back(queue.guaranteed);
    limits_.maximum.push_back(queue.maximum);
  }
}

void Capacity::refresh(Draft& draft) {
  total_ = draft.view().cluster.total();
  tree_.refresh(draft);
}

void Capacity::in_order(const Round& round, const Visit& visit) {
  auto key = [&](const Queue& queue) -> std::pair<int, double> {
    if (queue.guaranteed <= 0) return {1, dominant_share(queue.used, total_)};
    return {0, dominant_share(queue.used, total_) / queue.guaranteed};
  };
  tree_.in_order(round, key, [&](const Request& request) {
    return !allows(round.draft(), request) || visit(request);
  });
}

void Capacity::launched(const Draft& draft, const Request& request) {
  tree_.launched(draft, request);
}

std::optional<obstacle::Limit> Capacity::limit(const Draft&, const Request& request) const {
  using Of = obstacle::Limit::Of;
  const std::vector<Queue>& queues = tree_.queues();
  const int leaf = tree_.queue_of(request.phase.job);
  const Resources wanted = request.resources * (request.gang ? request.pending : 1);
  for (int at = leaf; at > 0; at = queues[at].parent) {
    const Queue& queue = queues[at];
    const double used = dominant_share(queue.used + wanted, total_);
    if (used > queue.maximum + kShareTolerance)
      return obstacle::Limit{Of::kQueue, at - 1, used, queue.maximum};
    if (request.kind != PhaseKind::kAm || !queue.spec->max_am_share || queue.am_used == Resources{})
      continue;
    const double masters = dominant_share(queue.am_used + wanted, total_);
    const double most = *queue.spec->max_am_share * queue.maximum;
    if (masters > most + kShareTolerance)
      return obstacle::Limit{Of::kQueueMasters, at - 1, masters, most};
  }
  return user_limit(leaf, request);
}

std::optional<obstacle::Limit> Capacity::user_limit(int index, const Request& request) const {
  const Queue& leaf = tree_.queues()[index];
  if (!leaf.spec || leaf.spec->user_limit >= 1) return std::nullopt;
  auto holds = leaf.by_user.find(tree_.user_of(request.phase.job));
  if (holds == leaf.by_user.end()) return std::nullopt;
  const auto users = static_cast<double>(std::max<std::size_t>(leaf.asking_users.size(), 1));
  const double room =
      std::max(leaf.guaranteed, dominant_share(leaf.used + request.resources, total_));
  const double most = std::max(leaf.spec->user_limit, 1 / users) * room;
  const double used = dominant_share(holds->second, total_);
  if (used < most - kShareTolerance) return std::nullopt;
  return obstacle::Limit{obstacle::Limit::Of::kUser, index - 1, used, most};
}

std::vector<NodeId> Capacity::preempt(Draft& draft, const Visit& may_have) {
  if (!preemption_) return {};
  return preemption_->run(tree_, limits_, may_have, draft);
}

const Request* Capacity::claim(NodeId node, Draft& draft, const Visit& may_have) {
  return preemption_ ? preemption_->claim(node, tree_, limits_, may_have, draft) : nullptr;
}

}  // namespace heddle
