#include "core/policy/placement/first_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/policy/placement/executor_placement.h"

namespace heddle {

namespace {

bool another_gang_keeps(const Request& request, const Draft& draft) {
  return draft.any_holder([&](const PhaseId& holder) {
    return holder != request.phase && draft.view().cluster.request(holder)->gang;
  });
}

/// The nodes that are reserved for a gang.
class KeptNodes {
 public:
  KeptNodes(const Request& gang, Draft& draft)
      : gang_(gang), draft_(draft), nodes_(draft.reserved_nodes(gang)) {}

  /// Reserves nodes until all containers of the gang fit when others have ended. Returns true if it
  /// has reserved any.
  bool add() {
    std::int64_t missing = gang_.pending;
    for (NodeId node : nodes_) missing -= at_most(node);
    const auto could = [&](NodeId node) { return could_hold(node); };
    const std::size_t before = nodes_.size();
    while (missing > 0) {
      const auto node = draft_.free_nodes().to_hold(gang_.resources, std::ref(could));
      if (!node) break;
      missing -= at_most(*node);
      reserve(*node);
      nodes_.push_back(*node);
    }
    return nodes_.size() > before;
  }

  /// Gives up nodes on which fewer containers fit now than on another. Returns true if it has given
  /// up any.
  bool exchange() {
    bool changed = false;
    while (!nodes_.empty()) {
      NodeId& worst = *std::ranges::min_element(nodes_, {}, [&](NodeId node) { return now(node); });
      const auto better = [&](NodeId node) {
        return could_hold(node) && draft_.free_nodes().withheld(node) == Resources{} &&
               now(node) > now(worst) && at_most(node) >= at_most(worst);
      };
      const auto node = draft_.free_nodes().most_free(gang_.resources, std::ref(better));
      if (!node) break;
      draft_.unreserve(gang_, worst, "another node has more room");
      reserve(*node);
      worst = *node;
      changed = true;
    }
    return changed;
  }

 private:
  /// Returns how many of its containers fit on the node now.
  std::int64_t now(NodeId node) const { return times(gang_.resources, draft_.free(node)); }

  /// Returns how many fit when all others have ended, but not the job's own, such as its
  /// application master.
  std::int64_t at_most(NodeId id) const {
    const ClusterState& cluster = draft_.view().cluster;
    const Node& node = cluster.node(id);
    Resources room = node.spec->allowance;
    for (ContainerId container : node.containers)
      if (cluster.container(container)->task.phase.job == gang_.phase.job)
        room -= held(*cluster.container(container));
    return times(gang_.resources, max(room, Resources{}));
  }

  bool could_hold(NodeId node) const {
    return could_take(gang_, node, draft_) && at_most(node) > 0;
  }

  void reserve(NodeId node) { draft_.reserve(gang_, node, "the gang does not fit now"); }

  const Request& gang_;
  Draft& draft_;
  std::vector<NodeId> nodes_;
};

}  // namespace

constinit const PartText kNodeFilling{
    .name = "placement",
    .summary = "a container goes to the node that is offered, if it fits",
    .options = {&kReserve, &kReservableNodes, &kNodeOrder, &kNodeTies, &kNodeScores, &kFgdWindow}};

constinit const ExecutorPart kFirstFitPart{
    {.name = "first-fit",
     .summary = "the node that reports, with or without YARN's reservations",
     .good_at =
         "reservations cost nothing, and keep a stream of small tasks from starving large ones.",
     .bad_at = "a large container waits on the first node that reports, however busy it is. "
               "Resources freed there stay idle until there are enough.",
     .source = "Hadoop YARN"},
    &make_nothing<ExecutorPlacement>};

std::vector<NodeId> FirstFit::ordered(const Draft& draft, std::vector<NodeId> nodes) const {
  if (most_free_ && nodes.size() > 1) {
    auto share = [&](NodeId id) {
      return least_share(draft.free(id), draft.view().cluster.node(id).spec->allowance);
    };
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](NodeId a, NodeId b) { return share(a) > share(b); });
  }
  return nodes;
}

std::vector<NodeId> FirstFit::best_first(const Request& request, const Draft& draft,
                                         std::vector<NodeId> nodes) const {
  return rank_.scores() ? rank_.best_first(request, draft, std::move(nodes))
                        : ordered(draft, std::move(nodes));
}

std::vector<NodeId> FirstFit::gang_places(const Request& request, const Draft& draft,
                                          const FreeIndex::May& may) const {
  std::vector<NodeId> chosen;
  const auto take = [&](NodeId node) {
    Resources free = draft.free(node);
    while (std::ssize(chosen) < request.pending && request.resources.fits_in(free)) {
      free -= request.resources;
      chosen.push_back(node);
    }
  };
  std::vector<NodeId> open;
  for (NodeId node : draft.reserved_nodes(request))
    if (may(node)) open.push_back(node);
  for (auto node = draft.free_nodes().first(request.resources); node;
       node = draft.free_nodes().first(request.resources, NodeId{node->value + 1}))
    if (may(*node)) open.push_back(*node);
  std::ranges::sort(open);
  for (NodeId node : best_first(request, draft, std::move(open))) take(node);
  return chosen;
}

bool FirstFit::keep_for_gang(const Request& request, Draft& draft) const {
  if (!reserve_ || another_gang_keeps(request, draft)) return false;
  KeptNodes kept(request, draft);
  const bool added = kept.add();
  return kept.exchange() || added;
}

bool FirstFit::at_limit(JobId job, const Draft& draft) const {
  if (reservable_ >= 1) return false;
  const ClusterState& cluster = draft.view().cluster;
  int reserved = 0;
  for (const Request* request : cluster.requests(job))
    if (request && !request->gang) reserved += draft.reserved(*request);
  // YARN rounds up too (FSAppAttempt.reservationExceedsThreshold).
  return reserved >= std::max(1.0, std::ceil(reservable_ * cluster.alive_nodes() - 1e-9));
}

bool FirstFit::reserve(const Request& request, std::optional<NodeId> offered, Draft& draft) const {
  const auto wants_more = [&] { return draft.reserved(request) < draft.pending(request.phase); };
  const auto could = [&](NodeId node) { return could_take(request, node, draft); };
  if (!reserve_ || request.gang || !wants_more() || at_limit(request.phase.job, draft))
    return false;
  if (draft.free_nodes().first(request.resources)) return false;
  if (offered) {
    if (draft.reserved_by(*offered) || draft.free_nodes().withheld(*offered) != Resources{} ||
        !could(*offered))
      return false;
    draft.reserve(request, *offered, "fits nowhere now");
    return true;
  }
  const auto node = draft.free_nodes().to_hold(request.resources, std::ref(could));
  if (node) draft.reserve(request, *node, "fits nowhere now");
  return node.has_value();
}

}  // namespace heddle
