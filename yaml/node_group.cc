// Reads and writes groups of nodes: those of partitions and of reservations.

#include <algorithm>

#include "yaml/keys.h"
#include "yaml/sections.h"
#include "yaml/text.h"

namespace heddle {
namespace {

/// Returns the nodes that are named n1, n2, … if `prefix` is n.
std::vector<NodeId> numbered(std::string_view prefix, const ClusterSpec& cluster) {
  std::vector<NodeId> found;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const std::string_view name = cluster.nodes[i].name;
    if (name.size() > prefix.size() && name.starts_with(prefix) &&
        name.find_first_not_of("0123456789", prefix.size()) == std::string_view::npos)
      found.push_back(NodeId{static_cast<std::int64_t>(i)});
  }
  return found;
}

/// Returns the nodes of the key `nodes`, ascending.
std::vector<NodeId> nodes_of(const Section& section, const NodesByName& known,
                             const ClusterSpec& cluster) {
  const auto field = section.get("nodes");
  if (!field || field->is(YamlNode::Kind::kMap) || known.empty())
    return read_nodes(section, known, cluster, "nodes");
  std::set<NodeId> found;
  const auto add = [&](const Field& name) {
    const std::string& text = name.node().text;
    const bool exact = known.contains(text);
    const std::vector<NodeId> some = exact ? std::vector<NodeId>() : numbered(text, cluster);
    if (some.empty())
      read_node(name, known, found);
    else
      found.insert(some.begin(), some.end());
  };
  const std::size_t names = field->node().items.size();
  if (field->is(YamlNode::Kind::kScalar))
    add(*field);
  else if (names == 0)
    field->wrong_kind("the name of a node, a list of names such as [n1, n2], or {rack: r1}");
  for (std::size_t i = 0; i < names; ++i) add(field->item(i));
  return {found.begin(), found.end()};
}

}  // namespace

std::vector<NodeId> read_node_group(const Section& section, const NodesByName& known,
                                    const ClusterSpec& cluster, const Where& where) {
  const std::size_t wrong = section.field().findings().wrong();
  std::vector<NodeId> nodes = nodes_of(section, known, cluster);
  std::erase_if(nodes, [&](NodeId node) {
    return !meets(where, cluster.nodes[static_cast<std::size_t>(node.value)].labels);
  });
  if (nodes.empty() && !known.empty() && section.field().findings().wrong() == wrong)
    section.field().error("has no nodes; expected at least one node with these labels");
  return nodes;
}

std::string node_group_text(const std::vector<NodeId>& group, const ClusterSpec& cluster) {
  if (group.size() == cluster.nodes.size()) return "";
  const std::set<NodeId> nodes(group.begin(), group.end());
  std::vector<std::string> names;
  std::size_t first = 0;
  for (const WrittenNode& written : written_nodes(cluster.nodes)) {
    const std::vector<NodeId> some =
        written.count > 0 ? numbered(written.node.name, cluster) : std::vector<NodeId>();
    const std::size_t end = first + static_cast<std::size_t>(std::max(written.count, 1));
    if (!some.empty() && std::ranges::all_of(some, [&](NodeId id) { return nodes.contains(id); }))
      names.push_back(written.node.name);
    else
      for (std::size_t i = first; i < end; ++i)
        if (nodes.contains(NodeId{static_cast<std::int64_t>(i)}))
          names.push_back(cluster.nodes[i].name);
    first = end;
  }
  return list_text(names, [](const std::string& name) { return name_text(name); });
}

}  // namespace heddle
