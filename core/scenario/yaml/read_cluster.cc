#include <algorithm>
#include <set>
#include <string>

#include "common/text.h"
#include "core/scenario/yaml/sections.h"

namespace heddle {
namespace {

constexpr EmuTime kMillisecond{1000};
constexpr EmuTime kHour{3600LL * 1000000};
constexpr EmuBytes kMiB{1 << 20};

/// Reads the map under `key`, if the key is present.
void read_part(const Section& section, std::string_view key, Resources& out,
               const Resources& least) {
  if (auto field = section.get(key)) read_resources(*field, out, least, false);
}

void read_size(const Section& section, NodeSpec& node, bool overcommit) {
  const Resources least{Millicores(1), EmuBytes(1)};
  section.need("cores");
  section.need("memory");
  section.cores("cores", node.capacity.cores, {Millicores(1), kMaxCores});
  section.bytes("memory", node.capacity.memory, {kMiB, kMaxBytes});
  if (node.capacity.cores.count() == 0 || node.capacity.memory.count() == 0) return;
  read_part(section, "system", node.system, {});
  if (!node.system.fits_in(node.capacity)) {
    section.get("system")->error(text_of(node.system) + " are more than the node's " +
                                 text_of(node.capacity));
    return;
  }
  node.allowance = node.capacity - node.system;
  read_part(section, "allowance", node.allowance, least);
  if (!overcommit && !node.allowance.fits_in(node.capacity))
    section.get("allowance")
        ->error(text_of(node.allowance) + " are more than the node's " + text_of(node.capacity) +
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

NodeSpec read_node(const Section& section, bool overcommit) {
  NodeSpec node;
  section.need("name");
  section.name("name", node.name);
  read_size(section, node, overcommit);
  section.fraction("speed", node.speed, {0.01, 10});
  section.name("rack", node.rack);
  section.byte_rate("disk", node.disk_bytes_per_s);
  section.bit_rate("network", node.network_bits_per_s);
  section.name("host", node.host);
  return node;
}

void read_nodes(const Field& field, bool overcommit, std::vector<NodeSpec>& nodes) {
  if (!field.is_list("a list of at least one node", 1)) return;
  std::set<std::string> seen;
  auto add = [&](const NodeSpec& node, const Field& at) {
    at.check_new("node", node.name, seen);
    nodes.push_back(node);
  };
  for (std::size_t i = 0; i < field.node().items.size(); ++i) {
    Section section(field.item(i), "node");
    if (!section.field().is(YamlNode::Kind::kMap)) continue;
    NodeSpec node = read_node(section, overcommit);
    int count = 0;
    section.whole("count", count, {1, kMaxNodes});
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

std::string text_of(const Resources& resources) {
  return print_cores(resources.cores) + " cores and " + print_bytes(resources.memory);
}

void read_resources(const Field& field, Resources& out, const Resources& least, bool whole) {
  Section section(field, "resources");
  if (whole) {
    section.need("cores");
    section.need("memory");
  }
  section.cores("cores", out.cores, {least.cores, kMaxCores});
  section.bytes("memory", out.memory, {least.memory, kMaxBytes});
}

void read_cluster(const Field& field, ClusterSpec& cluster) {
  Section section(field, "cluster");
  section.duration("heartbeat", cluster.heartbeat, {kMillisecond, kHour});
  section.word("dispatch", cluster.dispatch);
  bool timeout = section.duration("node_timeout", cluster.node_timeout, {kMillisecond, 24 * kHour});
  if (cluster.node_timeout < cluster.heartbeat) {
    Field at = timeout ? *section.get("node_timeout") : field.absent("node_timeout");
    at.error(print_duration(cluster.node_timeout) + " is shorter than the heartbeat of " +
             print_duration(cluster.heartbeat) + "; expected at least the heartbeat");
  }
  if (EmuTime grace; section.duration("walltime_grace", grace, {EmuTime(0), 24 * kHour}))
    cluster.walltime_grace = grace;
  read_part(section, "unit", cluster.unit, {Millicores(1), EmuBytes(1)});
  section.flag("normalise", cluster.normalise);
  section.flag("overcommit", cluster.overcommit);
  if (auto nodes = section.need("nodes")) {
    read_nodes(*nodes, cluster.overcommit, cluster.nodes);
    check_all_memory(*nodes, cluster.nodes);
  }
}

void read_storage(const Field& field, StorageSpec& storage) {
  Section section(field, "storage");
  section.bytes("block_size", storage.block_size, {EmuBytes(1 << 10), EmuBytes(1LL << 40)});
  section.whole("replicas", storage.replicas, {1, 100});
}

}  // namespace heddle
