#include <algorithm>

#include "core/policy/base/master_share.h"
#include "core/policy/placement/first_fit.h"
#include "core/policy/queues/ideal_shares.h"
#include "core/policy/queues/queue_scheduler.h"
#include "core/policy/queues/share_options.h"
#include "core/policy/scheduler/schedulers.h"

namespace heddle {
namespace {

/// Capacity scheduler. At each level, the queue that holds the smallest part of its guarantee goes
/// first: the share that it holds (resource_calculator) divided by its guaranteed share. In a leaf,
/// jobs go first in, first out. A queue can use what other queues leave, up to its max_capacity. It
/// gets its guarantee back when containers of other queues end.
///
/// The limit of a user in a leaf is max(user_limit, 1 / users who request something) of a share.
/// The share is the guarantee of the leaf or, if this is more, what the leaf would hold with the
/// next container. A user below the limit is allowed to get one more container. Application masters
/// can hold at most max_am_share of the queue's maximum, if the queue sets max_am_share. One
/// application master is always allowed to run.
///
/// A request that would exceed the maximum of its queue, or of a queue above, stops its leaf: no
/// later request of the leaf gets a container, so what ends there builds up for it. YARN does the
/// same (LeafQueue.assignContainers, SkippedType.QUEUE_LIMIT). A request of a user at the limit of
/// users is passed over.
///
/// Reservations of requests count as used by their queue and user, as in YARN.
///
/// The scheduler reads capacity, max_capacity, user_limit and max_am_share of queues. There is no
/// user-limit-factor.
class Capacity : public QueueScheduler {
 public:
  explicit Capacity(const Scenario& scenario)
      : QueueScheduler(scenario, nullptr),
        share_of_(value(scenario.policy, kResourceCalculator) == ResourceCalculator::kMemory
                      ? &memory_share
                      : &dominant_share) {}

  void in_order(const Round& round, const Visit& visit) override {
    auto key = [&](const Queue& queue) -> std::pair<int, double> {
      if (queue.guaranteed <= 0) return {1, share(queue.used)};
      return {0, share(queue.used) / queue.guaranteed};
    };
    tree().in_order(round, key, visit, [&](int leaf) { return end_of(leaf, round.draft()); });
  }

  bool may_reserve(const Draft&, const Request& request) const override {
    const std::vector<Queue>& queues = tree().queues();
    const int leaf = tree().queue_of(request.phase.job);
    for (int at = leaf; at > 0; at = queues[at].parent)
      if (share(queues[at].used + queues[at].reserved + wanted(request)) >
          queues[at].maximum + kShareTolerance)
        return false;
    return true;
  }

  std::optional<Refusal> gate(const Draft& draft, const Request& request) const override {
    const int leaf = tree().queue_of(request.phase.job);
    if (const auto over = queue_limit(leaf, next(draft, request))) return over;
    if (const auto over = masters_limit(leaf, request)) return over;
    if (const auto over = user_limit(leaf, draft, request)) return over;
    const std::optional<RequestOrder::Key> end = end_of(leaf, draft);
    if (!end || RequestOrder::key_of(request, 0) < *end) return std::nullopt;
    return obstacle::StrictOrder{RequestOrder::phase_of(*end), true};
  }

  double master_share(const Resources& part, const Resources& whole) const override {
    return share_of_(part, whole);
  }

 private:
  double share(const Resources& part) const { return share_of_(part, total()); }
  static Resources wanted(const Request& request) {
    return request.resources * (request.gang ? request.pending : 1);
  }
  /// Returns by how much the queue's use and reservations would grow with the next container of the
  /// request. It takes the place of one of the request's reservations, if there is any.
  static Resources next(const Draft& draft, const Request& request) {
    return draft.reserved(request) > 0 ? Resources{} : wanted(request);
  }

  /// Returns the key of the first request that would exceed the maximum of its queue, among those
  /// of users below their limit. Later requests of the leaf wait.
  std::optional<RequestOrder::Key> end_of(int leaf, const Draft& draft) const {
    std::optional<RequestOrder::Key> end;
    for (const auto& [group, keys] : tree().queues()[leaf].requests.groups()) {
      if (!group.gang && !queue_limit(leaf, group.size)) continue;
      for (const RequestOrder::Key& key : keys) {
        if (end && key >= *end) break;
        const Request& request = *draft.view().cluster.request(RequestOrder::phase_of(key));
        if (!queue_limit(leaf, next(draft, request)) || user_limit(leaf, draft, request)) continue;
        end = key;
        break;
      }
    }
    return end;
  }

  /// Reservations count as use of their queue, but a queue that can have the whole cluster is not
  /// stopped by its own.
  std::optional<Refusal> queue_limit(int leaf, const Resources& wanted) const {
    const std::vector<Queue>& queues = tree().queues();
    for (int at = leaf; at > 0; at = queues[at].parent) {
      Resources all = queues[at].used + wanted;
      if (queues[at].maximum < 1) all += queues[at].reserved;
      const double used = share(all);
      if (used > queues[at].maximum + kShareTolerance)
        return obstacle::Limit{obstacle::Limit::Of::kQueue, at - 1, used, queues[at].maximum};
    }
    return std::nullopt;
  }

  std::optional<Refusal> masters_limit(int leaf, const Request& request) const {
    if (request.kind != PhaseKind::kAm) return std::nullopt;
    const std::vector<Queue>& queues = tree().queues();
    for (int at = leaf; at > 0; at = queues[at].parent) {
      const Queue& queue = queues[at];
      if (!queue.spec->max_am_share || queue.am_used == Resources{}) continue;
      const double masters = share(queue.am_used + wanted(request));
      const double most = *queue.spec->max_am_share * queue.maximum;
      if (masters > most + kShareTolerance)
        return obstacle::Limit{obstacle::Limit::Of::kQueueMasters, at - 1, masters, most};
    }
    return std::nullopt;
  }

  std::optional<Refusal> user_limit(int index, const Draft& draft, const Request& request) const {
    const Queue& leaf = tree().queues()[index];
    if (!leaf.spec || leaf.spec->user_limit >= 1) return std::nullopt;
    const auto of = [&](const std::map<std::string, Resources>& users) {
      const auto it = users.find(tree().user_of(request.phase.job));
      return it == users.end() ? Resources{} : it->second;
    };
    Resources holds = of(leaf.by_user) + of(leaf.reserved_by_user);
    if (draft.reserved(request) > 0) holds -= wanted(request);
    if (holds == Resources{}) return std::nullopt;
    const auto users = static_cast<double>(std::max<std::size_t>(leaf.asking_users.size(), 1));
    const double room = std::max(leaf.guaranteed, share(leaf.used + request.resources));
    const double most = std::max(leaf.spec->user_limit, 1 / users) * room;
    const double used = share(holds);
    if (used < most - kShareTolerance) return std::nullopt;
    return obstacle::Limit{obstacle::Limit::Of::kUser, index - 1, used, most};
  }

  QueueLimits limits() const override {
    QueueLimits limits{{}, {}, share_of_};
    for (const Queue& queue : tree().queues()) {
      limits.guaranteed.push_back(queue.guaranteed);
      limits.maximum.push_back(queue.maximum);
    }
    return limits;
  }

  double (*share_of_)(const Resources& part, const Resources& whole);
};

}  // namespace

constinit const SchedulerPart kCapacityScheduler{
    {.name = "capacity",
     .summary = "hierarchical queues with guaranteed capacity",
     .good_at = "departments that each want what they paid for, and the rest while it is idle.",
     .bad_at = "the same cases as fifo, within a leaf. Without preemption, a queue that comes late "
               "waits until others' containers end.",
     .source = "Hadoop, CapacityScheduler (PriorityUtilizationQueueOrderingPolicy, "
               "UsersManager.computeUserLimit; DominantResourceCalculator, "
               "DefaultResourceCalculator)",
     .options = {&kPreemption, &kPreemptionGrace, &kResourceCalculator},
     .defaults = {{&kReserve, "true"}, {&kMaxAmShare, "0.1"}},
     .bounds_queues = true},
    &make_part<Scheduler, Capacity>};

}  // namespace heddle
