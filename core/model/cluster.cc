#include "core/model/cluster.h"

#include <algorithm>

namespace heddle {
namespace {

bool is_cluster_wide(const CountedResource& resource) {
  return resource.scope == CountScope::kCluster;
}

}  // namespace

EmuTime ClusterSpec::beat_offset(NodeId node) const {
  return EmuTime(heartbeat.count() * node.value / std::ssize(nodes));
}

Resources ClusterSpec::sum(Resources NodeSpec::*of_node) const {
  Resources all = cluster_wide(resources);
  for (const NodeSpec& node : nodes) all += addable(node.*of_node, resources);
  return all;
}

Resources on_node(Resources amounts, const CountNames& counted) {
  for (std::size_t i = 0; i < counted.size(); ++i) {
    if (is_cluster_wide(counted[i]))
      amounts.counts.set(i, counted[i].count);
    else if (counted[i].devices && !amounts.counts.has_devices(i))
      amounts.counts.set_devices(
          i, Counts::Devices(static_cast<std::size_t>(amounts.counts[i].count() / kWholeDevice),
                             static_cast<std::int32_t>(kWholeDevice)));
  }
  return amounts;
}

bool any_cluster_wide(const CountNames& counted) {
  return std::ranges::any_of(counted, is_cluster_wide);
}

Resources cluster_wide(const CountNames& counted) {
  Resources all;
  for (std::size_t i = 0; i < counted.size(); ++i)
    if (is_cluster_wide(counted[i])) all.counts.set(i, counted[i].count);
  return all;
}

Resources addable(const Resources& of_node, const CountNames& counted) {
  Resources sum = of_node.totals();
  if (!of_node.counts.none())
    for (std::size_t i = 0; i < counted.size(); ++i)
      if (is_cluster_wide(counted[i])) sum.counts.set(i, Thousandths(0));
  return sum;
}

}  // namespace heddle
