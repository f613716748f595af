#include "core/policy/placement/node_load.h"

namespace heddle {

int executors_of(const NodeLoad& node, JobId job) {
  auto it = node.executors.find(job);
  return it == node.executors.end() ? 0 : it->second;
}

Resources missing(const Resources& wanted, const Resources& free) {
  return max(wanted - free, Resources{});
}

std::optional<Prospect> prospect(const NodeLoad& node, const Resources& wanted,
                                 const Resources& total) {
  if (!wanted.fits_in(node.allowance)) return std::nullopt;
  Prospect found;
  found.missing = dominant_share(missing(wanted, node.free), wanted);
  if (wanted.fits_in(node.free)) {
    found.room = least_share(node.free, total);
    return found;
  }
  Resources room = node.free + node.maps;
  if (wanted.fits_in(room)) {
    found.step = 2;
    found.room = least_share(room, total);
    return found;
  }
  found.step = 3;
  for (const HeldByReduce& reduce : node.reduces) {
    room += reduce.held;
    ++found.reduces;
    found.wait = reduce.remaining;
    if (wanted.fits_in(room)) return found;
  }
  return std::nullopt;
}

bool goes_before(const Prospect& a, const Prospect& b) {
  if (a.step != b.step) return a.step < b.step;
  return a.step < 3 ? a.room > b.room : a.wait < b.wait;
}

bool better_by(double margin, const Prospect& now, const Prospect& other) {
  if (now.step != other.step) return other.step < now.step;
  if (now.step < 3) return now.missing - other.missing > margin;
  const auto waits = static_cast<double>(now.wait.count());
  return static_cast<double>(other.wait.count()) < (1 - margin) * waits;
}

std::optional<Chosen> choose(const NodeLoads& nodes, const std::vector<NodeId>& candidates,
                             const Resources& wanted, const Resources& total) {
  std::optional<Chosen> best;
  for (NodeId id : candidates) {
    const NodeLoad& node = nodes[id.value];
    if (!node.open) continue;
    const std::optional<Prospect> found = prospect(node, wanted, total);
    if (found && (!best || goes_before(*found, best->prospect))) best = Chosen{id, *found};
  }
  return best;
}

std::optional<NodeId> choose_by_spread(const NodeLoads& nodes,
                                       const std::vector<NodeId>& candidates, JobId job,
                                       const Resources& wanted, const Resources& total, bool spread,
                                       bool to_hold) {
  std::optional<NodeId> best;
  int best_executors = 0;
  double best_room = 0;
  for (NodeId id : candidates) {
    const NodeLoad& node = nodes[id.value];
    if (!node.open || !wanted.fits_in(to_hold ? node.allowance - node.masters : node.free))
      continue;
    const int executors = spread ? executors_of(node, job) : -executors_of(node, job);
    const double room = least_share(node.free, total);
    if (best && (executors > best_executors || (executors == best_executors && room <= best_room)))
      continue;
    best = id;
    best_executors = executors;
    best_room = room;
  }
  return best;
}

}  // namespace heddle
