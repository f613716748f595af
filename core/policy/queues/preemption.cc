#include "core/policy/queues/preemption.h"

#include <algorithm>
#include <tuple>

#include "core/policy/table.h"

namespace heddle {
namespace {

constexpr double kHair = 1e-9;  ///< shares are products of decimals

/// How often `wanted` goes into `room`.
int times(const Resources& wanted, Resources room) {
  int n = 0;
  for (; wanted.fits_in(room); room -= wanted) ++n;
  return n;
}

/// Room on a node for one more container, and who has to die for it.
struct Victims {
  NodeId node;
  std::vector<ContainerId> containers;  ///< youngest first
};

/// What that costs: the fewer, and then the younger the oldest of them, the better.
struct Price {
  explicit Price(const Victims& victims)
      : killed(victims.containers.size()),
        oldest(victims.containers.empty() ? ContainerId{0} : victims.containers.back()),
        node(victims.node) {}
  friend bool operator<(const Price& a, const Price& b) {
    return std::tie(a.killed, b.oldest, a.node) < std::tie(b.killed, a.oldest, b.node);
  }
  std::size_t killed;
  ContainerId oldest;
  NodeId node;
};

/// One look for victims: what the draft holds, with what is dying and what that is for.
class Rescue {
 public:
  Rescue(const QueueTree& tree, const std::vector<double>& guarantees, Draft& draft)
      : tree_(tree), guarantees_(guarantees), draft_(draft), coming_(tree.queues().size()) {
    for (const Queue& queue : tree.queues()) used_.push_back(queue.used);
    std::map<NodeId, Resources> on_node;
    for (const Container& container : cluster().containers()) {
      Resources& sum = on_node[container.node] += held(container);
      most_on_a_node_ = max(most_on_a_node_, sum);
      if (!draft.killed(container.id)) continue;
      used_[leaf_of(container)] -= held(container);
      dying_[container.node] += held(container);
    }
    for (NodeId node : cluster().reserved_nodes())
      if (const PhaseId* holder = draft.reserved_by(node)) promise(*holder, node);
  }

  void serve(int leaf, const Scheduler::Visit& may_have) {
    while (const Request* wanted = entitled(leaf)) {
      if (!may_have(*wanted) || draft_.rooms().first(wanted->resources)) return;
      std::optional<Victims> victims = cheapest(*wanted);
      if (!victims) return;
      take(*victims, *wanted, leaf);
    }
  }

 private:
  const ClusterState& cluster() const { return draft_.view().cluster; }
  int leaf_of(const Container& container) const { return tree_.queue_of(container.task.phase.job); }
  bool above(int leaf, const Resources& held) const {
    return dominant_share(held, cluster().total()) > guarantees_[leaf] + kHair;
  }
  Resources room(NodeId node) const {
    auto it = dying_.find(node);
    return it == dying_.end() ? draft_.free(node) : draft_.free(node) + it->second;
  }

  /// What fits a node that the phase holds is as good as launched.
  void promise(PhaseId phase, NodeId node) {
    const Resources size = cluster().request(phase)->resources;
    const int fit = times(size, room(node));
    promised_[node] = size * fit;
    promised_to_[phase] += fit;
    coming_[tree_.queue_of(phase.job)] += size * fit;
  }

  /// The first request of the leaf that is owed a container and isn't about to get it.
  const Request* entitled(int leaf) const {
    const Request* found = nullptr;
    const Resources held = tree_.queues()[leaf].used + coming_[leaf];
    tree_.queues()[leaf].requests.in_order(draft_, [&](const Request& request) {
      auto promised = promised_to_.find(request.phase);
      const int coming = promised == promised_to_.end() ? 0 : promised->second;
      if (request.gang || request.early || coming >= draft_.pending(request.phase)) return true;
      if (above(leaf, held + request.resources)) return true;
      found = &request;
      return false;
    });
    return found;
  }

  std::optional<Victims> cheapest(const Request& wanted) {
    std::optional<Victims> best;
    auto consider = [&](NodeId node) {
      std::optional<Victims> victims = victims_on(cluster().node(node), wanted.resources);
      if (victims && (!best || Price(*victims) < Price(*best))) best = std::move(victims);
    };
    const std::vector<NodeId> own = draft_.reserved_nodes(wanted);
    for (NodeId node : own) consider(node);
    if (std::ssize(own) < draft_.pending(wanted.phase))
      if (std::optional<NodeId> node = cheapest_open(wanted.resources)) consider(*node);
    return best;
  }

  /// The cheapest of the nodes that nobody holds.
  std::optional<NodeId> cheapest_open(const Resources& wanted) {
    auto [it, fresh] = open_.try_emplace(wanted);
    std::set<Price>& prices = it->second;
    if (fresh) {
      for (const Node& node : cluster().nodes()) {
        if (!node.alive || draft_.reserved_by(node.id)) continue;
        if (auto victims = victims_on(node, wanted)) prices.emplace(*victims);
      }
    }
    while (!prices.empty() && draft_.reserved_by(prices.begin()->node))
      prices.erase(prices.begin());
    if (prices.empty()) return std::nullopt;
    return prices.begin()->node;
  }

  std::optional<Victims> victims_on(const Node& node, const Resources& wanted) const {
    Victims victims{node.id, {}};
    auto promised = promised_.find(node.id);
    Resources left = room(node.id);
    if (promised != promised_.end()) left -= promised->second;
    std::vector<Resources> used = used_;
    for (auto it = node.containers.rbegin(); it != node.containers.rend(); ++it) {
      if (wanted.fits_in(left)) break;
      const Container& container = *cluster().container(*it);
      const PhaseId phase = container.task.phase;
      const int leaf = leaf_of(container);
      const bool master = draft_.job(phase).phases[phase.phase].kind == PhaseKind::kAm;
      if (master || draft_.killed(*it) || !above(leaf, used[leaf])) continue;
      used[leaf] -= held(container);
      left += held(container);
      victims.containers.push_back(*it);
    }
    if (!wanted.fits_in(left)) return std::nullopt;
    return victims;
  }

  void take(const Victims& victims, const Request& wanted, int leaf) {
    const std::string& queue = tree_.queues()[leaf].spec->name;
    for (ContainerId id : victims.containers) {
      const Container& container = *cluster().container(id);
      const int loser = leaf_of(container);
      used_[loser] -= held(container);
      // As long as it stays above whatever is killed on one node, prices elsewhere are the same.
      if (!above(loser, used_[loser] - most_on_a_node_)) open_.clear();
      dying_[victims.node] += held(container);
      draft_.kill(id, "preempted: queue " + queue + " is below its guarantee");
    }
    promised_[victims.node] += wanted.resources;
    ++promised_to_[wanted.phase];
    coming_[leaf] += wanted.resources;
    if (!draft_.reserved_by(victims.node)) draft_.reserve(wanted, victims.node, "preempted for it");
  }

  const QueueTree& tree_;
  const std::vector<double>& guarantees_;
  Draft& draft_;
  std::vector<Resources> used_;    ///< by queue, without what is dying
  std::vector<Resources> coming_;  ///< by queue: promised to its requests
  std::map<NodeId, Resources> dying_, promised_;
  std::map<PhaseId, int> promised_to_;
  Resources most_on_a_node_;  ///< held there by containers
  /// By size, what room for it costs on nodes that nobody holds; nodes that have been reserved
  /// since may still be there.
  std::map<Resources, std::set<Price>, ByCoresThenMemory> open_;
};

/// It asks for a container with which it would hold at most its guarantee.
bool waits(const Queue& leaf, double guarantee, const Draft& draft) {
  const Resources& total = draft.view().cluster.total();
  const auto& groups = leaf.requests.groups();
  return std::any_of(groups.begin(), groups.end(), [&](const auto& entry) {
    const RequestGroup& group = entry.first;
    return !group.gang && !group.early &&
           dominant_share(leaf.used + group.size, total) <= guarantee + kHair;
  });
}

}  // namespace

void Preemption::run(const QueueTree& tree, const std::vector<double>& guarantees,
                     const Scheduler::Visit& may_have, Draft& draft) {
  const EmuTime now = draft.view().now;
  std::optional<Rescue> rescue;
  std::optional<EmuTime> next;
  for (int leaf = 0; leaf < static_cast<int>(guarantees.size()); ++leaf) {
    const Queue& queue = tree.queues()[leaf];
    if (!queue.leaf() || !waits(queue, guarantees[leaf], draft)) {
      if (due_.erase(leaf) > 0) draft.remember();
      continue;
    }
    auto [due, fresh] = due_.try_emplace(leaf, now + grace_);
    if (fresh) draft.remember();
    if (due->second <= now) {
      if (!rescue) rescue.emplace(tree, guarantees, draft);
      rescue->serve(leaf, may_have);
      due->second = now + interval_;
      draft.remember();
    }
    next = std::min(next.value_or(due->second), due->second);
  }
  if (next) ask_for_wake(*next, draft);
}

void Preemption::ask_for_wake(EmuTime at, Draft& draft) {
  if (wake_ && *wake_ > draft.view().now && *wake_ <= at) return;
  wake_ = at;
  draft.wake_at(at, "preemption");
}

std::optional<Preemption> make_preemption(const Scenario& scenario) {
  if (policy_value(scenario.policy, "preemption") != "kill") return std::nullopt;
  return Preemption(emu_seconds(policy_number(scenario.policy, "preemption_grace")),
                    scenario.cluster.heartbeat);
}

}  // namespace heddle
