// Reads partitions and qualities of service.

#include <algorithm>
#include <utility>

#include "common/text.h"
#include "core/scenario/qos_preemption_order.h"
#include "core/scenario/quantity_text.h"
#include "yaml/keys.h"
#include "yaml/limits.h"
#include "yaml/names_form.h"
#include "yaml/sections.h"
#include "yaml/text.h"

namespace heddle {
namespace {

constexpr Range<std::int64_t> kPriorities{0, 4294967295};

}  // namespace

template <>
void describe(Keys& keys, const WrittenPartition& written) {
  const PartitionSpec& partition = written.partition;
  keys.name("name", partition.name, "name").needed();
  keys.by_hand("nodes", kNodesForm, "every node",
               "nodes of the partition; n means n1, n2, … of one entry; a node can be in several");
  where_key(keys, written.where).help = "of these nodes, those with these labels";
  keys.number("max_time", partition.max_time, measure::kDuration, {EmuTime(1), kMaxInstant},
              "longest walltime of its jobs, and the walltime of those that have none")
      .otherwise("no limit");
  keys.number("priority", partition.priority, measure::kWhole, kPriorities,
              "for the order of jobs priority, beside the largest of all partitions");
  keys.flag("default", partition.is_default, "whether jobs that name no partition are in this one")
      .rarely();
}

template <>
void describe(Keys& keys, const QosSpec& qos) {
  keys.name("name", qos.name, "name").needed();
  keys.number("priority", qos.priority, measure::kWhole, kPriorities,
              "for the order of jobs priority, beside the largest of all qualities of service");
  keys.number("max_jobs_per_user", qos.max_jobs_per_user, measure::kWhole, {1, 1000000},
              "jobs of one user that can have containers at the same time; further ones wait")
      .otherwise("no limit");
  keys.value("preempt", &qos.preempt, std::make_unique<NamesForm>(),
             "qualities of service whose running jobs end so that its waiting jobs can start, "
             "under easy and conservative")
      .otherwise("[]")
      .rarely();
  keys.word("preempt_mode", qos.preempt_mode,
            "what becomes of its own jobs that are preempted; requeue: they wait and start again; "
            "cancel: they end as killed; suspend: they stop, keep their memory, and run on later")
      .rarely();
  keys.number("exempt_time", qos.exempt_time, measure::kDuration, measure::kDuration.general,
              "how long its own jobs run before they can be preempted")
      .rarely();
  keys.number(
          "requeue_delay", qos.requeue_delay, measure::kDuration, measure::kDuration.general,
          "how long its own jobs wait after a preemption before they can start again; their age "
          "counts from then on")
      .rarely();
  keys.number("usage_factor", qos.usage_factor, measure::kFraction, {0, 1000000},
              "factor on what its jobs use, for the fair share");
}

const Keys& partition_keys() { return keys_of<WrittenPartition>("partition"); }
const Keys& qos_keys() { return keys_of<QosSpec>("qos"); }

namespace {

/// Adds the labels of a partition to its nodes.
void label(const PartitionSpec& partition, ClusterSpec& cluster) {
  for (const NodeId node : partition.nodes)
    add_partition_label(partition.name, cluster.nodes[static_cast<std::size_t>(node.value)].labels);
}

PartitionSpec read_partition(const Section& section, const NodesByName& known,
                             const ClusterSpec& cluster) {
  WrittenPartition written;
  section.read(&written);
  written.partition.nodes = read_node_group(section, known, cluster, written.where);
  return std::move(written.partition);
}

}  // namespace

void read_partitions(const Field& field, ClusterSpec& cluster,
                     std::vector<PartitionSpec>& partitions) {
  if (!field.is_list("a list of at least one partition", 1) ||
      !field.has_at_most(kMaxPartitions, "partitions"))
    return;
  const NodesByName known = nodes_by_name(cluster);
  const std::size_t wrong = field.findings().wrong();
  std::set<std::string> seen;
  std::size_t memberships = 0;
  for (std::size_t i = 0; i < field.node().items.size(); ++i) {
    const Section section(field.item(i), partition_keys());
    if (!section.field().is(YamlNode::Kind::kMap)) continue;
    PartitionSpec partition = read_partition(section, known, cluster);
    section.field().check_new("partition", partition.name, seen);
    if (partition.is_default && std::ranges::any_of(partitions, &PartitionSpec::is_default))
      section.get("default")->error("another partition is the default too; expected at most one");
    memberships += partition.nodes.size();
    if (memberships > kMaxMemberships)
      return field.error("the partitions have more than " + std::to_string(kMaxMemberships) +
                         " nodes together; expected fewer or smaller partitions");
    partitions.push_back(std::move(partition));
  }
  if (field.findings().wrong() != wrong) return partitions.clear();
  for (const PartitionSpec& partition : partitions) label(partition, cluster);
}

void read_qos(const Field& field, std::vector<QosSpec>& qos) {
  if (!field.is_list("a list of at least one quality of service", 1) ||
      !field.has_at_most(kMaxPartitions, "qualities of service"))
    return;
  const std::size_t wrong = field.findings().wrong();
  std::set<std::string> seen;
  std::vector<Section> sections;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < field.node().items.size(); ++i) {
    const Section& section = sections.emplace_back(field.item(i), qos_keys());
    if (!section.field().is(YamlNode::Kind::kMap)) continue;
    QosSpec one;
    section.read(&one);
    section.field().check_new("quality of service", one.name, seen);
    names.push_back(one.name);
    qos.push_back(std::move(one));
  }
  for (const Section& section : sections)
    if (const auto preempt = section.get("preempt"))
      for (std::size_t i = 0; i < preempt->node().items.size(); ++i)
        index_of(preempt->item(i), "quality of service", names);
  for (const Section& section : sections) {
    const auto name = section.get("name");
    const auto preempt = section.get("preempt");
    if (name && preempt && preempts_through(qos, name->node().text, name->node().text))
      preempt->error("\"" + name->node().text +
                     "\" preempts itself, directly or through others; expected no loop");
  }
  if (field.findings().wrong() != wrong) qos.clear();
}

namespace {

/// Returns the message about a name that no member of the list has.
template <class Spec>
std::string unknown(std::string_view what, const std::string& name, const std::vector<Spec>& all) {
  std::vector<std::string> names;
  for (const Spec& one : all) names.push_back(one.name);
  if (name.empty())
    return "is missing; expected one of " + join(names) + ", or a partition with default: true";
  return with_nearest(
      "no " + std::string(what) + " is called \"" + name + "\"; expected one of " + join(names),
      name, names);
}

}  // namespace

std::string partition_fault(const Scenario& scenario, JobSpec& job) {
  const std::vector<PartitionSpec>& all = scenario.partitions;
  if (all.empty()) return "";
  const auto found = job.partition.empty()
                         ? std::ranges::find_if(all, &PartitionSpec::is_default)
                         : std::ranges::find(all, job.partition, &PartitionSpec::name);
  if (found == all.end()) return unknown("partition", std::exchange(job.partition, ""), all);
  job.partition = found->name;
  if (!job.walltime) job.walltime = found->max_time;
  if (!found->max_time || *job.walltime <= *found->max_time) return "";
  return "the walltime of " + print_duration(*job.walltime) + " is longer than the " +
         print_duration(*found->max_time) + " of partition \"" + found->name +
         "\"; expected at most its max_time";
}

std::string qos_fault(const Scenario& scenario, const JobSpec& job) {
  if (scenario.qos.empty() || job.qos.empty() ||
      std::ranges::find(scenario.qos, job.qos, &QosSpec::name) != scenario.qos.end())
    return "";
  return unknown("quality of service", job.qos, scenario.qos);
}

Where in_partition(const Scenario& scenario, const JobSpec& job) {
  if (scenario.partitions.empty() || job.partition.empty()) return {};
  return {partition_rule(job.partition)};
}

}  // namespace heddle
