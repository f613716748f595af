// Reads external_load: programs outside of all containers.

#include "core/scenario/external_load.h"

#include <set>

#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "yaml/keys.h"
#include "yaml/limits.h"
#include "yaml/sections.h"

namespace heddle {

template <>
void describe(Keys& keys, const ExternalLoadSpec& load) {
  keys.by_hand("node", kNodesForm, "every node", "nodes that carry the load");
  keys.number("from", load.from, measure::kDuration, {EmuTime(0), kMaxInstant},
              "when the load begins");
  keys.number("until", load.until, measure::kDuration, {EmuTime(0), kMaxInstant},
              "when the load ends; later than from")
      .otherwise("the end of the run");
  keys.measured(load.load, {}, "used on each of these nodes", false);
}

const Keys& external_load_keys() { return keys_of<ExternalLoadSpec>("external_load"); }

NodesByName nodes_by_name(const ClusterSpec& cluster) {
  NodesByName known;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i)
    known[cluster.nodes[i].name] = NodeId{static_cast<std::int64_t>(i)};
  return known;
}

void read_node(const Field& field, const NodesByName& known, std::set<NodeId>& found) {
  const std::string& name = field.node().text;
  if (auto it = known.find(name); it != known.end()) {
    found.insert(it->second);
    return;
  }
  std::vector<std::string> names;
  for (const auto& [node, id] : known) names.push_back(node);
  field.error(with_nearest("no node is called \"" + name + "\"", name, names));
}

namespace {

/// The nodes of a rack.
struct RackNodes {
  std::string rack;
};

}  // namespace

template <>
void describe(Keys& keys, const RackNodes& nodes) {
  keys.name("rack", nodes.rack, "all nodes of this rack").needed();
}

const Keys& rack_keys() { return keys_of<RackNodes>("rack"); }

namespace {

/// Adds the nodes of the rack that a map names. If there are none, reports that.
void read_rack(const Field& field, const ClusterSpec& cluster, std::set<NodeId>& found) {
  RackNodes nodes;
  Section(field, rack_keys()).read(&nodes);
  if (nodes.rack.empty()) return;
  const std::size_t before = found.size();
  std::set<std::string> racks;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    racks.insert(cluster.nodes[i].rack);
    if (cluster.nodes[i].rack == nodes.rack) found.insert(NodeId{static_cast<std::int64_t>(i)});
  }
  const std::vector<std::string> known(racks.begin(), racks.end());
  if (found.size() == before)
    field.error(
        with_nearest("no node is in a rack \"" + nodes.rack + "\"; expected one of " + join(known),
                     nodes.rack, known));
}

}  // namespace

std::vector<NodeId> read_nodes(const Section& section, const NodesByName& known,
                               const ClusterSpec& cluster, std::string_view key) {
  std::set<NodeId> found;
  auto field = section.get(key);
  if (!field)
    for (const auto& [name, id] : known) found.insert(id);
  else if (field->is(YamlNode::Kind::kScalar) && !known.empty())
    read_node(*field, known, found);
  else if (field->is(YamlNode::Kind::kMap) && !known.empty())
    read_rack(*field, cluster, found);
  else if (field->is(YamlNode::Kind::kList) && !field->node().items.empty())
    for (std::size_t i = 0; i < field->node().items.size() && !known.empty(); ++i)
      read_node(field->item(i), known, found);
  else if (!field->is(YamlNode::Kind::kScalar))
    field->wrong_kind("the name of a node, a list of names such as [n1, n2], or {rack: r1}");
  return {found.begin(), found.end()};
}

namespace {

ExternalLoadSpec read_one(const Section& section, const NodesByName& known,
                          const ClusterSpec& cluster) {
  ExternalLoadSpec load;
  load.nodes = read_nodes(section, known, cluster);
  section.read(&load);
  if (load.until && *load.until <= load.from)
    section.get("until")->error("is " + print_duration(*load.until) +
                                "; expected a time later than from, which is " +
                                print_duration(load.from));
  const bool said = section.has("cores") || section.has("memory");
  if (!said && section.field().is(YamlNode::Kind::kMap))
    section.field().error("uses no resources; expected cores, memory or both");
  return load;
}

/// Reports the first load that exceeds the capacity of its node together with the node's other
/// loads and system. Reports only once.
void check_room(const Field& field, const ClusterSpec& cluster,
                const std::vector<ExternalLoadSpec>& loads) {
  for (const LoadChange& change : load_changes(loads)) {
    const NodeSpec& node = cluster.nodes[change.what.node.value];
    if ((change.what.load + node.system).fits_in(node.capacity)) continue;
    return field.error("at " + print_duration(change.at) + " node " + node.name + " carries " +
                       print_resources(change.what.load, cluster.resources) +
                       ", and its system uses " + print_resources(node.system, cluster.resources) +
                       "; expected at most its capacity of " +
                       print_resources(node.capacity, cluster.resources) + " in total");
  }
}

}  // namespace

void read_external_load(const Field& field, const ClusterSpec& cluster,
                        std::vector<ExternalLoadSpec>& loads) {
  if (!field.is_list("a list of loads such as {node: n1, from: 20s, cores: 2}") ||
      !field.has_at_most(kMaxLoads, "loads"))
    return;
  const NodesByName known = nodes_by_name(cluster);
  const std::size_t wrong = field.findings().wrong();
  for (std::size_t i = 0; i < field.node().items.size(); ++i)
    loads.push_back(read_one(Section(field.item(i), external_load_keys()), known, cluster));
  if (field.findings().wrong() == wrong) check_room(field, cluster, loads);
}

}  // namespace heddle
