#include "core/model/flow_share.h"

#include <cassert>
#include <functional>
#include <queue>
#include <utility>

namespace heddle {
namespace {

struct Resource {
  double left = 0;         ///< capacity that is not assigned to a flow yet
  int open = 0;            ///< flows without a rate yet
  std::vector<int> flows;  ///< all flows over the resource
  double level() const { return left / open; }
};

template <class Do>
void for_each_over(const FlowPath& flow, Do what) {
  for (int resource : flow.over)
    if (resource != FlowPath::kNone) what(resource);
}

}  // namespace

std::vector<double> share_flows(const std::vector<FlowPath>& flows,
                                const std::vector<double>& capacities) {
  std::vector<Resource> resources(capacities.size());
  for (std::size_t i = 0; i < capacities.size(); ++i) resources[i].left = capacities[i];
  for (std::size_t i = 0; i < flows.size(); ++i) {
    assert(flows[i].over.front() != FlowPath::kNone);
    for_each_over(flows[i], [&](int resource) {
      resources[resource].flows.push_back(static_cast<int>(i));
      ++resources[resource].open;
    });
  }

  // The rate at which a resource becomes full, and the resource. The queue has the lowest rate
  // first. When other resources become full, this rate can only increase. If it has increased, the
  // entry is put back into the queue.
  using Next = std::pair<double, int>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> order;
  for (std::size_t i = 0; i < resources.size(); ++i)
    if (resources[i].open > 0) order.emplace(resources[i].level(), static_cast<int>(i));

  std::vector<double> rates(flows.size(), -1);
  while (!order.empty()) {
    const auto [seen, index] = order.top();
    order.pop();
    Resource& full = resources[index];
    if (full.open == 0) continue;
    const double level = full.level();
    if (level > seen) {
      order.emplace(level, index);
      continue;
    }
    for (int flow : full.flows) {
      if (rates[flow] >= 0) continue;
      rates[flow] = level;
      for_each_over(flows[flow], [&](int resource) {
        resources[resource].left -= level;
        --resources[resource].open;
      });
    }
  }
  return rates;
}

}  // namespace heddle
