#include "core/policy/draft.h"

#include <algorithm>
#include <utility>

namespace heddle {

Resources Draft::free(NodeId id) const {
  Resources free = view_.cluster.node(id).free();
  auto it = taken_.find(id);
  return it == taken_.end() ? free : max(free - it->second, Resources{});
}

const PhaseId* Draft::reserved_by(NodeId id) const {
  if (auto it = holders_.find(id); it != holders_.end()) return it->second ? &*it->second : nullptr;
  const auto& reservation = view_.cluster.node(id).reservation;
  return reservation ? &reservation->phase : nullptr;
}

const std::set<NodeId>& Draft::reserved(PhaseId phase) const {
  static const std::set<NodeId> none;
  if (auto it = requests_.find(phase); it != requests_.end()) return it->second.reserved;
  const Request* request = view_.cluster.request(phase);
  return request ? request->reserved : none;
}

int Draft::pending(PhaseId phase) const {
  if (auto it = requests_.find(phase); it != requests_.end()) return it->second.pending;
  const Request* request = view_.cluster.request(phase);
  return request ? request->pending : 0;
}

bool Draft::fits_somewhere(const Request& request) const {
  const auto& nodes = view_.cluster.nodes();
  return std::any_of(nodes.begin(), nodes.end(), [&](const Node& node) {
    if (!node.alive || !request.resources.fits_in(free(node.id))) return false;
    const PhaseId* holder = reserved_by(node.id);
    return !holder || *holder == request.phase;
  });
}

Draft::RequestDraft& Draft::touch(const Request& request) {
  return requests_.try_emplace(request.phase, RequestDraft{request.pending, request.reserved})
      .first->second;
}

void Draft::launch(const Request& request, NodeId node, std::string reason) {
  RequestDraft& draft = touch(request);
  --draft.pending;
  taken_[node] += request.resources;
  if (draft.reserved.erase(node) > 0) holders_[node] = std::nullopt;
  release_surplus(request);
  actions_.push_back({Launch{request.phase, node, {}, {}, -1, 0, {}}, std::move(reason)});
}

void Draft::release_surplus(const Request& request) {
  RequestDraft& draft = requests_.at(request.phase);
  while (std::ssize(draft.reserved) > draft.pending) {
    NodeId node = *draft.reserved.rbegin();
    draft.reserved.erase(node);
    holders_[node] = std::nullopt;
    actions_.push_back({Unreserve{request.phase, node}, "placed elsewhere"});
  }
}

void Draft::reserve(const Request& request, NodeId node, std::string reason) {
  touch(request).reserved.insert(node);
  holders_[node] = request.phase;
  actions_.push_back({Reserve{request.phase, node}, std::move(reason)});
}

}  // namespace heddle
