#include "core/policy/capacity/estimation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/state/cluster_state.h"

namespace heddle {
namespace {

constexpr NumberOption kDamping(
    {.name = "damping",
     .least = 0,
     .most = 1,
     .by_default = "0.125",
     .help =
         "weight (a) of each new measurement in a node's estimated usage; 0: requests count, as "
         "in reservation"});
constexpr AutoNumberOption kCoresDamping({.name = "cores_damping",
                                          .least = 0,
                                          .most = 1,
                                          .words = {"auto"},
                                          .by_default = "auto",
                                          .help = "damping of cores; auto: damping"});
constexpr AutoNumberOption kMemoryDamping({.name = "memory_damping",
                                           .least = 0,
                                           .most = 1,
                                           .words = {"auto"},
                                           .by_default = "auto",
                                           .help = "damping of memory; auto: damping"});
enum class EstimateAt { kMaster, kWorker };
constexpr WordOption<EstimateAt> kEstimateAt(
    {.name = "estimate_at",
     .words = {"master", "worker"},
     .by_default = "master",
     .help =
         "where estimates are computed: at the master from heartbeats, or at each worker, which "
         "sends them with its heartbeats"});
enum class ContainerUsage { kInstantaneous, kEstimated };
constexpr WordOption<ContainerUsage> kContainerUsage(
    {.name = "container_usage",
     .words = {"instantaneous", "estimated"},
     .by_default = "instantaneous",
     .help = "usage of a node's containers: the last measurement (the paper's equation 5), or the "
             "estimate, which admits fewer tasks"});

/// Returns the free amount of a resource in whole units, at least 0. `unit`: one unit of the
/// estimates, in units of Amount.
template <class Amount>
Amount available(Amount allowance, double of_containers, Amount capacity, double of_node,
                 double unit) {
  const double free = std::min(static_cast<double>(allowance.count()) - of_containers * unit,
                               static_cast<double>(capacity.count()) - of_node * unit);
  return Amount(static_cast<std::int64_t>(std::floor(std::max(free, 0.0))));
}

/// [cores, bytes]
std::vector<double> row(const UsageEstimate& estimate) { return {estimate.cores, estimate.memory}; }
std::vector<double> row(const Resources& amount) { return row(as_estimate(amount)); }

/// Computes the free capacity of a node from estimated usage instead of from requests:
/// min(allowance - U_containers, capacity - E_node) for each resource. U_containers is the usage of
/// the node's containers that the last heartbeat measured (the paper's equation 5). With
/// `container_usage: estimated`, U_containers is replaced by E_containers, the estimate of that
/// usage. E_node is the estimate of the usage of the whole node (core/model/usage_estimator.h).
/// With damping 0, a node has by definition what the reservation model says. Schedulers see the sum
/// of allocated and free resources as the node's size. Nobody measures the use of other resources,
/// so of these the requested amounts count. The size grows on nodes whose tasks use less
/// than they requested, and shrinks on nodes with high usage.
///
/// A launched task is added to the estimates here (rule 2) until a heartbeat reports it. After
/// that, the heartbeats of the node count. Therefore the results are the same with `estimate_at:
/// worker`, where estimates come with the heartbeats. U_containers does not include starts and ends
/// after the heartbeat. A task that was just placed is in E_node.
class EstimationModel : public CapacityModel {
 public:
  explicit EstimationModel(const Scenario& scenario)
      : CapacityModel(true),
        damping_(damping_of(scenario.policy)),
        at_worker_(estimated_at_worker(scenario.policy)),
        instantaneous_(value(scenario.policy, kContainerUsage) == ContainerUsage::kInstantaneous),
        nodes_(scenario.cluster.nodes.size(), {UsageEstimator(damping_), {}, {}, {}}) {}

  Resources free(const Node& node) const override {
    NodeEstimate used = usage(nodes_[node.id.value]);
    for (const auto& [job, kept] : node.kept)  // nobody uses it, but it is not free
      for (UsageEstimate* of : {&used.containers, &used.node}) *of += as_estimate(kept);
    const Resources& allowance = node.spec->allowance;
    const Resources& capacity = node.spec->capacity;
    Resources free = node.unrequested();
    if (damping_.cores > 0)
      free.cores =
          available(allowance.cores, used.containers.cores, capacity.cores, used.node.cores, 1e3);
    if (damping_.memory > 0)
      free.memory =
          available(allowance.memory, used.containers.memory, capacity.memory, used.node.memory, 1);
    return free;
  }

  Resources total(const Node& node) const override {
    const Resources size = node.allocated + free(node);
    Resources total = node.spec->allowance;
    if (damping_.cores > 0) total.cores = size.cores;
    if (damping_.memory > 0) total.memory = size.memory;
    return total;
  }

  void registered(NodeId node) override {
    nodes_[node.value] = {UsageEstimator(damping_), {}, {}, {}};
  }

  void changed(const Container& container, Change change) override {
    Estimated& node = nodes_[container.node.value];
    const ContainerId id = container.id;
    switch (change) {
      case Change::kLaunched:
        node.under_way[id] = {container.resources};
        break;
      case Change::kEnded:
        // The part of an ended container stays in the estimate until the next heartbeat.
        if (auto it = node.under_way.find(id); it != node.under_way.end())
          it->second.ended = true;
        else if (!at_worker_)
          node.here.ended(id);
        break;
      case Change::kSuspended:
        know(node, id);
        if (!at_worker_) node.here.suspended(id);
        break;
      case Change::kResumed:
        if (!at_worker_) node.here.resumed(id);
        break;
    }
  }

  Measured heartbeat(const NodeHeartbeat& heartbeat) override {
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

  /// Returns a note "estimation.node" for each live node of which something was measured. The note
  /// has the estimates, what is free, what would be free by requests alone, and the node's size as
  /// schedulers see it.
  std::vector<PolicyNote> take_notes(const std::vector<Node>& nodes) override {
    std::vector<PolicyNote> notes;
    for (NodeId id : std::exchange(measured_, {})) {
      const Node& node = nodes[id.value];
      if (!node.alive) continue;
      const NodeEstimate made = estimate(nodes_[id.value]);
      notes.push_back({"estimation.node",
                       {{"node", id.value},
                        {"containers_estimate", row(made.containers)},
                        {"node_estimate", row(made.node)},
                        {"free", row(free(node))},
                        {"free_by_requests", row(node.unrequested())},
                        {"size", row(total(node))}}});
    }
    return notes;
  }

 private:
  struct UnderWay {
    Resources request;
    bool ended = false;
  };
  struct Estimated {
    UsageEstimator here;
    NodeEstimate reported;
    NodeUse use;
    /// Launched containers that no heartbeat has reported yet.
    std::map<ContainerId, UnderWay> under_way;
  };
  NodeEstimate estimate(const Estimated& node) const {
    NodeEstimate estimate = at_worker_ ? node.reported : node.here.estimate();
    for (const auto& [container, it] : node.under_way)
      for (UsageEstimate* of : {&estimate.containers, &estimate.node})
        *of += as_estimate(it.request);
    return estimate;
  }
  /// Returns U_containers (see `container_usage`) and E_node.
  NodeEstimate usage(const Estimated& node) const {
    NodeEstimate usage = estimate(node);
    if (instantaneous_) usage.containers = as_estimate(node.use.containers);
    return usage;
  }

  /// Takes in that the node's worker knows the container.
  void know(Estimated& node, ContainerId container) {
    auto it = node.under_way.find(container);
    if (it == node.under_way.end()) return;
    if (!at_worker_) {
      node.here.allocated(container, it->second.request);
      if (it->second.ended) node.here.ended(container);
    }
    node.under_way.erase(it);
  }

  Damping damping_;
  bool at_worker_;
  bool instantaneous_;
  std::vector<Estimated> nodes_;
  std::set<NodeId> measured_;
};

}  // namespace

constinit const Part<CapacityModel> kEstimationPart{
    {.name = "estimation",
     .summary = "allowance minus the estimated usage",
     .good_at = "requests far above use. Memory stops being the bottleneck.",
     .bad_at =
         "use that rises late, or in many tasks at once. Memory runs out and the work is done "
         "again. If CPU is the bottleneck, more tasks on a node run more slowly.",
     .source = "the usage-slack paper (docs/papers/estimation.md)",
     .options = {&kDamping, &kCoresDamping, &kMemoryDamping, &kEstimateAt, &kContainerUsage}},
    &make_part<CapacityModel, EstimationModel>};

Damping damping_of(const PolicySpec& policy) {
  const double common = value(policy, kDamping);
  return {value(policy, kCoresDamping).value_or(common),
          value(policy, kMemoryDamping).value_or(common)};
}

bool estimated_at_worker(const PolicySpec& policy) {
  return value(policy, kEstimateAt) == EstimateAt::kWorker;
}

}  // namespace heddle
