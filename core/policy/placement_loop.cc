#include "core/policy/placement_loop.h"

#include <algorithm>

#include "core/policy/early_start.h"
#include "core/policy/table.h"

namespace heddle {

PlacementLoop::PlacementLoop(const Scenario& scenario, std::unique_ptr<Scheduler> scheduler)
    : scenario_(scenario),
      scheduler_(std::move(scheduler)),
      placement_(policy_value(scenario.policy, "reserve") == "true",
                 policy_value(scenario.policy, "node_order") == "most-free"),
      delay_(scenario.cluster, scenario.policy),
      rooms_(scenario.cluster.nodes.size()),
      strict_order_(policy_value(scenario.policy, "strict_order") == "true"),
      max_am_share_(policy_number(scenario.policy, "max_am_share")),
      ramp_limit_(policy_number(scenario.policy, "reduce_ramp_limit")) {}

Decision PlacementLoop::decide(const View& view, std::span<const Event>) {
  scheduler_->refresh(view);
  delay_.refresh(view);
  rooms_.refresh(view);
  Draft draft(view, rooms_);
  if (view.anywhere) {
    place_anywhere(draft);
  } else {
    for (NodeId node : placement_.ordered(draft, {view.offers.begin(), view.offers.end()}))
      fill(node, draft);
  }
  if (view.anywhere || !view.offers.empty()) make_room_for_maps(*scheduler_, draft);
  scheduler_->preempt(draft, [&](const Request& request) {
    return am_has_room(request, draft) && scheduler_->allows(draft, request);
  });
  return draft.take();
}

void PlacementLoop::fill(NodeId node, Draft& draft) {
  if (serve_reservation(node, draft)) return;
  while (place_one(node, draft)) {
  }
}

void PlacementLoop::place_anywhere(Draft& draft) {
  for (NodeId node : std::set<NodeId>(draft.view().cluster.reserved_nodes()))
    serve_reservation(node, draft);
  if (!scheduler_->by_node()) {
    while (place_one(std::nullopt, draft)) {
    }
    return;
  }
  std::set<NodeId> open;
  for (const auto& [size, requests] : draft.view().cluster.wanted_sizes())
    for (auto node = rooms_.first(size); node; node = rooms_.first(size, NodeId{node->value + 1}))
      open.insert(*node);
  for (NodeId node : placement_.ordered(draft, {open.begin(), open.end()})) fill(node, draft);
  // What fits nowhere is offered no node by that.
  if (placement_.reserves()) place_one(std::nullopt, draft);
}

bool PlacementLoop::serve_reservation(NodeId node, Draft& draft) {
  const PhaseId* holder = draft.reserved_by(node);
  if (!holder) return false;
  const Request& request = *draft.view().cluster.request(*holder);
  if (!scheduler_->allows(draft, request) || !am_has_room(request, draft)) {
    draft.unreserve(request, node, "over its limits now");
    return false;
  }
  if (!request.resources.fits_in(draft.free(node))) return true;
  launch(request, node, "reservation met", draft);
  return false;
}

bool PlacementLoop::place_one(std::optional<NodeId> node, Draft& draft) {
  if (node && !something_fits(*node, draft) && !placement_.reserves() &&
      draft.view().cluster.gang_requests() == 0)
    return false;
  bool placed = false;
  // Sizes for which there is no room: none is made within a round.
  std::set<Resources, ByCoresThenMemory> hopeless;
  scheduler_->in_order(draft, node, [&](const Request& request) {
    if (waits_for_ramp(request, draft)) return true;  // not asked for yet
    // Even a strict order goes on: it is the jobs behind whose masters are in the way.
    if (!am_has_room(request, draft)) return true;
    if (request.gang) {
      placed = place_gang(request, draft);
      return !placed && !strict_order_;
    }
    if (!hopeless.contains(request.resources)) {
      Choice choice = node ? on(*node, request, draft) : anywhere(request, draft);
      if (choice.node) {
        launch(request, *choice.node, "fits", draft);
        placed = true;
        return false;
      }
      if (!choice.room) hopeless.insert(request.resources);
    }
    // A node that is held is full.
    if (!request.early && placement_.reserve(request, node, draft) && node) return false;
    return !strict_order_;
  });
  return placed;
}

PlacementLoop::Choice PlacementLoop::on(NodeId node, const Request& request, Draft& draft) {
  if (!request.resources.fits_in(draft.free(node))) return {};
  if (!delay_.accepts(request, node, draft)) return {std::nullopt, true};
  return {node, true};
}

PlacementLoop::Choice PlacementLoop::anywhere(const Request& request, Draft& draft) {
  auto any = placement_.find(draft, request.resources);
  if (!any) return {};
  const std::vector<NodeId>& prefer = draft.job(request.phase).phases[request.phase.phase].prefer;
  if (prefer.empty()) return {any, true};
  const NodeId nearest = nearest_to(prefer, request.resources, *any);
  if (!delay_.accepts(request, nearest, draft)) return {std::nullopt, true};
  return {nearest, true};
}

NodeId PlacementLoop::nearest_to(const std::vector<NodeId>& prefer, const Resources& wanted,
                                 NodeId any) const {
  const Locality level = locality(scenario_.cluster, prefer, any);
  if (level == Locality::kLocal) return any;
  for (NodeId node : prefer)
    if (rooms_.has_room(node, wanted)) return node;
  if (level == Locality::kRack) return any;
  for (auto at = rooms_.first(wanted); at; at = rooms_.first(wanted, NodeId{at->value + 1}))
    if (locality(scenario_.cluster, prefer, *at) == Locality::kRack) return *at;
  return any;
}

bool PlacementLoop::place_gang(const Request& request, Draft& draft) {
  if (!placement_.place_gang(request, draft)) return false;
  for (int i = 0; i < request.pending; ++i) scheduler_->launched(draft, request);
  return true;
}

void PlacementLoop::launch(const Request& request, NodeId node, const char* reason, Draft& draft) {
  draft.launch(request, node, reason);
  delay_.launched(request, node, draft);
  scheduler_->launched(draft, request);
}

bool PlacementLoop::waits_for_ramp(const Request& request, const Draft& draft) const {
  return request.early &&
         !ramp_allows(ramp_of(draft, request, ramp_limit_), request.resources.memory.count());
}

bool PlacementLoop::am_has_room(const Request& request, const Draft& draft) const {
  if (request.kind != PhaseKind::kAm || draft.am_allocated() == Resources{}) return true;
  return dominant_share(draft.am_allocated() + request.resources, draft.view().cluster.total()) <=
         max_am_share_ + 1e-9;
}

bool PlacementLoop::something_fits(NodeId node, const Draft& draft) const {
  const Resources free = draft.free(node);
  const auto& sizes = draft.view().cluster.wanted_sizes();
  return std::any_of(sizes.begin(), sizes.end(),
                     [&](const auto& size) { return size.first.fits_in(free); });
}

}  // namespace heddle
