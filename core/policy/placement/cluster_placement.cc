#include "core/policy/placement/cluster_placement.h"

#include <utility>

#include "core/scenario/quantity_text.h"

namespace heddle {
namespace {

PhaseKind kind_of(const ClusterState& cluster, PhaseId phase) {
  return cluster.job(phase.job).spec().phases[static_cast<std::size_t>(phase.phase)].kind;
}

NodeLoad load_of(const Node& node, const ClusterState& cluster) {
  NodeLoad load;
  load.allowance = node.spec->allowance;
  for (ContainerId id : node.containers) {
    const Container& container = *cluster.container(id);
    const Resources size = held(container);
    const PhaseId phase = container.task.phase;
    switch (kind_of(cluster, phase)) {
      case PhaseKind::kMap:
      case PhaseKind::kCommand:
        load.maps += size;
        break;
      case PhaseKind::kReduce:
        load.reduces.push_back({id, size, EmuTime(0)});
        break;
      case PhaseKind::kAm:
        load.masters += size;
        break;
      case PhaseKind::kExecutor:
        ++load.executors[phase.job];
        break;
    }
  }
  return load;
}

}  // namespace

ClusterPlacement::ClusterPlacement(const Scenario& scenario)
    : names_(scenario.cluster.resources),
      interval_(value(scenario.policy, kControlInterval)),
      loads_(scenario.cluster.nodes.size()),
      room_to_come_(scenario.cluster.nodes.size()) {}

std::string ClusterPlacement::in_words(const Resources& amount) const {
  return print_resources(amount, names_);
}

void ClusterPlacement::refresh(Draft& draft) {
  const View& view = draft.view();
  ++step_;
  followed_ = 0;
  // Load the nodes that the last step changed, because the engine can have refused its decisions.
  for (NodeId node : std::exchange(touched_, {}))
    if (!view.changed_nodes.contains(node)) load(node, draft);
  for (NodeId node : view.changed_nodes) {
    load(node, draft);
    keep_books(node, draft);
  }
  room_to_come_.watch(view.cluster.wanted_sizes());
  if (held_.empty()) {
    wake_.reset();
    return;
  }
  if (wake_ && *wake_ <= view.now) {
    look_again(draft);
    for (const auto& [node, held] : held_) tell(node, held, draft);
    draft.remember();
    wake_.reset();
  }
  if (wake_) return;
  wake_ = EmuTime((view.now.count() / interval_.count() + 1) * interval_.count());
  draft.wake_at(*wake_, "control point of reservations");
}

void ClusterPlacement::load(NodeId node, const Draft& draft) {
  const ClusterState& cluster = draft.view().cluster;
  loads_[node.value] = load_of(cluster.node(node), cluster);
  refresh_room_to_come(node, draft);
}

void ClusterPlacement::refresh_room_to_come(NodeId node, const Draft& draft) {
  NodeLoad& load = loads_[node.value];
  load.free = draft.free(node);
  const Resources none{Millicores(-1), EmuBytes(-1)};
  const bool open = draft.free_nodes().open(node);
  room_to_come_.set(node, open ? min(most_room(load), load.allowance) : none, 0);
}

void ClusterPlacement::follow(const Draft& draft) {
  const std::vector<NodeId>& nodes = draft.free_nodes().touched();
  for (; followed_ < nodes.size(); ++followed_) {
    refresh_room_to_come(nodes[followed_], draft);
    touched_.insert(nodes[followed_]);
  }
}

void ClusterPlacement::keep_books(NodeId node, Draft& draft) {
  const ClusterState& cluster = draft.view().cluster;
  const std::optional<Reservation>& now = cluster.node(node).reservation;
  const bool ours = now && kind_of(cluster, now->phase) == PhaseKind::kExecutor;
  if (auto it = held_.find(node); it != held_.end()) {
    if (ours && now->phase == it->second.phase) return;
    const Reservation over = it->second;
    held_.erase(it);
    draft.note({"placement.released",
                {{"job", over.phase.job.value},
                 {"phase", std::int64_t{over.phase.phase}},
                 {"node", node.value},
                 {"held_s", to_seconds(draft.view().now - over.since)}}});
  }
  if (!ours) return;
  // The reservation was made by another part of the policy.
  tell(node, held_[node] = *now, draft);
}

void ClusterPlacement::look_at(const Nodes& nodes, const Draft& draft) {
  for (NodeId node : nodes) {
    NodeLoad& load = loads_[node.value];
    load.open = draft.free_nodes().open(node);
    load.free = draft.free(node);
  }
}

ClusterPlacement::Nodes ClusterPlacement::candidates_to_hold(const Request& request,
                                                             const Draft& draft) {
  follow(draft);
  Nodes nodes;
  for (auto node = room_to_come_.first(request.resources); node;
       node = room_to_come_.first(request.resources, NodeId{node->value + 1}))
    if (could_take(request, *node, draft)) nodes.push_back(*node);
  look_at(nodes, draft);
  return nodes;
}

std::optional<ClusterPlacement::Choice> ClusterPlacement::find(
    const Request& request, const Draft& draft, const std::function<bool(NodeId)>& may) {
  const FreeNodeIndex& free_nodes = draft.free_nodes();
  Nodes nodes;
  for (auto node = free_nodes.first(request.resources); node;
       node = free_nodes.first(request.resources, NodeId{node->value + 1}))
    if (may(*node)) nodes.push_back(*node);
  if (nodes.empty()) return std::nullopt;
  look_at(nodes, draft);
  return best_room(request, nodes, draft.view().cluster.total());
}

bool ClusterPlacement::reserve(const Request& request, Draft& draft) {
  if (draft.reserved(request) >= draft.pending(request)) return false;
  const Nodes candidates = candidates_to_hold(request, draft);
  bool any = false;
  while (!candidates.empty() && draft.reserved(request) < draft.pending(request)) {
    const std::optional<Choice> choice = best_to_hold(request, candidates, draft);
    if (!choice) break;
    draft.reserve(request, choice->node, choice->why);
    loads_[choice->node.value].open = false;
    tell(choice->node, held_[choice->node] = {request.phase, draft.view().now}, draft);
    any = true;
  }
  return any;
}

void ClusterPlacement::launched(const Request& request, NodeId node, const Resources& size) {
  // Only add the new container. Containers that have ended are subtracted in the next step, when
  // the node is loaded again.
  if (is_map(request.kind)) loads_[node.value].maps += size;
  if (request.kind == PhaseKind::kAm) loads_[node.value].masters += size;
  if (request.kind == PhaseKind::kExecutor) ++loads_[node.value].executors[request.phase.job];
}

void ClusterPlacement::look_again(Draft& draft) {
  const ClusterState& cluster = draft.view().cluster;
  const std::map<NodeId, Reservation> before = held_;
  for (const auto& [node, held] : before) {
    const Request* request = cluster.request(held.phase);
    // The scheduler can have released the reservation in this step. If the request has room on some
    // node, it will be launched there in this step.
    const PhaseId* holder = draft.reserved_by(node);
    if (!request || !holder || *holder != held.phase ||
        draft.free_nodes().first(request->resources))
      continue;
    const Nodes candidates = candidates_to_hold(*request, draft);
    loads_[node.value].free = draft.free(node);
    const std::optional<Choice> to = better_than(node, *request, candidates, draft);
    if (!to) continue;
    draft.unreserve(*request, node, "moved to " + cluster.node(to->node).spec->name);
    draft.reserve(*request, to->node,
                  "moved from " + cluster.node(node).spec->name + ": " + to->why);
    held_[to->node] = held;
    held_.erase(node);
  }
}

void ClusterPlacement::tell(NodeId node, const Reservation& held, Draft& draft) {
  const Request* request = draft.view().cluster.request(held.phase);
  if (!request) return;
  const Resources lacks = missing(request->resources, draft.free(node));
  PolicyNote note{"placement.reservation",
                  {{"job", held.phase.job.value},
                   {"phase", std::int64_t{held.phase.phase}},
                   {"node", node.value},
                   {"since_s", to_seconds(held.since)},
                   {"missing_cores", static_cast<double>(lacks.cores.count()) / 1e3},
                   {"missing_memory_bytes", lacks.memory.count()}}};
  loads_[node.value].free = draft.free(node);
  if (const std::optional<EmuTime> wait = wait_on(node, *request, draft))
    note.values.emplace_back("wait_s", to_seconds(*wait));
  draft.note(std::move(note));
}

}  // namespace heddle
