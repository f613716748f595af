#include "core/policy/placement/first_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/policy/placement/executor_placement.h"

namespace heddle {

constinit const PartText kNodeFilling{
    .name = "placement",
    .summary = "a container goes to the node that is offered, if it fits",
    .options = {&kNodeOrder}};

constinit const ExecutorPart kFirstFitPart{
    {.name = "first-fit",
     .summary = "the node that reports, with or without YARN's reservations",
     .good_at =
         "reservations cost nothing, and keep a stream of small tasks from starving large ones.",
     .bad_at = "a large container waits on the first node that reports, however busy it is. "
               "Resources freed there stay idle until there are enough.",
     .source = "Hadoop YARN",
     .options = {&kReserve, &kReservableNodes}},
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
  for (NodeId node : ordered(draft, std::move(open))) take(node);
  return chosen;
}

bool FirstFit::keep_for_gang(const Request& request, Draft& draft) const {
  if (!reserve_) return false;
  const ClusterState& cluster = draft.view().cluster;
  for (NodeId node : draft.reserved_nodes()) {
    const PhaseId& holder = *draft.reserved_by(node);
    if (holder != request.phase && cluster.request(holder)->gang) return false;
  }
  // Containers that fit when all others have ended, without the job's own, such as its application
  // master.
  const auto at_most = [&](NodeId id) {
    const Node& node = cluster.node(id);
    Resources room = node.spec->allowance;
    for (ContainerId container : node.containers)
      if (cluster.container(container)->task.phase.job == request.phase.job)
        room -= held(*cluster.container(container));
    return times(request.resources, max(room, Resources{}));
  };
  const auto now = [&](NodeId node) { return times(request.resources, draft.free(node)); };
  const auto could = [&](NodeId node) {
    return could_take(request, node, draft) && at_most(node) > 0;
  };
  bool changed = false;
  std::int64_t missing = request.pending;
  std::vector<NodeId> kept = draft.reserved_nodes(request);
  for (NodeId node : kept) missing -= at_most(node);
  while (missing > 0) {
    const auto node = draft.free_nodes().to_hold(request.resources, std::ref(could));
    if (!node) break;
    missing -= at_most(*node);
    draft.reserve(request, *node, "the gang does not fit now");
    kept.push_back(*node);
    changed = true;
  }
  const auto worst = [&] { return std::ranges::min_element(kept, {}, now); };
  const auto better = [&](NodeId node) {
    return could(node) && draft.free_nodes().withheld(node) == Resources{} &&
           now(node) > now(*worst()) && at_most(node) >= at_most(*worst());
  };
  while (!kept.empty()) {
    const auto node = draft.free_nodes().most_free(request.resources, std::ref(better));
    if (!node) break;
    draft.unreserve(request, *worst(), "another node has more room");
    draft.reserve(request, *node, "the gang does not fit now");
    *worst() = *node;
    changed = true;
  }
  return changed;
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
