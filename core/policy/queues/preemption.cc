#include "core/policy/queues/preemption.h"

#include <algorithm>

#include "core/policy/table.h"

namespace heddle {
namespace {

constexpr double kHair = 1e-9;

}  // namespace

struct Preemption::Shares {
  const QueueTree& tree;
  const std::vector<double>& guarantees;
  Resources total;
  std::vector<Resources> due;   ///< by queue: what nodes are reserved for
  std::vector<Resources> used;  ///< by queue, without what is being killed; see count_used

  Shares(const QueueTree& queue_tree, const std::vector<double>& shares, const Draft& draft)
      : tree(queue_tree),
        guarantees(shares),
        total(draft.view().cluster.total()),
        due(tree.queues().size()) {
    const ClusterState& cluster = draft.view().cluster;
    for (NodeId node : cluster.reserved_nodes())
      if (const PhaseId* holder = draft.reserved_by(node))
        due[tree.queue_of(holder->job)] += cluster.request(*holder)->resources;
  }

  /// Looks at every container, so only once somebody is to be killed.
  void count_used(const Draft& draft) {
    if (!used.empty()) return;
    for (const Queue& queue : tree.queues()) used.push_back(queue.used);
    for (const auto& [id, container] : draft.view().cluster.containers())
      if (draft.killed(id)) used[leaf_of(container)] -= container.resources;
  }
  int leaf_of(const Container& container) const { return tree.queue_of(container.task.phase.job); }
  bool above(int leaf, const Resources& held) const {
    return dominant_share(held, total) > guarantees[leaf] + kHair;
  }
};

void Preemption::run(const QueueTree& tree, const std::vector<double>& guarantees,
                     const Scheduler& scheduler, Draft& draft) {
  const EmuTime now = draft.view().now;
  Shares shares(tree, guarantees, draft);
  std::optional<EmuTime> next;
  for (int leaf = 0; leaf < static_cast<int>(guarantees.size()); ++leaf) {
    if (!tree.queues()[leaf].leaf() || !entitled(leaf, shares, draft)) {
      if (since_.erase(leaf) > 0) draft.remember();
      continue;
    }
    auto [since, fresh] = since_.try_emplace(leaf, now);
    if (fresh) draft.remember();
    EmuTime due = since->second + grace_;
    if (due <= now) {
      serve(leaf, shares, scheduler, draft);
      due = now + interval_;
    }
    next = std::min(next.value_or(due), due);
  }
  if (next) ask_for_wake(*next, draft);
}

void Preemption::ask_for_wake(EmuTime at, Draft& draft) {
  if (wake_ && *wake_ > draft.view().now && *wake_ <= at) return;
  wake_ = at;
  draft.wake_at(at, "preemption");
}

std::optional<const Request*> Preemption::entitled(int leaf, const Shares& shares,
                                                   const Draft& draft) const {
  std::optional<const Request*> found;
  const Resources held = shares.tree.queues()[leaf].used + shares.due[leaf];
  shares.tree.queues()[leaf].jobs.in_order(draft, [&](const Request& request) {
    const bool more = std::ssize(draft.reserved(request.phase)) < draft.pending(request.phase);
    if (request.gang || request.early || !more) return true;
    if (shares.above(leaf, held + request.resources)) return true;
    found = &request;
    return false;
  });
  return found;
}

void Preemption::serve(int leaf, Shares& shares, const Scheduler& scheduler, Draft& draft) const {
  while (auto request = entitled(leaf, shares, draft)) {
    const Request& wanted = **request;
    if (!scheduler.allows(draft, wanted) || draft.rooms().first(wanted.resources)) return;
    shares.count_used(draft);
    auto victims = cheapest(wanted.resources, shares, draft);
    if (!victims) return;
    const std::string& queue = shares.tree.queues()[leaf].spec->name;
    for (ContainerId id : victims->containers) {
      const Container& container = *draft.view().cluster.container(id);
      shares.used[shares.leaf_of(container)] -= container.resources;
      draft.kill(id, "preempted: queue " + queue + " is below its guarantee");
    }
    draft.reserve(wanted, victims->node, "preempted for it");
    shares.due[leaf] += wanted.resources;
  }
}

std::optional<Preemption::Victims> Preemption::cheapest(const Resources& wanted,
                                                        const Shares& shares, const Draft& draft) {
  const ClusterState& cluster = draft.view().cluster;
  std::optional<Victims> best;
  for (const Node& node : cluster.nodes()) {
    if (!node.alive || draft.reserved_by(node.id)) continue;
    Victims victims{node.id, {}};
    Resources free = draft.free(node.id);
    std::vector<Resources> used = shares.used;
    for (auto it = node.containers.rbegin(); it != node.containers.rend() && !wanted.fits_in(free);
         ++it) {
      const Container& container = *cluster.container(*it);
      const int leaf = shares.leaf_of(container);
      const bool spared =
          cluster.job(container.task.phase.job).spec().phases[container.task.phase.phase].kind ==
          PhaseKind::kAm;
      if (spared || draft.killed(*it) || !shares.above(leaf, used[leaf])) continue;
      used[leaf] -= container.resources;
      free += container.resources;
      victims.containers.push_back(*it);
    }
    if (victims.containers.empty() || !wanted.fits_in(free)) continue;
    auto worse = [](const Victims& a, const Victims& b) {
      if (a.containers.size() != b.containers.size())
        return a.containers.size() > b.containers.size();
      return a.containers.back() < b.containers.back();
    };
    if (!best || worse(*best, victims)) best = std::move(victims);
  }
  return best;
}

std::optional<Preemption> make_preemption(const Scenario& scenario) {
  if (policy_value(scenario.policy, "preemption") != "kill") return std::nullopt;
  return Preemption(emu_seconds(policy_number(scenario.policy, "preemption_grace")),
                    scenario.cluster.heartbeat);
}

}  // namespace heddle
