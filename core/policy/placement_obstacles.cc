// Finds the obstacles of requests: asks the gates as placing does, and looks at the order in which
// requests get their turn.
#include <algorithm>

#include "common/overloads.h"
#include "core/policy/placement_loop.h"

namespace heddle {
namespace {

/// Maximum number of containers that are tried on a node for requests that go before the request.
/// If there are more of them, the request counts as waiting for these requests.
constexpr int kMostTried = 200;

/// Returns the refusal of a gate of requests as an obstacle.
Obstacle::What told(const Refusal& refusal) {
  return std::visit(Overloads{[](NotHere) -> Obstacle::What { return obstacle::Unknown{}; },
                              [](const auto& why) -> Obstacle::What { return why; }},
                    refusal);
}

}  // namespace

std::vector<Obstacle> PlacementLoop::obstacles(const View& view, JobId job) const {
  std::vector<Obstacle> found =
      obstacles_of(view, job, [&](const Request& request) { return obstacle_of(request, view); });
  for (Obstacle& one : found) one.priority = scheduler_->priority_of(job);
  return found;
}

Obstacle::What PlacementLoop::obstacle_of(const Request& request, const View& view) const {
  FreeNodeIndex free_nodes = this->free_nodes(view);
  Draft draft(view, free_nodes);
  const auto refusal = gates_.of_request(request, draft);
  const bool full = refusal && says_full(*refusal);
  const auto of_node = [&](NodeId node) { return gates_.of_node(request, node, draft); };
  if (refusal && !full) {
    Obstacle::What what = told(*refusal);
    if (auto* planned = std::get_if<obstacle::Backfill>(&what))
      planned->held = holders_for_gang(draft, request, of_node);
    return what;
  }
  Room room = room_for(draft, request, of_node);
  if (!room.own.empty() && !request.gang) return obstacle::NextReport{room.own.front()};
  auto* no_room = std::get_if<obstacle::NoRoom>(&room.none);
  // A gang keeps nodes until all of its containers fit.
  if (room.open.empty()) std::swap(room.open, room.own);
  if (room.open.empty() && !no_room) return std::move(room.none);
  const NodeId node = room.open.empty() ? no_room->node : room.open.front();
  if (request.gang) {
    Place any;
    if (const auto lacks = find_for_gang(request, draft, any)) {
      auto gang = std::get<obstacle::Gang>(*lacks);
      gang.ahead = ahead_of(request, node, draft);
      gang.keep = jobs_that_keep(view.cluster);
      gang.reserved = room.reserved;
      gang.held = holders_for_gang(draft, request, of_node);
      return gang;
    }
  }
  if (room.open.empty()) {
    no_room->ahead = ahead_of(request, node, draft);
    return std::move(room.none);
  }
  if (full) return told(*refusal);
  return turn_of(request, reports(request, room.open, view), draft);
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

std::optional<Refusal> PlacementLoop::try_place(const Request& request, NodeId node,
                                                Draft& draft) const {
  // If all nodes are offered, placing tries only the best one.
  const bool anywhere = draft.view().anywhere && !scheduler_->by_node();
  Place place;
  if (auto refusal = find(request, anywhere ? std::nullopt : std::optional(node), draft, place))
    return refusal;
  for (NodeId each : place.gang) draft.launch(request, each, "");
  for (int i = 0; !request.gang && i < place.portion.count; ++i)
    draft.launch(request, place.node, place.portion.size, "");
  return std::nullopt;
}

std::optional<Obstacle::What> PlacementLoop::turn_at(const Request& request, NodeId node,
                                                     Draft& draft, AheadOf& ahead) const {
  for (int tried = 0; tried < kMostTried && !draft.held_by_other(node, request.phase); ++tried) {
    const Round round(draft, node, rules(draft));
    std::optional<Obstacle::What> found;
    bool taken = false;
    scheduler_->in_order(round, [&](const Request& other) {
      if (passed_over(other, round, draft)) return true;
      const auto refusal = try_place(other, node, draft);
      if (other.phase == request.phase) {
        if (!refusal)
          found = obstacle::NextReport{node};
        else if (std::holds_alternative<obstacle::LocalityDelay>(*refusal))
          found = told(*refusal);
        return false;
      }
      taken = !refusal || (!goes_anywhere(other) && placement_.reserve(other, node, draft));
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
