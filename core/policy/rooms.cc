#include "core/policy/rooms.h"

namespace heddle {

void Rooms::refresh(const View& view) {
  touched_.insert(touched_.end(), view.changed_nodes.begin(), view.changed_nodes.end());
  for (NodeId id : touched_) {
    const Node& node = view.cluster.node(id);
    put(node, max(view.cluster.free(id) - withheld(id), Resources{}), node.reservation.has_value());
  }
  touched_.clear();
  open_.watch(view.cluster.wanted_sizes());
}

void Rooms::set(const Node& node, const Resources& free, bool held) {
  put(node, free, held);
  touched_.push_back(node.id);
}

void Rooms::withhold(NodeId node, const Resources& change) {
  const auto it = withheld_.try_emplace(node).first;
  it->second += change;
  if (it->second == Resources{}) withheld_.erase(it);
}

Resources Rooms::withheld(NodeId node) const {
  if (withheld_.empty()) return {};
  const auto it = withheld_.find(node);
  return it == withheld_.end() ? Resources{} : it->second;
}

void Rooms::put(const Node& node, const Resources& free, bool held) {
  const Resources none{Millicores(-1), EmuBytes(-1)};
  const Resources& allowance = node.spec->allowance;
  const bool open = node.alive && !held;
  const double share = open ? least_share(free, allowance) : -1;
  if (this->open(node.id)) open_free_ -= open_.free(node.id);
  if (open) open_free_ += free;
  open_.set(node.id, open ? free : none, share);
  const bool holdable = open && withheld(node.id) == Resources{};
  holdable_.set(node.id, holdable ? allowance : none, share);
}

}  // namespace heddle
