// Finds the obstacles of requests: checks the conditions of placement_loop.cc one by one.
#include <algorithm>

#include "core/policy/placement_loop.h"

namespace heddle {
namespace {

/// Maximum number of containers that are tried on a node for requests that go before the request.
/// If there are more of them, the request counts as waiting for these requests.
constexpr int kMostTried = 200;

}  // namespace

std::vector<Obstacle> PlacementLoop::obstacles(const View& view, JobId job) const {
  return obstacles_of(view, job,
                      [&](const Request& request) { return obstacle_of(request, view); });
}

Obstacle::What PlacementLoop::obstacle_of(const Request& request, const View& view) const {
  FreeNodeIndex free_nodes = free_nodes_;
  free_nodes.refresh(view);
  Draft draft(view, free_nodes);
  if (const auto planned = scheduler_->planned(draft, request)) return *planned;
  const auto limit = scheduler_->limit(draft, request);
  // A queue whose maximum is the whole cluster is at its limit whenever the cluster is full.
  const bool whole = limit && limit->of == obstacle::Limit::Of::kQueue && limit->most >= 1;
  if (limit && !whole) return *limit;
  if (!am_has_room(request, draft))
    return obstacle::MasterShare{dominant_share(draft.am_allocated(), view.cluster.total()),
                                 max_am_share_};
  if (waits_for_ramp(request, draft)) {
    const auto maps = view.cluster.job(request.phase.job).early_start(request.phase.phase);
    return maps ? obstacle::Ramp{maps->completed, maps->maps} : obstacle::Ramp{};
  }
  Room room = room_for(view, request,
                       [&](NodeId node) { return portion_on(request, node, draft).has_value(); });
  if (!room.own.empty()) return obstacle::NextReport{room.own.front()};
  auto* no_room = std::get_if<obstacle::NoRoom>(&room.none);
  if (room.open.empty() && !no_room) return std::move(room.none);
  if (request.gang) {
    const auto places = static_cast<int>(placement_.gang_places(request, draft).size());
    const NodeId node = room.open.empty() ? no_room->node : room.open.front();
    if (places < request.pending)
      return obstacle::Gang{places, request.pending, ahead_of(request, node, draft)};
  }
  if (!room.open.empty() && whole) return *limit;
  if (!room.open.empty()) return turn_of(request, reports(request, room.open, view), draft);
  no_room->ahead = ahead_of(request, no_room->node, draft);
  return std::move(room.none);
}

std::vector<NodeId> PlacementLoop::reports(const Request& request, std::vector<NodeId> with_room,
                                           const View& view) const {
  if (view.anywhere) return with_room;
  if (request.gang || goes_anywhere(request)) {
    with_room.clear();
    for (const Node& node : view.cluster.nodes())
      if (node.alive && !node.reservation) with_room.push_back(node.id);
  }
  const std::int64_t period = scenario_.cluster.heartbeat.count();
  const auto left = [&](NodeId node) {
    const std::int64_t past = (view.now - scenario_.cluster.beat_offset(node)).count() % period;
    return past > 0 ? period - past : -past;
  };
  std::stable_sort(with_room.begin(), with_room.end(),
                   [&](NodeId a, NodeId b) { return left(a) < left(b); });
  return with_room;
}

Ahead PlacementLoop::ahead_of(const Request& request, NodeId node, const Draft& draft) const {
  RoundRules all = rules(draft);
  all.strict = true;  // also visit requests that can get nothing now
  const Round round(draft, scheduler_->by_node() ? std::optional(node) : std::nullopt, all);
  AheadOf ahead;
  bool reached = false;  // a request over a limit is not in the order
  scheduler_->in_order(round, [&](const Request& other) {
    reached = other.phase == request.phase;
    if (reached) return false;
    if (other.phase.job != request.phase.job && !passed_over(other, round, draft))
      ahead.add(other.phase.job);
    return true;
  });
  return reached ? ahead.all() : Ahead{};
}

bool PlacementLoop::would_place(const Request& request, NodeId node, Draft& draft) const {
  if (request.gang) return placement_.place_gang(request, draft);
  if (goes_anywhere(request)) {
    const auto choice = find_for_executor(request, draft);
    if (!choice) return false;
    draft.launch(request, choice->node, "");
    return true;
  }
  const std::optional<Portion> portion = portion_on(request, node, draft);
  if (!portion || delay_.waits(request, node, draft)) return false;
  for (int i = 0; i < portion->count; ++i) draft.launch(request, node, portion->size, "");
  return true;
}

std::optional<Obstacle::What> PlacementLoop::turn_at(const Request& request, NodeId node,
                                                     Draft& draft, AheadOf& ahead) const {
  for (int tried = 0; tried < kMostTried && !draft.held_by_other(node, request.phase); ++tried) {
    const Round round(draft, node, rules(draft));
    std::optional<Obstacle::What> found;
    bool taken = false;
    scheduler_->in_order(round, [&](const Request& other) {
      if (passed_over(other, round, draft)) return true;
      if (other.phase == request.phase) {
        const NodeId where = goes_anywhere(request)
                                 ? draft.free_nodes().first(request.resources).value_or(node)
                                 : node;
        if (would_place(request, node, draft))
          found = obstacle::NextReport{node};
        else if (const auto waits = delay_.waits(request, where, draft))
          found = obstacle::LocalityDelay{where, waits->passed, waits->of};
        return false;
      }
      taken = would_place(other, node, draft) ||
              (!goes_anywhere(other) && placement_.reserve(other, node, draft));
      if (taken && other.phase.job != request.phase.job) ahead.add(other.phase.job);
      if (!taken && scheduler_->strict()) found = obstacle::StrictOrder{other.phase};
      return !taken && !scheduler_->strict();
    });
    if (found || !taken) return found;
  }
  return std::nullopt;
}

Obstacle::What PlacementLoop::turn_of(const Request& request, const std::vector<NodeId>& nodes,
                                      Draft& draft) const {
  AheadOf ahead;
  std::optional<Obstacle::What> delay;
  for (NodeId node : nodes) {
    std::optional<Obstacle::What> turn = turn_at(request, node, draft, ahead);
    if (!turn) continue;
    // A request that lets this opportunity pass can find a better one at a later node.
    if (!std::holds_alternative<obstacle::LocalityDelay>(*turn)) return *std::move(turn);
    if (!delay) delay = std::move(turn);
  }
  if (delay) return *std::move(delay);
  if (ahead.all().jobs == 0) return obstacle::NextReport{nodes.front()};
  return obstacle::Order{nodes.front(), ahead.all()};
}

}  // namespace heddle
