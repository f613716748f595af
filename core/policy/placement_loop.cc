#include "core/policy/placement_loop.h"

#include <functional>

namespace heddle {

constinit const NumberOption kMaxAmShare(
    {.name = "max_am_share",
     .least = 0,
     .most = 1,
     .by_default = "0.1",
     .help =
         "share of the cluster that application masters can hold together; one may always run"});

constinit const PartText kMasterShare{
    .name = "application masters",
    .summary = "masters together hold at most a share of the cluster",
    .source = "Hadoop YARN, maximum-am-resource-percent",
    .options = {&kMaxAmShare}};

PlacementLoop::PlacementLoop(const Scenario& scenario, LoopParts parts)
    : scenario_(scenario),
      scheduler_(std::move(parts.scheduler)),
      executors_(std::move(parts.executors)),
      reduces_(std::move(parts.reduces)),
      locality_(std::move(parts.locality)),
      placement_(parts.reserve && !executors_->goes_anywhere(),
                 value(scenario.policy, kNodeOrder) == NodeOrder::kMostFree),
      delay_(scenario.cluster, scenario.policy),
      free_nodes_(scenario.cluster.nodes.size()),
      reduce_preemption_(scheduler_->strict()),
      max_am_share_(value(scenario.policy, kMaxAmShare)),
      ramp_limit_(value(scenario.policy, kReduceRampLimit)) {}

Decision PlacementLoop::decide(const View& view, std::span<const Event> events) {
  free_nodes_.refresh(view);
  Draft draft(view, free_nodes_);
  scheduler_->refresh(draft);
  delay_.refresh(view);
  reduce_preemption_.refresh(view);
  executors_->observe(draft, events);
  reduces_->adjust(draft);
  executors_->refresh(draft);
  if (view.anywhere) {
    place_anywhere(draft);
  } else {
    for (NodeId node : placement_.ordered(draft, {view.offers.begin(), view.offers.end()}))
      fill(node, draft);
  }
  if (view.anywhere || !view.offers.empty())
    reduce_preemption_.make(*scheduler_, draft,
                            [&](JobId job) { return reduces_->stopping(job, view.now); });
  const std::vector<NodeId> released =
      scheduler_->preempt(draft, [&](const Request& request) { return may_have(request, draft); });
  if (view.anywhere && !released.empty()) {
    for (NodeId node : released) serve_claims(node, draft);
    place_anywhere(draft);
  }
  for (const Request* gang : scheduler_->place_gangs(draft))
    reduces_->allocated(gang->phase.job, gang->resources * gang->pending, draft);
  locality_->settle(draft);
  return draft.take();
}

bool PlacementLoop::passes(const View& view, NodeId node) {
  if (!reduces_->idle() || executors_->goes_anywhere() || locality_->shrinks()) return false;
  if (!reduce_preemption_.passes() || !scheduler_->passes(view.now)) return false;
  if (view.cluster.wanted_sizes().empty()) return true;
  const Draft draft(view, free_nodes_);
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
  const auto visit = [&](const Request& request) {
    tried = !passed_over(request, round, draft);
    return !tried;
  };
  scheduler_->in_order(round, std::ref(visit));
  return !tried;
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
  place_favoured(node, draft);
  while (place_one(node, draft)) {
  }
}

void PlacementLoop::place_anywhere(Draft& draft) {
  // A reserved node can get room only if something has changed on it. The limits of the request are
  // also checked only there. Such a check can change nothing in this step and end the reservation
  // in a later step. Therefore the step must be in the journal.
  for (NodeId node : draft.view().changed_nodes) {
    serve_claims(node, draft);
    if (serve_reservation(node, draft)) draft.remember();
  }
  for (NodeId node : reduces_->nodes())
    if (!draft.reserved_by(node)) place_favoured(node, draft);
  if (!scheduler_->by_node()) {
    while (place_one(std::nullopt, draft)) {
    }
    return;
  }
  fill_open_nodes(draft);
  // Requests that fit nowhere had no turn above. They can still make reservations.
  if (placement_.reserves() || executors_->goes_anywhere()) place_one(std::nullopt, draft);
}

void PlacementLoop::place_favoured(NodeId node, Draft& draft) {
  for (auto [job, left] : reduces_->favoured(node, draft)) {
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
      auto node = free_nodes_.first(locality_->least(size), from);
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
  executors_->follow(draft);
  Round round(draft, node, rules(draft));
  if (!round.anything()) return false;
  bool placed = false;
  const auto visit = [&](const Request& request) {
    if (passed_over(request, round, draft)) return true;
    placed = place(request, node, draft);
    if (placed) return false;
    if (!request.gang && !round.fits_somewhere(request.resources) && hold(request, node, draft)) {
      if (node && draft.reserved_by(*node)) return false;  // full: reserved in this step
      round.forget();                                      // other nodes may be reserved just now
    }
    return !scheduler_->strict();
  };
  scheduler_->in_order(round, std::ref(visit));  // a std::function of a reference allocates nothing
  return placed;
}

bool PlacementLoop::place(const Request& request, std::optional<NodeId> node, Draft& draft) {
  if (request.gang) return place_gang(request, draft);
  if (goes_anywhere(request)) return place_executor(request, draft);
  const std::optional<NodeId> chosen = node ? node : best_node(request, draft);
  if (!chosen) return false;
  const std::optional<Portion> portion = portion_on(request, *chosen, draft);
  if (!portion || !delay_.accepts(request, *chosen, draft)) return false;
  launch(request, *chosen, *portion, scheduler_->reason(request), draft);
  return true;
}

std::optional<ExecutorPlacement::Choice> PlacementLoop::find_for_executor(
    const Request& request, const Draft& draft) const {
  return executors_->find(request, draft,
                          [&](NodeId node) { return !delay_.waits(request, node, draft); });
}

bool PlacementLoop::place_executor(const Request& request, Draft& draft) {
  const auto choice = find_for_executor(request, draft);
  if (!choice) {
    // The executor lets the opportunity on a node with room pass.
    if (const auto room = draft.free_nodes().first(request.resources))
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
  if (auto portion = locality_->portion(request, node, draft)) return portion;
  if (!request.resources.fits_in(draft.free(node))) return std::nullopt;
  return Portion{request.resources, 1};
}

std::optional<NodeId> PlacementLoop::best_node(const Request& request, const Draft& draft) const {
  std::optional<NodeId> fits = placement_.find(draft, request.resources);
  if (fits) fits = nearest(request, *fits, draft);
  if (!locality_->shrinks() || (fits && draft.locality(request, *fits) == Locality::kLocal))
    return fits;
  const auto has_room = [&](NodeId node) {
    return free_nodes_.open(node) && locality_->has_room(request, node, draft);
  };
  for (NodeId node : draft.next_data(request))
    if (has_room(node)) return node;
  // Tasks other than the next one can have their data on nodes that have changed.
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
    if (free_nodes_.has_room(node, wanted)) return node;
  if (level == Locality::kRack) return any;
  for (auto at = free_nodes_.first(wanted); at;
       at = free_nodes_.first(wanted, NodeId{at->value + 1}))
    if (locality(scenario_.cluster, prefer, *at) == Locality::kRack) return *at;
  return any;
}

bool PlacementLoop::place_gang(const Request& request, Draft& draft) {
  if (!placement_.place_gang(request, draft)) return false;
  for (int i = 0; i < request.pending; ++i) scheduler_->launched(draft, request);
  reduces_->allocated(request.phase.job, request.resources * request.pending, draft);
  return true;
}

void PlacementLoop::launch(const Request& request, NodeId node, const Resources& size,
                           std::string reason, Draft& draft) {
  delay_.launching(request, node, draft);
  draft.launch(request, node, size, std::move(reason));
  executors_->launched(request, node, size);
  reduces_->launched(request, node, size, draft);
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

bool PlacementLoop::passed_over(const Request& request, const Round& round,
                                const Draft& draft) const {
  if (request.early && (!round.fits(request.resources) || waits_for_ramp(request, draft)))
    return true;
  // Even a strict order continues here. The application masters that hold the share belong to jobs
  // that come later in the order.
  return !am_has_room(request, draft);
}

bool PlacementLoop::may_launch(const Request& request, NodeId node, const Draft& draft) const {
  if (waits_for_ramp(request, draft) || !am_has_room(request, draft)) return false;
  if (request.gang)
    return std::ssize(placement_.gang_places(request, draft)) >= draft.pending(request);
  return !delay_.waits(request, node, draft);
}

RoundRules PlacementLoop::rules(const Draft& draft) const {
  RoundRules rules;
  rules.reserves = placement_.reserves();
  rules.strict = scheduler_->strict();
  if (executors_->goes_anywhere())
    rules.could_hold = [this](const Resources& size) { return executors_->could_hold(size); };
  if (locality_->shrinks())
    rules.least = [this](const Resources& wanted) { return locality_->least(wanted); };
  rules.may_launch = [this, &draft](const Request& request, NodeId node) {
    return may_launch(request, node, draft);
  };
  return rules;
}

bool PlacementLoop::am_has_room(const Request& request, const Draft& draft) const {
  if (request.kind != PhaseKind::kAm || draft.am_allocated() == Resources{}) return true;
  return dominant_share(draft.am_allocated() + request.resources, draft.view().cluster.total()) <=
         max_am_share_ + 1e-9;
}

}  // namespace heddle
