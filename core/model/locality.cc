#include "core/model/locality.h"

#include <algorithm>

namespace heddle {

Locality locality(const ClusterSpec& cluster, const std::vector<NodeId>& prefer, NodeId node) {
  if (prefer.empty()) return Locality::kAny;
  if (std::binary_search(prefer.begin(), prefer.end(), node)) return Locality::kLocal;
  const std::string& rack = cluster.nodes[node.value].rack;
  bool near = std::any_of(prefer.begin(), prefer.end(),
                          [&](NodeId other) { return cluster.nodes[other.value].rack == rack; });
  return near ? Locality::kRack : Locality::kRemote;
}

}  // namespace heddle
