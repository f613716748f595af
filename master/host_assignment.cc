#include "master/host_assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/text.h"
#include "core/resolve.h"

namespace heddle::master {
namespace {

/// Largest rounding error of a sum of CPUs.
constexpr double kRounding = 1e-9;

std::string amount(const NodeNeed& need) {
  return fmt::format("{:.4g} CPUs and {:.4g} MiB", need.cpus.value,
                     static_cast<double>(need.memory.count()) / (1 << 20));
}

bool fits(const NodeNeed& need, const NodeNeed& room) {
  return need.cpus.value <= room.cpus.value + kRounding && need.memory <= room.memory;
}

double share(const NodeNeed& need, const wire::HostFacts& host) {
  auto part = [](double of, double whole) { return whole > 0 ? of / whole : 0; };
  return std::max(
      part(need.cpus.value, host.cpus.value),
      part(static_cast<double>(need.memory.count()), static_cast<double>(host.memory.count())));
}

}  // namespace

NodeNeed need_of(const Scenario& scenario, const NodeSpec& node) {
  const Scale scale = scenario.scale();
  const real::Bytes overhead = scenario.emulation.overhead;
  return {scale.to_real(node.capacity.cores, node.speed),
          scale.to_real(node.capacity.memory) +
              real::Bytes(overhead.count() * ContainerBounds(scenario).overheads(node))};
}

HostAssignment::HostAssignment(const Scenario& scenario)
    : scenario_(scenario),
      needs_(scenario.cluster.nodes.size()),
      at_(scenario.cluster.nodes.size()) {
  const EmulationSpec& emulation = scenario.emulation;
  if (!emulation.time_scale || !emulation.core_fraction || !emulation.memory_scale) return;
  std::transform(scenario.cluster.nodes.begin(), scenario.cluster.nodes.end(), needs_.begin(),
                 [&](const NodeSpec& node) { return need_of(scenario, node); });
}

std::optional<HostAssignment::Key> HostAssignment::key_of(const wire::Hello& hello) {
  if (!hello.host) return std::nullopt;
  return Key{hello.host->name, hello.clock};
}

std::string HostAssignment::host(NodeId node) const {
  const std::optional<Key>& at = at_[node.value];
  return at ? at->name : "";
}

bool HostAssignment::on_host_of(NodeId node, const wire::Hello& hello) const {
  return at_[node.value] && at_[node.value] == key_of(hello);
}

wire::HostFacts HostAssignment::facts(const wire::Hello& hello) const {
  wire::HostFacts facts = *hello.host;
  if (auto known = hosts_.find(*key_of(hello)); known != hosts_.end()) {
    facts.cpus = std::max(facts.cpus, known->second.cpus);
    facts.memory = std::max(facts.memory, known->second.memory);
  }
  return facts;
}

NodeNeed HostAssignment::left(const wire::Hello& hello, const Free& free, NodeId without) const {
  const EmulationSpec& emulation = scenario_.emulation;
  const wire::HostFacts host = facts(hello);
  NodeNeed left{{host.cpus.value * (1 - emulation.control_reserve_cpu)},
                host.memory - emulation.control_reserve_memory};
  for (NodeId node{0}; node.value < std::ssize(at_); ++node.value) {
    if (node == without || !on_host_of(node, hello) || free(node)) continue;
    left.cpus.value -= needs_[node.value].cpus.value;
    left.memory -= needs_[node.value].memory;
  }
  return left;
}

Result<NodeId> HostAssignment::choose(const wire::Hello& hello, const Free& free) const {
  if (!hello.host)
    return machine_error("a worker that names no node must report the resources of its host");
  std::vector<NodeId> unplayed, possible;
  for (NodeId node{0}; node.value < std::ssize(at_); ++node.value) {
    if (!free(node)) continue;
    unplayed.push_back(node);
    const std::string& meant = scenario_.cluster.nodes[node.value].host;
    if (meant.empty() || meant == hello.host->name) possible.push_back(node);
  }
  const std::string& name = hello.host->name;
  if (unplayed.empty())
    return machine_error("every node has a worker already; there is no node for host " + name);
  if (possible.empty()) {
    std::set<std::string> meant;
    for (NodeId node : unplayed) meant.insert(scenario_.cluster.nodes[node.value].host);
    return machine_error(
        fmt::format("the nodes without a worker ({}) are assigned to host {}; this is host {}",
                    names(unplayed), join({meant.begin(), meant.end()}), name));
  }
  const wire::HostFacts host = facts(hello);
  auto rank = [&](NodeId node) {
    return std::tuple(!on_host_of(node, hello), scenario_.cluster.nodes[node.value].host.empty(),
                      -share(needs_[node.value], host));
  };
  std::stable_sort(possible.begin(), possible.end(),
                   [&](NodeId a, NodeId b) { return rank(a) < rank(b); });
  const NodeNeed room = left(hello, free, NodeId{-1});
  for (NodeId node : possible)
    if (fits(needs_[node.value], room)) return node;
  return machine_error(no_room(hello, free, possible.back()));
}

Result<void> HostAssignment::check(NodeId node, const wire::Hello& hello, const Free& free) const {
  if (!hello.host) return {};
  const NodeSpec& spec = scenario_.cluster.nodes[node.value];
  if (!spec.host.empty() && spec.host != hello.host->name)
    return machine_error("node " + spec.name + " is assigned to host " + spec.host +
                         "; this is host " + hello.host->name);
  if (!fits(needs_[node.value], left(hello, free, node)))
    return machine_error(no_room(hello, free, node));
  return {};
}

void HostAssignment::take(NodeId node, const wire::Hello& hello) {
  at_[node.value] = key_of(hello);
  if (hello.host) hosts_[*key_of(hello)] = facts(hello);
}

std::string HostAssignment::no_room(const wire::Hello& hello, const Free& free, NodeId node) const {
  std::vector<NodeId> there;
  for (NodeId other{0}; other.value < std::ssize(at_); ++other.value)
    if (other != node && on_host_of(other, hello) && !free(other)) there.push_back(other);
  const wire::HostFacts host = facts(hello);
  return fmt::format(
      "host {} has no room for node {}, which needs {}: of the {} that it may use, {:.4g} % of the "
      "CPUs and {:.4g} MiB are reserved for the control plane{}",
      host.name, scenario_.cluster.nodes[node.value].name, amount(needs_[node.value]),
      amount({host.cpus, host.memory}), scenario_.emulation.control_reserve_cpu * 100,
      static_cast<double>(scenario_.emulation.control_reserve_memory.count()) / (1 << 20),
      there.empty() ? ""
                    : fmt::format(", and {} left beside {}",
                                  amount(left(hello, free, node)) + " are", names(there)));
}

std::string HostAssignment::names(const std::vector<NodeId>& nodes) const {
  std::vector<std::string> names;
  for (NodeId node : nodes) names.push_back(scenario_.cluster.nodes[node.value].name);
  return join(names);
}

}  // namespace heddle::master
