#include "core/policy/placement_loop.h"

#include <functional>

#include "core/policy/queues/preemption.h"

namespace heddle {

PlacementLoop::PlacementLoop(const Scenario& scenario, LoopParts parts)
    : scenario_(scenario),
      scheduler_(std::move(parts.scheduler)),
      executors_(std::move(parts.executors)),
      reduces_(std::move(parts.reduces)),
      locality_(std::move(parts.locality)),
      rank_(scenario),
      placement_(parts.reserve, parts.reservable, rank_),
      delay_(scenario.cluster, scenario.policy),
      limits_(scenario),
      gates_(scenario, *scheduler_, limits_, locality_.get(), delay_),
      free_nodes_(scenario.cluster.nodes.size()),
      reduce_preemption_(scheduler_->strict()) {}

Decision PlacementLoop::decide(const View& view, std::span<const Event> events) {
  free_nodes_.refresh(view);
  Draft draft(view, free_nodes_);
  scheduler_->refresh(draft);
  delay_.refresh(view);
  limits_.refresh(view);
  rank_.refresh(view, events, free_nodes_);
  reduce_preemption_.refresh(view);
  if (executors_) executors_->observe(draft, events);
  if (reduces_) reduces_->adjust(draft);
  if (executors_) executors_->refresh(draft);
  if (scheduler_->reorders()) release_late(draft);
  if (view.cluster.reservations().any()) release_kept_out(draft);
  if (unfilled_.empty())
    unfilled_ = placement_.ordered(draft, {view.offers.begin(), view.offers.end()});
  const bool places = view.anywhere || !unfilled_.empty();
  while (places && place_preferred(draft)) {
  }
  if (view.anywhere) {
    place_anywhere(draft);
  } else {
    while (!unfilled_.empty()) {
      fill(unfilled_.front(), draft);
      if (scheduler_->paused()) break;
      unfilled_.erase(unfilled_.begin());
    }
  }
  if (places && !scheduler_->paused())
    reduce_preemption_.make(*scheduler_, draft, [&](JobId job) {
      return reduces_ && reduces_->stopping(job, view.now);
    });
  std::vector<NodeId> released;
  if (Preemption* preemption = scheduler_->preemption())
    released =
        preemption->run([&](const Request& request) { return may_have(request, draft); }, draft);
  if (view.anywhere && !released.empty()) {
    for (NodeId node : released) serve_claims(node, draft);
    place_anywhere(draft);
  }
  for (const Request* gang : scheduler_->place_gangs(draft, gang_places(draft)))
    if (reduces_) reduces_->launched(*gang, std::nullopt, gang->resources * gang->pending, draft);
  if (locality_) locality_->settle(draft);
  Decision decision = draft.take();
  nothing_to_do_ = view.anywhere && decision.actions.empty() && !scheduler_->paused();
  return decision;
}

bool PlacementLoop::passes(const View& view, NodeId node) {
  if (reduces_ || executors_ || locality_) return false;
  if (!reduce_preemption_.passes() || view.now >= scheduler_->passes_until()) return false;
  // The same decision again would come to the same. A delay counts it.
  if (nothing_to_do_ && !scheduler_->paused() && !delay_.active()) return true;
  if (view.cluster.wanted_sizes().empty()) return true;
  const Draft draft(view, free_nodes_);
  if (!view.anywhere)
    if (const PhaseId* holder = draft.reserved_by(node)) {
      const Request& request = *view.cluster.request(*holder);
      if (!may_have(request, draft)) return false;
      Place any;
      return request.gang ? find_for_gang(request, draft, any).has_value()
                          : gates_.of_node(request, node, draft).has_value();
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

void PlacementLoop::release_late(Draft& draft) {
  const std::set<NodeId> reserved = draft.view().cluster.reserved_nodes();
  if (reserved.empty()) return;
  const Round round(draft, std::nullopt, rules(draft));
  std::optional<PhaseId> first;
  const auto visit = [&](const Request& request) {
    if (passed_over(request, round, draft)) return true;
    first = request.phase;
    return false;
  };
  scheduler_->in_order(round, std::ref(visit));
  for (NodeId node : reserved)
    if (const PhaseId* holder = draft.reserved_by(node); holder && first && *holder != *first)
      draft.unreserve(*draft.view().cluster.request(*holder), node, "no longer the first");
}

void PlacementLoop::release_kept_out(Draft& draft) {
  const ClusterState& cluster = draft.view().cluster;
  for (NodeId node : cluster.reserved_nodes()) {
    const PhaseId* holder = draft.reserved_by(node);
    if (holder && cluster.reserved_for_others(holder->job, node, draft.view().now))
      draft.unreserve(*cluster.request(*holder), node, "the site has reserved it for others");
  }
}

void PlacementLoop::serve_claims(NodeId node, Draft& draft) {
  Preemption* const preemption = scheduler_->preemption();
  if (!preemption) return;
  const auto allowed = [&](const Request& request) { return may_have(request, draft); };
  while (const Request* request = preemption->claim(node, allowed, draft)) {
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
  if (reduces_)
    for (NodeId node : reduces_->nodes())
      if (!draft.reserved_by(node)) place_favoured(node, draft);
  if (!scheduler_->by_node()) {
    while (place_one(std::nullopt, draft)) {
    }
    return;
  }
  fill_open_nodes(draft);
  // Requests that fit nowhere had no turn above. They can still make reservations.
  if (placement_.reserves() || executors_) place_one(std::nullopt, draft);
}

void PlacementLoop::place_favoured(NodeId node, Draft& draft) {
  if (!reduces_) return;
  for (auto [job, left] : reduces_->favoured(node, draft)) {
    for (const Request* asked : draft.view().cluster.requests(job)) {
      if (!asked || !is_map(asked->kind) || asked->gang) continue;
      const Request& request = *asked;
      while (draft.pending(request) > 0 && may_have(request, draft)) {
        Portion portion;
        if (gates_.of_node(request, node, draft, portion) ||
            portion.size.cores * portion.count > left)
          break;
        if (const auto waits = gates_.patience(request, node, draft)) {
          refuse(request, *waits, draft);
          break;
        }
        left -= portion.size.cores * portion.count;
        launch(request, node, portion, "cores of suspended reduces of its job", draft);
      }
    }
  }
}

void PlacementLoop::fill_open_nodes(Draft& draft) {
  auto next_open = [&](NodeId from) {
    std::optional<NodeId> found;
    for (const auto& [size, requests] : draft.view().cluster.wanted_sizes()) {
      if (!draft.asked_for(size)) continue;
      auto node = free_nodes_.first(locality_ ? locality_->least(size) : size, from);
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
  if (request.gang) {
    Place place;
    if (find_for_gang(request, draft, place)) return true;
    launch_gang(request, place.gang, draft);
    return false;
  }
  Portion portion;
  if (gates_.of_node(request, node, draft, portion)) return true;
  launch(request, node, portion, "reservation met", draft);
  return false;
}

std::optional<Refusal> PlacementLoop::refused_at(const Request& request, NodeId node,
                                                 const Draft& draft) const {
  if (auto refusal = gates_.of_request(request, draft)) return refusal;
  if (const auto refusal = gates_.of_node(request, node, draft)) return *refusal;
  return gates_.patience(request, node, draft);
}

FreeNodeIndex PlacementLoop::free_nodes(const View& view) const {
  FreeNodeIndex copy = free_nodes_;
  copy.refresh(view);
  return copy;
}

bool PlacementLoop::place_preferred(Draft& draft) {
  if (scheduler_->paused() || !scheduler_->prefers_nodes()) return false;
  bool placed = false;
  const Round round(draft, std::nullopt, rules(draft));
  const auto visit = [&](const Request& request) {
    if (request.gang) return true;
    for (NodeId node : scheduler_->preferred(request)) {
      if (refused_at(request, node, draft)) continue;
      launch(request, node, request.resources, scheduler_->reason(request), draft);
      placed = true;
      return false;
    }
    return true;
  };
  scheduler_->in_order(round, std::ref(visit));
  return placed;
}

bool PlacementLoop::place_one(std::optional<NodeId> node, Draft& draft) {
  if (scheduler_->paused()) return false;
  if (executors_) executors_->follow(draft);
  Round round(draft, node, rules(draft));
  if (!round.anything()) return false;
  bool placed = false;
  const auto visit = [&](const Request& request) {
    if (passed_over(request, round, draft)) return true;
    placed = place(request, node, draft);
    if (placed) return false;
    if (request.gang ? keep_for_gang(request, draft)
                     : !round.fits_somewhere(request.resources) && hold(request, node, draft)) {
      if (node && draft.reserved_by(*node)) return false;  // full: reserved in this step
      round.forget();                                      // other nodes may be reserved just now
    }
    return !scheduler_->strict();
  };
  scheduler_->in_order(round, std::ref(visit));  // a std::function of a reference allocates nothing
  return placed;
}

std::optional<Refusal> PlacementLoop::find(const Request& request, std::optional<NodeId> node,
                                           const Draft& draft, Place& place) const {
  if (request.gang) return find_for_gang(request, draft, place);
  if (goes_anywhere(request)) return find_for_executor(request, draft, place);
  const std::optional<NodeId> chosen = node ? node : best_node(request, draft);
  if (!chosen) return NotHere::kNoRoom;
  place.node = *chosen;
  if (const auto refusal = gates_.of_node(request, *chosen, draft, place.portion)) return *refusal;
  if (node && rank_.scores() && !rank_.good(request, *node, draft))
    return obstacle::BetterNodes{*node};
  return gates_.patience(request, *chosen, draft);
}

std::optional<Refusal> PlacementLoop::find_for_gang(const Request& request, const Draft& draft,
                                                    Place& place) const {
  const auto may = [&](NodeId node) { return !gates_.of_node(request, node, draft); };
  place.gang = placement_.gang_places(request, draft, std::ref(may));
  const int places = static_cast<int>(place.gang.size());
  if (places < request.pending) return obstacle::Gang{places, request.pending, {}};
  return std::nullopt;
}

std::optional<Refusal> PlacementLoop::find_for_executor(const Request& request, const Draft& draft,
                                                        Place& place) const {
  const auto may = [&](NodeId node) {
    return !gates_.of_node(request, node, draft) && !gates_.patience(request, node, draft);
  };
  if (auto choice = executors_->find(request, draft, std::ref(may))) {
    place = {choice->node, {request.resources}, {}, std::move(choice->why)};
    return std::nullopt;
  }
  // The executor may let the opportunity on a node with room pass.
  const auto room = draft.free_nodes().first(request.resources);
  const auto waits = room ? gates_.patience(request, *room, draft) : std::nullopt;
  return waits.value_or(NotHere::kNoRoom);
}

bool PlacementLoop::place(const Request& request, std::optional<NodeId> node, Draft& draft) {
  Place place;
  if (const auto refusal = find(request, node, draft, place)) {
    refuse(request, *refusal, draft);
    return false;
  }
  if (request.gang) {
    launch_gang(request, place.gang, draft);
  } else {
    std::string reason = scheduler_->reason(request);
    if (!place.why.empty()) reason += "; " + place.why;
    launch(request, place.node, place.portion, reason, draft);
  }
  return true;
}

void PlacementLoop::refuse(const Request& request, const Refusal& refusal, Draft& draft) {
  if (note_) note_(request, refusal);
  if (const auto* waits = std::get_if<obstacle::LocalityDelay>(&refusal))
    delay_.let_pass(request, waits->node, draft);
}

bool PlacementLoop::hold(const Request& request, std::optional<NodeId> node, Draft& draft) {
  const Preemption* preemption = scheduler_->preemption();
  if (preemption && preemption->expects_room(request)) return false;
  if (goes_anywhere(request)) return executors_->reserve(request, draft);
  bool any = false;
  while (scheduler_->may_reserve(draft, request) && placement_.reserve(request, node, draft)) {
    scheduler_->reserved(draft, request);
    any = true;
    if (node) break;
  }
  return any;
}

bool PlacementLoop::keep_for_gang(const Request& request, Draft& draft) {
  if (draft.reserved(request) == 0 && !scheduler_->may_reserve(draft, request)) return false;
  if (!placement_.keep_for_gang(request, draft)) return false;
  scheduler_->reserved(draft, request);
  return true;
}

bool PlacementLoop::lacks_labelled_room(const Resources& wanted, const Where& where) const {
  const auto size = no_labelled_room_.find(wanted);
  if (size == no_labelled_room_.end()) return false;
  const auto at = size->second.find(where);
  return at != size->second.end() && at->second == free_nodes_.grown();
}

void PlacementLoop::note_labelled_room(const Request& request, const Draft& draft) const {
  const Where& where = draft.where(request.phase);
  // Only the index of this object is asked again. With shrinking, less than the size can fit.
  if (where.empty() || locality_ || &draft.free_nodes() != &free_nodes_) return;
  const auto has_labels = [&](NodeId node) {
    return meets(where, draft.view().cluster.node(node).spec->labels);
  };
  if (!free_nodes_.first(request.resources, std::ref(has_labels)))
    no_labelled_room_[request.resources][where] = free_nodes_.grown();
}

std::optional<NodeId> PlacementLoop::best_node(const Request& request, const Draft& draft) const {
  if (&draft.free_nodes() == &free_nodes_ &&
      lacks_labelled_room(request.resources, draft.where(request.phase)))
    return std::nullopt;
  const auto may = [&](NodeId node) { return !gates_.of_node(request, node, draft); };
  std::optional<NodeId> fits = placement_.find(draft, request, std::ref(may));
  if (!fits) note_labelled_room(request, draft);
  if (fits) fits = nearest(request, *fits, draft);
  if (!locality_ || request.kind != PhaseKind::kMap ||
      (fits && draft.locality(request, *fits) == Locality::kLocal))
    return fits;
  const auto has_room_and_data = [&](NodeId node) {
    return may(node) && draft.local_tasks(request, node, 1) > 0;
  };
  for (NodeId node : draft.next_data(request))
    if (has_room_and_data(node)) return node;
  // Tasks other than the next one can have their data on nodes that have changed.
  for (NodeId node : draft.view().changed_nodes)
    if (has_room_and_data(node)) return node;
  return fits;
}

NodeId PlacementLoop::nearest(const Request& request, NodeId any, const Draft& draft) const {
  const Locality level = draft.locality(request, any);
  if (level == Locality::kAny || level == Locality::kLocal) return any;
  const Resources& wanted = request.resources;
  const FreeNodeIndex& free_nodes = draft.free_nodes();
  const std::vector<NodeId>& prefer = draft.next_data(request);
  const auto may = [&](NodeId node) { return !gates_.of_node(request, node, draft); };
  for (NodeId node : prefer)
    if (free_nodes.has_room(node, wanted) && may(node)) return node;
  if (level == Locality::kRack) return any;
  for (auto at = free_nodes.first(wanted); at; at = free_nodes.first(wanted, NodeId{at->value + 1}))
    if (locality(scenario_.cluster, prefer, *at) == Locality::kRack && may(*at)) return *at;
  return any;
}

GangPlaces PlacementLoop::gang_places(Draft& draft) {
  GangPlaces places;
  if (placement_.orders())
    places.best_first = [this, &draft](const Request& request, std::vector<NodeId> nodes) {
      return placement_.best_first(request, draft, std::move(nodes));
    };
  if (limits_.any()) places.may_start = [this](JobId job) { return !limits_.refusal(job); };
  places.launch = [this, &draft](const Request& request, NodeId node, std::string reason) {
    launch_one(request, node, request.resources, std::move(reason), draft);
  };
  return places;
}

void PlacementLoop::launch_one(const Request& request, NodeId node, const Resources& size,
                               std::string reason, Draft& draft) {
  rank_.launched(node, size);
  limits_.launched(request.phase.job);
  draft.launch(request, node, rank_.placed(request, size, node, draft), std::move(reason));
}

void PlacementLoop::launch_gang(const Request& request, const std::vector<NodeId>& nodes,
                                Draft& draft) {
  for (NodeId node : nodes) launch_one(request, node, request.resources, "gang fits", draft);
  for (int i = 0; i < request.pending; ++i) scheduler_->launched(draft, request);
  if (reduces_)
    reduces_->launched(request, std::nullopt, request.resources * request.pending, draft);
}

void PlacementLoop::launch(const Request& request, NodeId node, const Resources& size,
                           std::string reason, Draft& draft) {
  delay_.launching(request, node, draft);
  launch_one(request, node, size, std::move(reason), draft);
  if (executors_) executors_->launched(request, node, size);
  if (reduces_) reduces_->launched(request, node, size, draft);
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
  if (request.early && !round.fits(request.resources)) return true;
  const auto refusal = gates_.of_request(request, draft);
  if (refusal && note_) note_(request, *refusal);
  return refusal.has_value();
}

RoundRules PlacementLoop::rules(const Draft& draft) const {
  RoundRules rules;
  rules.reserves = placement_.reserves();
  rules.strict = scheduler_->strict();
  if (executors_)
    rules.could_hold = [this](const Resources& size) { return executors_->could_hold(size); };
  if (&draft.free_nodes() == &free_nodes_)
    rules.lacks_labelled_room = [this](const Resources& wanted, const Where& where) {
      return lacks_labelled_room(wanted, where);
    };
  if (locality_) rules.least = [this](const Resources& wanted) { return locality_->least(wanted); };
  rules.may_launch = [this, &draft](const Request& request, NodeId node) {
    Place any;
    return may_have(request, draft) && !(request.gang ? find_for_gang(request, draft, any)
                                                      : gates_.patience(request, node, draft));
  };
  return rules;
}

}  // namespace heddle
