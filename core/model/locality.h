#pragma once

#include <algorithm>

#include "core/model/cluster.h"

namespace heddle {

/// Distance between a task and its data. kAny: the task does not prefer any node.
enum class Locality { kAny, kLocal, kRack, kRemote };

/// Returns how near `node` is to the nearest node in `prefer`. REQUIRES: `prefer` is ascending, and
/// all ids belong to the cluster.
inline Locality locality(const ClusterSpec& cluster, const std::vector<NodeId>& prefer,
                         NodeId node) {
  if (prefer.empty()) return Locality::kAny;
  if (std::binary_search(prefer.begin(), prefer.end(), node)) return Locality::kLocal;
  const std::string& rack = cluster.nodes[node.value].rack;
  bool near = std::any_of(prefer.begin(), prefer.end(),
                          [&](NodeId other) { return cluster.nodes[other.value].rack == rack; });
  return near ? Locality::kRack : Locality::kRemote;
}

/// Sorts the nodes that have some data into the order in which `reader` tries them: `reader`
/// itself, then the nodes of its rack, then all others. Nodes at the same distance keep their
/// order.
inline void try_nearest_first(const ClusterSpec& cluster, NodeId reader,
                              std::vector<NodeId>& from) {
  const std::string& rack = cluster.nodes[reader.value].rack;
  const auto distance = [&](NodeId node) {
    if (node == reader) return 0;
    return cluster.nodes[node.value].rack == rack ? 1 : 2;
  };
  std::stable_sort(from.begin(), from.end(),
                   [&](NodeId a, NodeId b) { return distance(a) < distance(b); });
}

}  // namespace heddle
