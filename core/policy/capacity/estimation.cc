#include "core/policy/capacity/estimation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/policy/table.h"
#include "core/state/cluster_state.h"

namespace heddle {
namespace {

double damping(const PolicySpec& policy, const char* of_resource) {
  const bool common = policy_value(policy, of_resource) == "auto";
  return policy_number(policy, common ? "damping" : of_resource);
}

/// Whole units of it, none if it is negative. `unit`: of the estimates, in those of the amounts.
template <class Amount>
Amount available(Amount allowance, double of_containers, Amount capacity, double of_node,
                 double unit) {
  const double free = std::min(static_cast<double>(allowance.count()) - of_containers * unit,
                               static_cast<double>(capacity.count()) - of_node * unit);
  return Amount(static_cast<std::int64_t>(std::floor(std::max(free, 0.0))));
}

Resources by_requests(const Node& node) {
  return max(node.spec->allowance - node.allocated, Resources{});
}

/// [cores, bytes]
std::vector<double> row(const UsageEstimate& estimate) { return {estimate.cores, estimate.memory}; }
std::vector<double> row(const Resources& amount) { return row(as_estimate(amount)); }

}  // namespace

Damping damping_of(const PolicySpec& policy) {
  return {damping(policy, "cores_damping"), damping(policy, "memory_damping")};
}

bool estimated_at_worker(const PolicySpec& policy) {
  return policy_value(policy, "capacity_model") == "estimation" &&
         policy_value(policy, "estimate_at") == "worker";
}

EstimationModel::EstimationModel(const Scenario& scenario)
    : damping_(damping_of(scenario.policy)),
      at_worker_(estimated_at_worker(scenario.policy)),
      instantaneous_(policy_value(scenario.policy, "container_usage") == "instantaneous"),
      nodes_(scenario.cluster.nodes.size(), {UsageEstimator(damping_), {}, {}, {}}) {}

NodeEstimate EstimationModel::estimate(const Estimated& node) const {
  NodeEstimate estimate = at_worker_ ? node.reported : node.here.estimate();
  for (const auto& [container, it] : node.under_way)
    for (UsageEstimate* of : {&estimate.containers, &estimate.node}) *of += as_estimate(it.request);
  if (instantaneous_) estimate.containers = as_estimate(node.use.containers);
  return estimate;
}

Resources EstimationModel::free(const Node& node) const {
  const NodeEstimate used = estimate(nodes_[node.id.value]);
  const Resources& allowance = node.spec->allowance;
  const Resources& capacity = node.spec->capacity;
  Resources free = by_requests(node);
  if (damping_.cores > 0)
    free.cores =
        available(allowance.cores, used.containers.cores, capacity.cores, used.node.cores, 1e3);
  if (damping_.memory > 0)
    free.memory =
        available(allowance.memory, used.containers.memory, capacity.memory, used.node.memory, 1);
  return free;
}

Resources EstimationModel::total(const Node& node) const {
  const Resources size = node.allocated + free(node);
  return {damping_.cores == 0 ? node.spec->allowance.cores : size.cores,
          damping_.memory == 0 ? node.spec->allowance.memory : size.memory};
}

void EstimationModel::registered(NodeId node) {
  nodes_[node.value] = {UsageEstimator(damping_), {}, {}, {}};
}

void EstimationModel::launched(const Container& container) {
  nodes_[container.node.value].under_way[container.id] = {container.resources};
}

void EstimationModel::ended(const Container& container) {
  Estimated& node = nodes_[container.node.value];
  // As with all that ends, its share stays until the next heartbeat.
  if (auto it = node.under_way.find(container.id); it != node.under_way.end())
    it->second.ended = true;
  else if (!at_worker_)
    node.here.ended(container.id);
}

void EstimationModel::suspended(const Container& container) {
  Estimated& node = nodes_[container.node.value];
  know(node, container.id);
  if (!at_worker_) node.here.suspended(container.id);
}

void EstimationModel::resumed(const Container& container) {
  if (!at_worker_) nodes_[container.node.value].here.resumed(container.id);
}

void EstimationModel::know(Estimated& node, ContainerId container) {
  auto it = node.under_way.find(container);
  if (it == node.under_way.end()) return;
  if (!at_worker_) {
    node.here.allocated(container, it->second.request);
    if (it->second.ended) node.here.ended(container);
  }
  node.under_way.erase(it);
}

Measured EstimationModel::heartbeat(const NodeHeartbeat& heartbeat) {
  if (damping_ == Damping{}) return Measured::kNothing;
  Estimated& node = nodes_[heartbeat.node.value];
  const bool news = !node.under_way.empty();
  for (const ContainerUse& use : heartbeat.containers) know(node, use.container);
  for (auto it = node.under_way.begin(); it != node.under_way.end();) {
    const auto [container, way] = *it++;
    if (way.ended) know(node, container);
  }
  bool changed = std::exchange(node.use, heartbeat.use) != heartbeat.use;
  const NodeEstimate before = at_worker_ ? node.reported : node.here.estimate();
  if (at_worker_) {
    node.reported = heartbeat.estimate.value_or(before);
    changed |= node.reported != before;
  } else {
    changed |= node.here.counting();
    node.here.heartbeat(heartbeat.use);
    changed |= node.here.estimate() != before;
  }
  if (changed || news) measured_.insert(heartbeat.node);
  return news ? Measured::kUseAndContainers : changed ? Measured::kUse : Measured::kNothing;
}

std::vector<PolicyNote> EstimationModel::take_notes(const std::vector<Node>& nodes) {
  std::vector<PolicyNote> notes;
  for (NodeId id : std::exchange(measured_, {})) {
    const Node& node = nodes[id.value];
    if (!node.alive) continue;
    const NodeEstimate used = estimate(nodes_[id.value]);
    notes.push_back({"estimation.node",
                     {{"node", id.value},
                      {"containers_estimate", row(used.containers)},
                      {"node_estimate", row(used.node)},
                      {"free", row(free(node))},
                      {"free_by_requests", row(by_requests(node))},
                      {"size", row(total(node))}}});
  }
  return notes;
}

}  // namespace heddle
