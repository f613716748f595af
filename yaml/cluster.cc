#include <algorithm>
#include <set>
#include <string>

#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "yaml/keys.h"
#include "yaml/limits.h"
#include "yaml/sections.h"

namespace heddle {
namespace {

constexpr EmuTime kMillisecond{1000};
constexpr EmuTime kHour{3600LL * 1000000};
constexpr EmuBytes kMiB{1 << 20};

void describe_name(Keys& keys, const NodeSpec& n) {
  keys.name("name", n.name, "name; with count, the prefix of the names").needed();
}

void describe_size(Keys& keys, const NodeSpec& n) {
  keys.of_node();
  keys.amounts(n.capacity, {Millicores(1), kMiB}, "capacity", true);
  keys.resources("allowance", n.allowance, {Millicores(1), EmuBytes(1)}, false,
                 "resources for containers; at most the capacity unless overcommit is on")
      .later()
      .otherwise("capacity less system");
  keys.resources("system", n.system, {}, false,
                 "resources the operating system uses: part of the capacity, outside of containers")
      .rarely();
  keys.number("speed", n.speed, measure::kFraction, {0.01, 10}, "speed of a core");
  keys.name("rack", n.rack, "rack of the node; nodes of one rack are close to each other").rarely();
  keys.number("disk", n.disk_bytes_per_s, measure::kByteRate, measure::kByteRate.general,
              "bandwidth of the disk");
  keys.number("network", n.network_bits_per_s, measure::kBitRate, measure::kBitRate.general,
              "bandwidth of the network link, each way");
  keys.name("host", n.host, "machine whose worker emulates the node, in a run over several hosts")
      .otherwise("any");
  keys.value("labels", &n.labels, std::make_unique<LabelsForm>(),
             "labels of the node, which where asks for; at most 16")
      .otherwise("{}")
      .rarely();
}

}  // namespace

template <>
void describe(Keys& keys, const NodeSpec& n) {
  describe_name(keys, n);
  describe_size(keys, n);
}

template <>
void describe(Keys& keys, const WrittenNode& written) {
  describe_name(keys, written.node);
  keys.number("count", written.count, measure::kWhole, {1, kMaxNodes},
              "number of equal nodes: n becomes n1, n2, …")
      .otherwise("none");
  describe_size(keys, written.node);
}

template <>
void describe(Keys& keys, const CountedResource& r) {
  keys.flag("devices", r.devices,
            "whether a node has single devices of it; a request below 1 is a part of one device, "
            "any other is whole devices")
      .rarely();
  keys.word("scope", r.scope, "whether each node has an amount of it, or the cluster as a whole")
      .rarely();
  keys.number("count", r.count, measure::kCount, measure::kCount.general,
              "scope cluster: what the cluster has")
      .otherwise("none")
      .rarely();
}

template <>
void describe(Keys& keys, const ClusterSpec& c) {
  keys.number("heartbeat", c.heartbeat, measure::kDuration, {kMillisecond, kHour},
              "interval between the reports of a node");
  keys.word("dispatch", c.dispatch,
            "when the policy decides: when a node reports, or at once when something happens");
  keys.number("node_timeout", c.node_timeout, measure::kDuration, {kMillisecond, 24 * kHour},
              "silence after which a node is considered lost; at least heartbeat; less than 2 real "
              "seconds count as 2");
  keys.number("walltime_grace", c.walltime_grace, measure::kDuration, {EmuTime(0), 24 * kHour},
              "how much longer than its walltime a job may take")
      .otherwise("a heartbeat; in a simulation, a message's delay");
  keys.word("unfit_jobs", c.unfit_jobs,
            "what becomes of jobs that the empty cluster can't hold: the scenario is refused, or "
            "they are cancelled when they are submitted")
      .rarely();
  keys.value("resources", &c.resources, std::make_unique<CountNamesForm>(),
             "what nodes or the cluster have beside cores and memory, such as {gpu: {devices: "
             "true}}, see resource; each name is then a key wherever cores and memory are; amounts "
             "of 0 to 1000000; at most 16")
      .later()
      .rarely();
  keys.resources("unit", c.unit, {Millicores(1), EmuBytes(1)}, false,
                 "unit container: normalise rounds up to it, haste plans with it");
  keys.flag("normalise", c.normalise,
            "round each request up to whole units, each resource separately");
  keys.flag("overcommit", c.overcommit, "whether allowances may exceed capacities");
  keys.by_hand("nodes", "list, see node", "",
               "nodes; at most 100000 in all, with at most 1048576TiB together");
}

const Keys& cluster_keys() { return keys_of<ClusterSpec>("cluster"); }
const Keys& resource_keys() { return keys_of<CountedResource>("resource"); }
const Keys& node_keys() { return keys_of<NodeSpec>("node"); }
const Keys& written_node_keys() { return keys_of<WrittenNode>("node"); }

namespace {

/// Returns the node without what its partitions add to it.
NodeSpec without_partitions(NodeSpec node) {
  std::erase_if(node.labels, [](const auto& one) { return names_partition(one.first); });
  return node;
}

}  // namespace

std::vector<WrittenNode> written_nodes(const std::vector<NodeSpec>& nodes) {
  std::vector<WrittenNode> written;
  for (std::size_t i = 0; i < nodes.size();) {
    WrittenNode some{without_partitions(nodes[i])};
    const bool may_begin = some.node.name.size() > 1 && some.node.name.ends_with('1');
    if (may_begin) some.node.name.pop_back();
    std::size_t count = 0;
    for (NodeSpec next = some.node; may_begin && i + count < nodes.size(); ++count) {
      next.name = some.node.name + std::to_string(count + 1);
      if (without_partitions(nodes[i + count]) != next) break;
    }
    if (count > 1)
      some.count = static_cast<int>(count);
    else
      some.node.name = nodes[i].name;
    i += std::max<std::size_t>(count, 1);
    written.push_back(std::move(some));
  }
  return written;
}

const Keys& resources_keys(bool whole) {
  const auto made = [](bool required) {
    static const Resources sample;
    Keys keys("resources", &sample);
    keys.amounts(sample, {Millicores(1), EmuBytes(1)}, "", required);
    keys.all_otherwise("see where it is used");
    return keys;
  };
  static const Keys whole_keys = made(true), any_keys = made(false);
  return whole ? whole_keys : any_keys;
}

namespace {

std::string text_of(const Resources& resources, const Section& section) {
  return print_resources(resources, section.field().findings().counted);
}

/// Completes the allowance and checks the sizes of a node.
void check_size(const Section& section, NodeSpec& node, bool overcommit) {
  if (node.capacity.cores.count() == 0 || node.capacity.memory.count() == 0) return;
  node.capacity = on_node(node.capacity, section.field().findings().counted);
  if (!node.system.fits_in(node.capacity)) {
    section.get("system")->error(text_of(node.system, section) + " are more than the node's " +
                                 text_of(node.capacity, section));
    return;
  }
  node.allowance = node.capacity - node.system;
  section.read("allowance", &node);
  node.allowance = on_node(node.allowance, section.field().findings().counted);
  if (!overcommit && !node.allowance.fits_in(node.capacity))
    section.get("allowance")
        ->error(text_of(node.allowance, section) + " are more than the node's " +
                text_of(node.capacity, section) +
                "; expected at most the capacity, or cluster.overcommit: true");
}

void check_all_memory(const Field& field, const std::vector<NodeSpec>& nodes) {
  EmuBytes all;
  for (const NodeSpec& node : nodes) {
    all += std::max(node.capacity.memory, node.allowance.memory);
    if (all <= kMaxAllMemory) continue;
    field.error("the nodes have more than " + print_bytes(kMaxAllMemory) +
                " of memory together; expected fewer or smaller nodes");
    return;
  }
}

WrittenNode read_node(const Section& section, bool overcommit) {
  WrittenNode written;
  section.read(&written);
  check_size(section, written.node, overcommit);
  return written;
}

void read_nodes(const Field& field, bool overcommit, std::vector<NodeSpec>& nodes) {
  if (!field.is_list("a list of at least one node", 1)) return;
  std::set<std::string> seen;
  auto add = [&](const NodeSpec& node, const Field& at) {
    at.check_new("node", node.name, seen);
    nodes.push_back(node);
  };
  for (std::size_t i = 0; i < field.node().items.size(); ++i) {
    const Section section(field.item(i), written_node_keys());
    if (!section.field().is(YamlNode::Kind::kMap)) continue;
    auto [node, count] = read_node(section, overcommit);
    if (nodes.size() + static_cast<std::size_t>(std::max(count, 1)) > kMaxNodes) {
      section.field().error("more than " + std::to_string(kMaxNodes) + " nodes in all");
      return;
    }
    if (count == 0) {
      add(node, section.field());
      continue;
    }
    const std::string prefix = node.name;
    for (int n = 1; n <= count; ++n) {
      node.name = prefix + std::to_string(n);
      if (!prefix.empty() && !valid_name(node.name)) {
        section.field().error("\"" + node.name + "\" is too long for a name");
        break;
      }
      add(node, section.field());
    }
  }
}

}  // namespace

void read_cluster(const Field& field, ClusterSpec& cluster) {
  const Section section(field, cluster_keys());
  section.read("resources", &cluster);
  field.findings().counted = cluster.resources;
  section.read(&cluster);
  if (cluster.node_timeout < cluster.heartbeat) {
    const auto timeout = section.get("node_timeout");
    (timeout ? *timeout : field.absent("node_timeout"))
        .error(print_duration(cluster.node_timeout) + " is shorter than the heartbeat of " +
               print_duration(cluster.heartbeat) + "; expected at least the heartbeat");
  }
  if (const auto nodes = section.get("nodes")) {
    read_nodes(*nodes, cluster.overcommit, cluster.nodes);
    check_all_memory(*nodes, cluster.nodes);
  }
}

}  // namespace heddle
