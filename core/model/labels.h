#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// The labels of a node, such as model: V100.
using Labels = std::map<std::string, std::string, std::less<>>;

/// A condition on one label of a node.
struct LabelRule {
  std::string label;
  std::vector<std::string> values;
  bool forbids = false;  ///< the label must have none of the values; else it must have one of them
  auto operator<=>(const LabelRule&) const = default;
};
/// The conditions that a node has to meet for a request, all of them.
using Where = std::vector<LabelRule>;

/// Returns the label that each node of a partition has, with the value kInPartition. No label of a
/// scenario has such a name.
inline std::string partition_label(std::string_view partition) {
  return "partition/" + std::string(partition);
}
inline constexpr std::string_view kInPartition = "yes";
/// Adds the label of the partition to those of a node.
inline void add_partition_label(std::string_view partition, Labels& labels) {
  labels.emplace(partition_label(partition), kInPartition);
}
/// Returns the condition that a node is in the partition.
inline LabelRule partition_rule(std::string_view partition) {
  return {partition_label(partition), {std::string(kInPartition)}, false};
}
/// Returns whether the label stands for a partition.
constexpr bool names_partition(std::string_view label) {
  return label.find('/') != std::string_view::npos;
}

/// Returns whether a node with these labels meets the conditions. A label that the node does not
/// have has no value.
bool meets(const Where& where, const Labels& labels);

}  // namespace heddle
