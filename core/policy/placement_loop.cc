#include "core/policy/placement_loop.h"

#include <algorithm>

#include "core/policy/table.h"

namespace heddle {

PlacementLoop::PlacementLoop(const Scenario& scenario, std::unique_ptr<Scheduler> scheduler)
    : scenario_(scenario),
      scheduler_(std::move(scheduler)),
      placement_(policy_value(scenario.policy, "executor_placement") == "first-fit" &&
                     policy_value(scenario.policy, "reserve") == "true",
                 policy_value(scenario.policy, "node_order") == "most-free"),
      remaining_(make_remaining_time(scenario)),
      executors_(make_executor_placement(scenario, remaining_.get())),
      suspension_(make_suspension(scenario)),
      shrink_(make_shrink(scenario)),
      delay_(scenario.cluster, scenario.policy),
      rooms_(scenario.cluster.nodes.size()),
      strict_order_(policy_value(scenario.policy, "strict_order") == "true"),
      map_room_(strict_order_),
      max_am_share_(policy_number(scenario.policy, "max_am_share")),
      ramp_limit_(policy_number(scenario.policy, "reduce_ramp_limit")) {}

Decision PlacementLoop::decide(const View& view, std::span<const Event> events) {
  rooms_.refresh(view);
  Draft draft(view, rooms_);
  scheduler_->refresh(draft);
  delay_.refresh(view);
  map_room_.refresh(view);
  if (remaining_) remaining_->refresh(draft, events);
  if (suspension_) suspension_->adjust(draft);
  if (executors_) executors_->refresh(draft);
  if (view.anywhere) {
    place_anywhere(draft);
  } else {
    for (NodeId node : placement_.ordered(draft, {view.offers.begin(), view.offers.end()}))
      fill(node, draft);
  }
  if (view.anywhere || !view.offers.empty())
    map_room_.make(*scheduler_, draft,
                   [&](JobId job) { return suspension_ && suspension_->stopping(job, view.now); });
  const std::vector<NodeId> released =
      scheduler_->preempt(draft, [&](const Request& request) { return may_have(request, draft); });
  if (view.anywhere && !released.empty()) {
    for (NodeId node : released) serve_claims(node, draft);
    place_anywhere(draft);
  }
  if (shrink_) shrink_->settle(draft);
  return draft.take();
}

bool PlacementLoop::passes(const View& view, NodeId node) {
  if (remaining_ || suspension_ || executors_ || shrink_) return false;
  if (!map_room_.passes() || !scheduler_->passes(view.now)) return false;
  if (view.cluster.wanted_sizes().empty()) return true;
  const Draft draft(view, rooms_);
  if (!view.anywhere)
    if (const PhaseId* holder = draft.reserved_by(node)) {
      const Request& request = *view.cluster.request(*holder);
      return !portion_on(request, node, draft) && scheduler_->allows(draft, request) &&
             am_has_room(request, draft);
    }
  const Round round(draft, view.anywhere ? std::nullopt : std::optional(node), rules(draft));
  if (!round.anything()) return true;
  if (view.anywhere && scheduler_->by_node()) return false;
  bool tried = false;
  scheduler_->in_order(round, [&](const Request& request) {
    tried = !passed_over(request, round, draft);
    return !tried;
  });
  return !tried;
}

bool PlacementLoop::may_have(const Request& request, const Draft& draft) const {
  return am_has_room(request, draft) && scheduler_->allows(draft, request);
}

void PlacementLoop::serve_claims(NodeId node, Draft& draft) {
  const auto allowed = [&](const Request& request) { return may_have(request, draft); };
  while (const Request* request = scheduler_->claim(node, draft, allowed)) {
    const PhaseId* holder = draft.reserved_by(node);
    if (holder && *holder != request->phase)
      draft.unreserve(*draft.view().cluster.request(*holder), node, "room was made for another");
    launch(*request, node, request->resources, "room was made for its queue", draft);
  }
}

void PlacementLoop::fill(NodeId node, Draft& draft) {
  serve_claims(node, draft);
  if (serve_reservation(node, draft)) return;
  if (suspension_) place_favoured(node, draft);
  while (place_one(node, draft)) {
  }
}

void PlacementLoop::place_anywhere(Draft& draft) {
  // A reservation can be met where something has changed, and only there. Looked at is also whether
  // its request is over its limits, of which nothing may come now and something the next time.
  for (NodeId node : draft.view().changed_nodes) {
    serve_claims(node, draft);
    if (serve_reservation(node, draft)) draft.remember();
  }
  if (suspension_)
    for (NodeId node : suspension_->nodes())
      if (!draft.reserved_by(node)) place_favoured(node, draft);
  if (!scheduler_->by_node()) {
    while (place_one(std::nullopt, draft)) {
    }
    return;
  }
  fill_open_nodes(draft);
  // What fits nowhere is offered no node by that.
  if (placement_.reserves() || executors_) place_one(std::nullopt, draft);
}

void PlacementLoop::place_favoured(NodeId node, Draft& draft) {
  for (auto [job, left] : suspension_->favoured(node, draft)) {
    for (const Request* asked : draft.view().cluster.requests(job)) {
      if (!asked || !is_map(asked->kind) || asked->gang) continue;
      const Request& request = *asked;
      while (draft.pending(request) > 0 && scheduler_->allows(draft, request)) {
        const std::optional<Portion> portion = portion_on(request, node, draft);
        if (!portion || portion->size.cores * portion->count > left ||
            !delay_.accepts(request, node, draft))
          break;
        left -= portion->size.cores * portion->count;
        launch(request, node, *portion, "cores of suspended reduces of its job", draft);
      }
    }
  }
}

void PlacementLoop::fill_open_nodes(Draft& draft) {
  auto next_open = [&](NodeId from) {
    std::optional<NodeId> found;
    for (const auto& [size, requests] : draft.view().cluster.wanted_sizes()) {
      if (!draft.asked_for(size)) continue;
      auto node = rooms_.first(shrink_ ? shrink_->least(size) : size, from);
      if (node && (!found || *node < *found)) found = node;
    }
    return found;
  };
  std::vector<NodeId> all;
  for (auto node = next_open(NodeId{0}); node; node = next_open(NodeId{node->value + 1})) {
    if (placement_.most_free())
      all.push_back(*node);
    else
      fill(*node, draft);
  }
  for (NodeId node : placement_.ordered(draft, std::move(all))) fill(node, draft);
}

bool PlacementLoop::serve_reservation(NodeId node, Draft& draft) {
  const PhaseId* holder = draft.reserved_by(node);
  if (!holder) return false;
  const Request& request = *draft.view().cluster.request(*holder);
  if (!may_have(request, draft)) {
    draft.unreserve(request, node, "over its limits now");
    return false;
  }
  const std::optional<Portion> portion = portion_on(request, node, draft);
  if (!portion) return true;
  launch(request, node, *portion, "reservation met", draft);
  return false;
}

bool PlacementLoop::place_one(std::optional<NodeId> node, Draft& draft) {
  if (executors_) executors_->follow(draft);
  Round round(draft, node, rules(draft));
  if (!round.anything()) return false;
  bool placed = false;
  scheduler_->in_order(round, [&](const Request& request) {
    if (passed_over(request, round, draft)) return true;
    placed = place(request, node, draft);
    if (placed) return false;
    if (!request.gang && !round.fits_somewhere(request.resources) && hold(request, node, draft)) {
      if (node && draft.reserved_by(*node)) return false;  // held, and so full
      round.forget();                                      // so are those that were reserved
    }
    return !strict_order_;
  });
  return placed;
}

bool PlacementLoop::place(const Request& request, std::optional<NodeId> node, Draft& draft) {
  if (request.gang) return place_gang(request, draft);
  if (goes_anywhere(request)) return place_executor(request, draft);
  const std::optional<NodeId> chosen = node ? node : best_node(request, draft);
  return chosen && place_on(request, *chosen, draft);
}

bool PlacementLoop::place_on(const Request& request, NodeId node, Draft& draft) {
  const std::optional<Portion> portion = portion_on(request, node, draft);
  if (!portion || !delay_.accepts(request, node, draft)) return false;
  launch(request, node, *portion, scheduler_->reason(request), draft);
  return true;
}

bool PlacementLoop::goes_anywhere(const Request& request) const {
  return executors_ && request.kind == PhaseKind::kExecutor && !request.gang;
}

std::optional<ExecutorPlacement::Choice> PlacementLoop::find_for_executor(
    const Request& request, const Draft& draft) const {
  return executors_->find(request, draft,
                          [&](NodeId node) { return !delay_.waits(request, node, draft); });
}

bool PlacementLoop::place_executor(const Request& request, Draft& draft) {
  const auto choice = find_for_executor(request, draft);
  if (!choice) {
    // It lets what other room there is pass.
    if (const auto room = draft.rooms().first(request.resources))
      delay_.accepts(request, *room, draft);
    return false;
  }
  launch(request, choice->node, request.resources, scheduler_->reason(request) + "; " + choice->why,
         draft);
  return true;
}

bool PlacementLoop::hold(const Request& request, std::optional<NodeId> node, Draft& draft) {
  if (scheduler_->expects_room(request)) return false;
  return goes_anywhere(request) ? executors_->reserve(request, draft)
                                : placement_.reserve(request, node, draft);
}

std::optional<Portion> PlacementLoop::portion_on(const Request& request, NodeId node,
                                                 const Draft& draft) const {
  if (shrink_)
    if (auto portion = shrink_->portion(request, node, draft)) return portion;
  if (!request.resources.fits_in(draft.free(node))) return std::nullopt;
  return Portion{request.resources, 1};
}

std::optional<NodeId> PlacementLoop::best_node(const Request& request, const Draft& draft) const {
  std::optional<NodeId> fits = placement_.find(draft, request.resources);
  if (fits) fits = nearest(request, *fits, draft);
  if (!shrink_ || (fits && draft.locality(request, *fits) == Locality::kLocal)) return fits;
  const auto has_room = [&](NodeId node) {
    return rooms_.open(node) && shrink_->has_room(request, node, draft);
  };
  for (NodeId node : draft.next_data(request))
    if (has_room(node)) return node;
  // Of its other tasks: where something has come free.
  for (NodeId node : draft.view().changed_nodes)
    if (has_room(node)) return node;
  return fits;
}

NodeId PlacementLoop::nearest(const Request& request, NodeId any, const Draft& draft) const {
  const Locality level = draft.locality(request, any);
  if (level == Locality::kAny || level == Locality::kLocal) return any;
  const Resources& wanted = request.resources;
  const std::vector<NodeId>& prefer = draft.next_data(request);
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
  if (suspension_)
    suspension_->allocated(request.phase.job, request.resources * request.pending, draft);
  return true;
}

void PlacementLoop::launch(const Request& request, NodeId node, const Resources& size,
                           std::string reason, Draft& draft) {
  delay_.launching(request, node, draft);
  draft.launch(request, node, size, std::move(reason));
  if (executors_) executors_->launched(request, node, size);
  if (suspension_) suspension_->launched(request, node, size, draft);
  scheduler_->launched(draft, request);
}

void PlacementLoop::launch(const Request& request, NodeId node, const Portion& portion,
                           const std::string& reason, Draft& draft) {
  std::string why = reason;
  if (portion.size != request.resources)
    why += "; " + shrunk_in_words(request.resources, portion.size);
  if (portion.count > 1) why += "; " + std::to_string(portion.count) + " together";
  for (int i = 0; i < portion.count && (i == 0 || scheduler_->allows(draft, request)); ++i)
    launch(request, node, portion.size, why, draft);
}

bool PlacementLoop::waits_for_ramp(const Request& request, const Draft& draft) const {
  return request.early && !ramp_allows(ramp_of(draft, request, ramp_limit_), request.resources);
}

bool PlacementLoop::passed_over(const Request& request, const Round& round,
                                const Draft& draft) const {
  if (request.early && (!round.fits(request.resources) || waits_for_ramp(request, draft)))
    return true;
  // Even a strict order goes on: it is the jobs behind whose masters are in the way.
  return !am_has_room(request, draft);
}

bool PlacementLoop::may_launch(const Request& request, NodeId node, const Draft& draft) const {
  if (waits_for_ramp(request, draft) || !am_has_room(request, draft)) return false;
  if (request.gang)
    return std::ssize(placement_.gang_places(request, draft)) >= draft.pending(request);
  return !delay_.waits(request, node, draft);
}

RoundRules PlacementLoop::rules(const Draft& draft) const {
  return {placement_.reserves(), strict_order_, executors_.get(), shrink_.get(),
          [this, &draft](const Request& request, NodeId node) {
            return may_launch(request, node, draft);
          }};
}

bool PlacementLoop::am_has_room(const Request& request, const Draft& draft) const {
  if (request.kind != PhaseKind::kAm || draft.am_allocated() == Resources{}) return true;
  return dominant_share(draft.am_allocated() + request.resources, draft.view().cluster.total()) <=
         max_am_share_ + 1e-9;
}

}  // namespace heddle
