#include "core/policy/queues/preemption.h"

#include <algorithm>

namespace heddle {
namespace {

/// Returns true if the leaf requests a container with which it would hold at most its guarantee.
bool waits(int index, const Queue& leaf, const QueueLimits& limits, const Draft& draft) {
  const Resources& total = draft.view().cluster.total();
  const auto& groups = leaf.requests.groups();
  return std::any_of(groups.begin(), groups.end(), [&](const auto& entry) {
    const RequestGroup& group = entry.first;
    return !group.gang && !group.early &&
           limits.within_guarantee(index, leaf.used + group.size, total);
  });
}

/// Returns how many containers the leaf requests, without gangs and early reduces, because
/// preemption makes no room for these. Counts at most `most`.
int asked(const Queue& leaf, int most, const Draft& draft) {
  int asked = 0;
  leaf.requests.in_order(draft, [&](const Request& request) {
    if (!request.gang && !request.early) asked += draft.pending(request);
    return asked < most;
  });
  return std::min(asked, most);
}

}  // namespace

std::vector<NodeId> Preemption::run(const Scheduler::Visit& may_have, Draft& draft) {
  const View& view = draft.view();
  const QueueLimits limits = limits_();
  drop_lost(draft);
  if (!view.changed_jobs.empty() || !view.changed_nodes.empty()) ++state_;
  PreemptionPlan plan(tree_, limits, may_have, held_room_, draft);
  std::optional<EmuTime> next;
  for (int leaf = 0; leaf < std::ssize(limits.guaranteed); ++leaf) {
    const Queue& queue = tree_.queues()[leaf];
    if (!queue.leaf()) continue;
    drop_surplus(leaf, limits, draft);
    if (!waits(leaf, queue, limits, draft)) {
      if (waiting_.erase(leaf) > 0) draft.remember();
      continue;
    }
    auto [at, fresh] = waiting_.try_emplace(leaf, Waiting{view.now + grace_});
    if (fresh) draft.remember();
    Waiting& waiting = at->second;
    if (waiting.due <= view.now) {
      if (waiting.looked != state_) plan.serve(leaf);
      waiting = {view.now + interval_, state_};
      draft.remember();
    }
    next = std::min(next.value_or(waiting.due), waiting.due);
  }
  if (next && !(wake_ && *wake_ > view.now && *wake_ <= *next)) {
    wake_ = next;
    draft.wake_at(*next, "preemption");
  }
  return plan.released();
}

const Request* Preemption::claim(NodeId node, const Scheduler::Visit& may_have, Draft& draft) {
  if (!holds_room(node)) return nullptr;
  const QueueLimits limits = limits_();
  const Resources& total = draft.view().cluster.total();
  for (std::size_t i = 0; i < held_room_.on(node).size();) {
    const HeldRoom::Hold hold = held_room_.on(node)[i];
    if (!hold.size.fits_in(draft.room(node))) {
      ++i;
      continue;
    }
    const Queue& leaf = tree_.queues()[hold.leaf];
    const Request* found = nullptr;
    leaf.requests.in_order(draft, [&](const Request& request) {
      if (!request.gang && !request.early && request.resources.fits_in(hold.size) &&
          limits.within_guarantee(hold.leaf, leaf.used + request.resources, total) &&
          could_take(request, node, draft) && may_have(request))
        found = &request;
      return !found;
    });
    held_room_.drop(node, i, draft);
    if (found) return found;
    draft.remember();
  }
  return nullptr;
}

void Preemption::drop_lost(Draft& draft) {
  for (NodeId id : draft.view().changed_nodes) {
    if (!holds_room(id)) continue;
    const Node& node = draft.view().cluster.node(id);
    const bool comes = std::any_of(node.containers.begin(), node.containers.end(),
                                   [&](ContainerId container) { return draft.killed(container); });
    for (std::size_t i = held_room_.on(id).size(); !comes && i-- > 0;) {
      if (node.alive && held_room_.on(id)[i].size.fits_in(draft.room(id))) continue;
      held_room_.drop(id, i, draft);
      draft.remember();
    }
  }
}

void Preemption::drop_surplus(int leaf, const QueueLimits& limits, Draft& draft) {
  if (!expects_room(leaf)) return;
  const Queue& queue = tree_.queues()[leaf];
  const Resources& total = draft.view().cluster.total();
  int needed = asked(queue, held_room_.count(leaf), draft);
  while (expects_room(leaf) &&
         (held_room_.count(leaf) > needed ||
          !limits.within_guarantee(leaf, queue.used + held_room_.of(leaf), total))) {
    held_room_.drop_last(leaf, draft);
    draft.remember();
  }
}

}  // namespace heddle
