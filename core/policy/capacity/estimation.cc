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

void put(PolicyNote& note, const std::string& what, const UsageEstimate& estimate) {
  note.values.emplace_back(what + "_cores", estimate.cores);
  note.values.emplace_back(what + "_memory", estimate.memory);
}

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
    free.cores = available(allowance.cores, used.containers.cores, capacity.cores, used.node.cores,
                           1e3);
  if (damping_.memory > 0)
    free.memory = available(allowance.memory, used.containers.memory, capacity.memory,
                            used.node.memory, 1);
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
  Estimated& node = nodes_[container.node.value];
  if (at_worker_)
    node.under_way[container.id] = {container.resources};
  else
    node.here.allocated(container.id, container.resources);
}

void EstimationModel::ended(const Container& container) {
  Estimated& node = nodes_[container.node.value];
  if (!at_worker_) return node.here.ended(container.id);
  // As with all that ends, its share stays until the next heartbeat.
  if (auto it = node.under_way.find(container.id); it != node.under_way.end())
    it->second.ended = true;
}

void EstimationModel::suspended(const Container& container) {
  if (!at_worker_) nodes_[container.node.value].here.suspended(container.id);
}

void EstimationModel::resumed(const Container& container) {
  if (!at_worker_) nodes_[container.node.value].here.resumed(container.id);
}

bool EstimationModel::heartbeat(const NodeHeartbeat& heartbeat) {
  Estimated& node = nodes_[heartbeat.node.value];
  bool changed = heartbeat.use != node.use;
  node.use = heartbeat.use;
  if (at_worker_) {
    changed |= take_reported(node, heartbeat);
  } else {
    const NodeEstimate before = node.here.estimate();
    changed |= node.here.counting();
    node.here.heartbeat(heartbeat.use);
    changed |= node.here.estimate() != before;
  }
  if (changed) measured_.insert(heartbeat.node);
  return changed;
}

bool EstimationModel::take_reported(Estimated& node, const NodeHeartbeat& heartbeat) {
  const std::size_t before = node.under_way.size();
  std::erase_if(node.under_way, [](const auto& it) { return it.second.ended; });
  for (const ContainerUse& use : heartbeat.containers) node.under_way.erase(use.container);
  const NodeEstimate reported = heartbeat.estimate.value_or(node.reported);
  return std::exchange(node.reported, reported) != reported || node.under_way.size() != before;
}

std::vector<PolicyNote> EstimationModel::take_notes(const std::vector<Node>& nodes) {
  std::vector<PolicyNote> notes;
  for (NodeId id : std::exchange(measured_, {})) {
    const Node& node = nodes[id.value];
    if (!node.alive) continue;
    const NodeEstimate used = estimate(nodes_[id.value]);
    PolicyNote note{"estimation.node", {{"node", id.value}}};
    put(note, "containers_estimate", used.containers);
    put(note, "node_estimate", used.node);
    put(note, "free", as_estimate(free(node)));
    put(note, "free_by_requests", as_estimate(by_requests(node)));
    put(note, "size", as_estimate(total(node)));
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace heddle
