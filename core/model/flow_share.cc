#include "core/model/flow_share.h"

#include <algorithm>
#include <cassert>
#include <functional>

namespace heddle {
namespace {

template <class Do>
void for_each_over(const FlowPath& flow, Do what) {
  for (int resource : flow.over)
    if (resource != FlowPath::kNone) what(resource);
}

}  // namespace

/// Lists the flows over each resource in passing_, in their order.
void FlowShares::list_flows(const std::vector<FlowPath>& flows) {
  for (const FlowPath& flow : flows) {
    assert(flow.over.front() != FlowPath::kNone);
    for_each_over(flow, [&](int resource) { ++resources_[resource].open; });
  }
  int listed = 0;
  for (Resource& resource : resources_) {
    resource.first = resource.last = listed;
    listed += resource.open;
  }
  passing_.resize(static_cast<std::size_t>(listed));
  for (std::size_t i = 0; i < flows.size(); ++i)
    for_each_over(flows[i], [&](int resource) {
      passing_[resources_[resource].last++] = static_cast<int>(i);
    });
}

const std::vector<double>& FlowShares::divide(const std::vector<FlowPath>& flows,
                                              const std::vector<double>& capacities) {
  resources_.assign(capacities.size(), {});
  for (std::size_t i = 0; i < capacities.size(); ++i) resources_[i].left = capacities[i];
  list_flows(flows);

  order_.clear();
  for (std::size_t i = 0; i < resources_.size(); ++i)
    if (resources_[i].open > 0) order_.emplace_back(resources_[i].level(), static_cast<int>(i));
  std::ranges::make_heap(order_, std::greater());

  rates_.assign(flows.size(), -1);
  while (!order_.empty()) {
    std::ranges::pop_heap(order_, std::greater());
    const auto [seen, index] = order_.back();
    order_.pop_back();
    Resource& full = resources_[index];
    if (full.open == 0) continue;
    // When other resources become full, the rate can only increase. Then the entry is put back.
    const double level = full.level();
    if (level > seen) {
      order_.emplace_back(level, index);
      std::ranges::push_heap(order_, std::greater());
      continue;
    }
    for (int i = full.first; i < full.last; ++i) {
      const int flow = passing_[i];
      if (rates_[flow] >= 0) continue;
      rates_[flow] = level;
      for_each_over(flows[flow], [&](int resource) {
        resources_[resource].left -= level;
        --resources_[resource].open;
      });
    }
  }
  return rates_;
}

}  // namespace heddle
