#include "trace/import/slurm_site.h"

#include <algorithm>

#include "common/text.h"
#include "core/policy/registry.h"
#include "core/scenario/qos_preemption_order.h"

namespace heddle::trace::slurm {

void Site::read(Input& file) {
  if (is_qos(file.head())) {
    note_first(file, qos_file_, "output of sacctmgr show qos");
    qualities_ = read_qos(file, qos_);
  } else if (is_associations(file.head())) {
    note_first(file, tree_file_, "output of sacctmgr show assoc");
    Names users("user", report_);
    tree_ = read_associations(file, accounts_, users);
  } else {
    read_nodes(file);
  }
}

void Site::note_first(const Input& file, const Input*& known, const char* what) {
  if (known) refuse(file, std::string("is a second ") + what + "; expected one");
  known = &file;
}

void Site::read_nodes(Input& file) {
  const bool sinfo = is_sinfo(file.head());
  if (file.head().empty())
    refuse(file, "is empty; expected output of sacct -P, sinfo or sacctmgr -P, or slurm.conf");
  if (!sinfo && (file.head().starts_with("PARTITION") || file.head().starts_with("NODELIST")))
    refuse(file, "does not say the CPUs of nodes; expected output of sinfo -N -o \"%N %c %m %G\"");
  if (!sinfo && !is_slurm_conf(file.head()))
    refuse(file,
           "its first line is not the header of sacct -P, sinfo or sacctmgr -P, nor a setting of "
           "slurm.conf; expected JobID|Submit|Start|End|Elapsed|AllocCPUS|…");
  note_first(file, sinfo ? sinfo_ : conf_, sinfo ? "output of sinfo" : "slurm.conf");
  Cluster cluster = sinfo ? read_sinfo(file) : read_slurm_conf(file);
  // About nodes, sinfo knows more, and about partitions, slurm.conf does.
  if (sinfo || found_.nodes.empty()) found_.nodes = std::move(cluster.nodes);
  if (!cluster.partitions.empty() && (!sinfo || found_.partitions.empty()))
    found_.partitions = std::move(cluster.partitions);
  if (sinfo) return;
  found_.cred_expire = cluster.cred_expire;
  found_.rules = std::move(cluster.rules);
}

void Site::check() const {
  if (conf_ && found_.nodes.empty())
    refuse(*conf_,
           "has no nodes; expected lines such as NodeName=cn[1-8] CPUs=16 RealMemory=64000, or "
           "output of sinfo as another file");
}

std::int64_t Site::nodes_with(const std::string& partition, const Shape& shape) {
  const auto [known, fresh] =
      holding_.try_emplace({partition, shape.cores, shape.gpus}, std::int64_t{0});
  if (!fresh) return known->second;
  const auto is_it = [&](const Partition& one) {
    return partition.empty() ? one.is_default : one.name == partition;
  };
  const auto found = std::ranges::find_if(found_.partitions, is_it);
  std::set<std::string_view> hosts;
  if (found != found_.partitions.end()) hosts.insert(found->hosts.begin(), found->hosts.end());
  // A partition of which no node is known has all nodes (give_partitions).
  const bool all = std::ranges::none_of(
      found_.nodes, [&](const Node& node) { return hosts.contains(node.name); });
  return known->second = std::ranges::count_if(found_.nodes, [&](const Node& node) {
           return node.cores >= shape.cores && node.gpus >= shape.gpus &&
                  (all || hosts.contains(node.name));
         });
}

std::string Site::account_of(const std::string& text) {
  if (tree_.empty()) return accounts_.of(text);
  if (text == "root") return "";
  const std::string name = accounts_.of(text);
  if (std::ranges::find(tree_, name, &AccountSpec::name) == tree_.end())
    tree_.emplace_back().name = name;
  return name;
}

std::string Site::qos_of(const std::string& text) {
  std::string name = qos_.of(text);
  std::vector<QosSpec>& all = qualities_.all;
  if (!all.empty() && std::ranges::find(all, name, &QosSpec::name) == all.end()) {
    all.emplace_back().name = name;
    ++unlisted_qos_;
  }
  return name;
}

void Site::put_in_partition(const std::string& partition, JobSpec& spec) {
  without_partition_ += partition.empty();
  if (found_.partitions.empty() || partition.empty()) return;
  of_jobs_.insert(partition);
  spec.partition = partitions_.of(partition);
  spec.phases.back().where.push_back(partition_rule(spec.partition));
}

/// Returns the qualities of service with what slurm.conf says about preemption. In Slurm,
/// preempted jobs wait for one second more than cred_expire.
std::vector<QosSpec> Site::qualities() const {
  std::vector<QosSpec> all = qualities_.all;
  for (QosSpec& qos : all) {
    if (!found_.rules.preempts) qos.preempt.clear();
    const std::vector<QosSpec> before = all;
    std::erase_if(qos.preempt, [&](const std::string& other) {
      return other == qos.name || preempts_through(before, other, qos.name);
    });
    if (found_.rules.preempt_mode && qualities_.as_cluster.contains(qos.name))
      qos.preempt_mode = *found_.rules.preempt_mode;
  }
  for (QosSpec& qos : all)
    if (qos.preempt_mode == PreemptMode::kRequeue &&
        std::ranges::any_of(all, [&](const QosSpec& other) {
          return std::ranges::find(other.preempt, qos.name) != other.preempt.end();
        }))
      qos.requeue_delay = emu_seconds(found_.cred_expire + 1);
  return all;
}

/// Adds the partitions of the nodes, and those that only jobs name, which have all nodes.
void Site::give_partitions(Scenario& scenario) {
  if (of_jobs_.empty()) return;
  for (const std::string& text : of_jobs_)
    if (std::ranges::find(found_.partitions, text, &Partition::name) == found_.partitions.end()) {
      found_.partitions.push_back({.name = text});
      ++unlisted_;
    }
  // With --nodes, only the first ones are there, or each stands for several.
  const std::vector<Node> originals = by_kind(found_.nodes);
  std::map<std::string, std::vector<NodeId>> ids;
  for (std::size_t i = 0; i < scenario.cluster.nodes.size() && !originals.empty(); ++i)
    ids[originals[i % originals.size()].name].push_back(NodeId{static_cast<std::int64_t>(i)});
  for (const Partition& one : found_.partitions) {
    PartitionSpec partition{
        .name = partitions_.of(one.name), .nodes = {}, .max_time = {}, .priority = one.priority};
    partition.is_default =
        one.is_default && std::ranges::none_of(scenario.partitions, &PartitionSpec::is_default);
    std::set<NodeId> nodes;
    for (const std::string& host : one.hosts)
      if (const auto some = ids.find(host); some != ids.end())
        nodes.insert(some->second.begin(), some->second.end());
    unlisted_ += nodes.empty() && !one.hosts.empty();
    if (nodes.empty())
      for (std::size_t i = 0; i < scenario.cluster.nodes.size(); ++i)
        nodes.insert(NodeId{static_cast<std::int64_t>(i)});
    partition.nodes.assign(nodes.begin(), nodes.end());
    for (const NodeId id : partition.nodes)
      add_partition_label(partition.name,
                          scenario.cluster.nodes[static_cast<std::size_t>(id.value)].labels);
    scenario.partitions.push_back(std::move(partition));
  }
  give_default_partition(scenario.partitions);
}

/// Makes the first partition the default one if jobs need one and there is none.
void Site::give_default_partition(std::vector<PartitionSpec>& partitions) const {
  if (without_partition_ == 0) return;
  auto found = std::ranges::find_if(partitions, &PartitionSpec::is_default);
  if (found == partitions.end()) found = partitions.begin();
  found->is_default = true;
  report_.state(without_partition_, "job", "without a partition: in " + found->name);
}

/// Returns which nodes got other names.
std::string Site::renamed_nodes(const std::vector<NodeSpec>& nodes) const {
  const std::vector<Node> originals = by_kind(found_.nodes);
  if (originals.size() != nodes.size()) return "";
  constexpr std::size_t kMost = 20;
  std::string pairs;
  std::size_t renamed = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].name != originals[i].name && ++renamed <= kMost)
      pairs += (renamed > 1 ? ", " : "") + originals[i].name + " is " + nodes[i].name;
  if (renamed > kMost) pairs += ", and " + std::to_string(renamed - kMost) + " more, in this order";
  return pairs;
}

void Site::give(Imported& imported) {
  Scenario& scenario = imported.scenario;
  name_by_kind(scenario.cluster.nodes);
  imported.renamed = renamed_nodes(scenario.cluster.nodes);
  if (!imported.renamed.empty()) report_.state("nodes have other names: " + imported.renamed);
  give_partitions(scenario);
  scenario.qos = qualities();
  scenario.accounts = tree_;
  if (found_.rules.policy.empty()) return;
  scenario.policy = parse_policy(found_.rules.policy).value();
  imported.has_policy = true;
  scenario.cluster.node_timeout = emu_seconds(found_.rules.node_timeout_s);
}

void Site::state() const {
  report_.state(unlisted_, "partition", "of which no node is known or left: taken as all nodes");
  if (unlisted_qos_ > 0)
    report_.state("qualities of service that only jobs name, which have priority 0: " +
                  std::to_string(unlisted_qos_));
  const Rules& rules = found_.rules;
  if (rules.policy.empty()) return;
  report_.state("policy, of slurm.conf: " + rules.policy);
  if (!rules.unused.empty())
    report_.state("settings of slurm.conf that are not imitated: " + join(rules.unused));
  if (rules.by_qos && qualities_.all.empty())
    report_.state(
        "no file has the QOS that priorities depend on (sacctmgr show qos -P): all are equal");
  if (rules.by_shares && tree_.empty())
    report_.state(
        "no file has the shares that priorities depend on (sacctmgr show assoc -P): all are "
        "equal");
}

}  // namespace heddle::trace::slurm
