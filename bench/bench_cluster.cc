#include "bench/bench_cluster.h"

#include <algorithm>
#include <string>

namespace heddle::bench {

void add_nodes(std::int64_t count, const Resources& capacity, Scenario& scenario) {
  for (std::int64_t i = 1; i <= count; ++i) {
    NodeSpec& node = scenario.cluster.nodes.emplace_back();
    node.name = "n" + std::to_string(i);
    node.capacity = node.allowance = capacity;
  }
}

void add_bench_nodes(std::int64_t count, Scenario& scenario) {
  constexpr std::int64_t kRackNodes = 40;
  add_nodes(count, {Millicores(8000), EmuBytes(16 * kGib)}, scenario);
  for (std::int64_t i = 0; i < count; ++i)
    scenario.cluster.nodes[i].rack = "r" + std::to_string(i / kRackNodes + 1);
}

std::vector<NodeId> preferred_nodes(std::int64_t number, std::int64_t nodes) {
  constexpr std::int64_t kPreferred = 30;
  const std::int64_t count = std::min(kPreferred, nodes);
  std::vector<NodeId> chosen;
  for (std::int64_t i = 0; i < count; ++i)
    chosen.push_back(NodeId{(number * 7 + i * nodes / count) % nodes});
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace heddle::bench
