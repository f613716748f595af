#include "trace/import/slurm_nodes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "common/text.h"
#include "trace/import/formats.h"
#include "trace/import/rows.h"
#include "trace/import/slurm_fields.h"
#include "trace/import/slurm_settings.h"

namespace heddle::trace::slurm {
namespace {

constexpr double kMostCores = 1e4, kMostMebibytes = 1LL << 30, kMostGpus = 1024;
constexpr double kMostJobFactor = 65533;  ///< Slurm's limit of PriorityJobFactor
constexpr double kMostExpire = 1e6;

void set_gres(Node& node, const std::string& where, std::string_view name, std::string_view value) {
  if (value == "(null)" || value == "N/A") return;
  std::optional<Gres> gres = read_gres(value);
  if (!gres || gres->gpus > kMostGpus)
    refuse(where, name, value, "generic resources such as gpu:a100:4");
  node.gpus = gres->gpus;
  node.model = std::move(gres->model);
}

/// Reads names of nodes, at most as many as are left if there are `known`.
std::vector<std::string> hosts_in(const std::string& where, std::string_view name,
                                  std::string_view value, std::size_t known) {
  auto hosts = read_hosts(value, static_cast<std::size_t>(kMostImportedNodes) - known);
  if (!hosts) refuse(where, name, value, "names such as cn[1-3,5], at most 100000 of them");
  return *std::move(hosts);
}

void add_hosts(std::vector<Node>& nodes, Node node, const std::string& where, std::string_view name,
               std::string_view value) {
  for (std::string& host : hosts_in(where, name, value, nodes.size())) {
    node.name = std::move(host);
    nodes.push_back(node);
  }
}

/// Adds a partition, or more nodes of a known one.
void add_partition(std::vector<Partition>& all, Partition partition, const std::string& where) {
  const auto known = std::ranges::find(all, partition.name, &Partition::name);
  if (known != all.end()) {
    known->hosts.insert(known->hosts.end(), partition.hosts.begin(), partition.hosts.end());
  } else if (all.size() == static_cast<std::size_t>(kMaxPartitions)) {
    refuse(where, "PartitionName", partition.name, "at most 1000 partitions");
  } else {
    all.push_back(std::move(partition));
  }
}

// Output of sinfo ---------------------------------------------------------------------------------

constexpr std::string_view kHosts = "NODELIST|HOSTNAMES";

/// The separator of output of sinfo: that of its format.
char separator_of(std::string_view line) {
  return line.find('|') == std::string_view::npos ? ' ' : '|';
}

// slurm.conf --------------------------------------------------------------------------------------

/// The settings of a node that say its size, as a line or a line NodeName=DEFAULT has them.
struct Sizes {
  std::optional<double> cpus, boards, sockets, cores, threads, mebibytes;
  std::string gres;
};
constexpr struct {
  std::string_view key;
  std::optional<double> Sizes::*to;
  double most;
} kNumbers[] = {{"cpus", &Sizes::cpus, kMostCores},
                {"procs", &Sizes::cpus, kMostCores},
                {"boards", &Sizes::boards, kMostCores},
                {"sockets", &Sizes::sockets, kMostCores},
                {"socketsperboard", &Sizes::sockets, kMostCores},
                {"corespersocket", &Sizes::cores, kMostCores},
                {"threadspercore", &Sizes::threads, kMostCores},
                {"realmemory", &Sizes::mebibytes, kMostMebibytes}};

class ConfReader {
 public:
  explicit ConfReader(Input& file) : file_(file) {}

  Cluster read() {
    std::string whole;  // a line can go on after a backslash
    while (const auto line = file_.line()) {
      whole += *line;
      if (whole.ends_with('\\')) {
        whole.back() = ' ';
      } else {
        read_line(settings_of(whole));
        whole.clear();
      }
    }
    return {std::move(nodes_), std::move(partitions_), cred_expire_, rules_.made()};
  }

 private:
  std::string where(const Setting& setting) const {
    return file_.where() + ":" + std::to_string(setting.column);
  }

  void read_line(const std::vector<Setting>& line) {
    if (line.empty()) return;
    if (line.front().key == "partitionname") return read_partition(line);
    if (line.front().key == "authinfo") return read_auth_info(line.front());
    if (line.front().key != "nodename") return rules_.read(line.front(), where(line.front()));
    const bool is_default = in_lower_case(line.front().value) == "default";
    Sizes sizes = defaults_;
    for (const Setting& setting : line) read_size(setting, sizes);
    if (is_default) {
      defaults_ = std::move(sizes);
      return;
    }
    const bool is_future = std::ranges::any_of(line, [](const Setting& setting) {
      return setting.key == "state" && in_lower_case(setting.value) == "future";
    });
    if (!is_future) add(line.front(), sizes);
  }

  void read_auth_info(const Setting& setting) {
    constexpr std::string_view kExpire = "cred_expire=";
    for (std::string_view rest = setting.value; !rest.empty();)
      if (const std::string_view one = take_until(rest, ','); one.starts_with(kExpire))
        cred_expire_ =
            number_in(where(setting), "AuthInfo", one.substr(kExpire.size()), kMostExpire);
  }

  void read_partition(const std::vector<Setting>& line) {
    Partition partition = default_partition_;
    for (const Setting& setting : line) {
      if (setting.key == "nodes")
        partition.hosts = in_lower_case(setting.value) == "all"
                              ? std::vector<std::string>()
                              : partition_hosts(where(setting), setting.value);
      else if (setting.key == "priorityjobfactor" || setting.key == "priority")
        partition.priority = std::llround(
            number_in(where(setting), "PriorityJobFactor", setting.value, kMostJobFactor, 0));
      else if (setting.key == "tresbillingweights")
        rules_.leave_out("TRESBillingWeights=" + std::string(setting.value));
      else if (setting.key == "default")
        partition.is_default = in_lower_case(setting.value) == "yes";
    }
    if (in_lower_case(line.front().value) == "default") {
      default_partition_ = std::move(partition);
      return;
    }
    partition.name = line.front().value;
    add_partition(partitions_, std::move(partition), where(line.front()));
  }

  std::vector<std::string> partition_hosts(const std::string& where, std::string_view value) const {
    return hosts_in(where, "Nodes", value, 0);
  }

  void read_size(const Setting& setting, Sizes& sizes) const {
    for (const auto& [key, to, most] : kNumbers)
      if (setting.key == key) sizes.*to = number_in(where(setting), key, setting.value, most);
    if (setting.key == "gres") sizes.gres = setting.value;
  }

  void add(const Setting& name, const Sizes& sizes) {
    Node node;
    const double product = sizes.boards.value_or(1) * sizes.sockets.value_or(1) *
                           sizes.cores.value_or(1) * sizes.threads.value_or(1);
    node.cores = sizes.cpus.value_or(product);
    if (node.cores > kMostCores) refuse(where(name), "NodeName", name.value, "at most 10000 CPUs");
    node.bytes = sizes.mebibytes.value_or(0) * kMebibyte;
    set_gres(node, where(name), "Gres", sizes.gres);
    add_hosts(nodes_, node, where(name), "NodeName", name.value);
  }

  Input& file_;
  Sizes defaults_;
  Partition default_partition_;
  std::vector<Node> nodes_;
  std::vector<Partition> partitions_;
  double cred_expire_ = Cluster().cred_expire;
  RulesReader rules_;
};

}  // namespace

bool is_sinfo(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\n'));
  Cells names;
  split(line, names, separator_of(line));
  return place_of(kHosts, names) != kNamed && place_of("CPUS", names) != kNamed;
}

bool is_slurm_conf(std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = take_until(head, '\n');
    const std::size_t at = line.find_first_not_of(" \t\r");
    if (at == std::string_view::npos || line[at] == '#') continue;
    const std::string_view key = line.substr(at, line.find('=') - at);
    return key.size() < line.size() - at &&
           key.find_first_of(" \t|,;{\"") == std::string_view::npos;
  }
  return false;
}

Cluster read_sinfo(Input& file) {
  std::vector<Node> nodes, some;
  std::vector<Partition> partitions;
  std::unordered_set<std::string> known;
  Cells names, cells;
  const auto cell = [&](std::string_view name) {
    const std::size_t place = place_of(name, names);
    return place < cells.size() ? cells[place] : std::string_view();
  };
  while (const auto line = file.line()) {
    const char separator = separator_of(*line);
    split(*line, names.empty() ? names : cells, separator);
    if (cells.empty()) continue;
    Node node;
    node.cores = number_in(file.where(), "CPUS", cell("CPUS"), kMostCores);
    if (const std::string_view memory = cell("MEMORY"); !memory.empty())
      node.bytes = kMebibyte * number_in(file.where(), "MEMORY", memory, kMostMebibytes);
    set_gres(node, file.where(), "GRES", cell("GRES"));
    some.clear();
    add_hosts(some, node, file.where(), "NODELIST", cell(kHosts));
    if (std::string_view name = cell("PARTITION"); !name.empty()) {
      Partition partition;
      partition.is_default = name.ends_with('*');
      if (partition.is_default) name.remove_suffix(1);
      partition.name = name;
      if (const std::string_view factor = cell("PRIO_JOB_FACTOR"); !factor.empty())
        partition.priority =
            std::llround(number_in(file.where(), "PRIO_JOB_FACTOR", factor, kMostJobFactor, 0));
      for (const Node& one : some) partition.hosts.push_back(one.name);
      add_partition(partitions, std::move(partition), file.where());
    }
    for (Node& one : some)
      if (known.insert(one.name).second) nodes.push_back(std::move(one));
    if (nodes.size() > static_cast<std::size_t>(kMostImportedNodes))
      refuse(file.where(), "NODELIST", cell(kHosts), "at most 100000 nodes");
  }
  if (nodes.empty()) refuse(file, "has no nodes; expected a row for each node");
  return {std::move(nodes), std::move(partitions)};
}

Cluster read_slurm_conf(Input& file) { return ConfReader(file).read(); }

std::vector<Node> by_kind(const std::vector<Node>& nodes) {
  std::map<std::tuple<double, double, double, std::string>, std::size_t> kinds;
  std::vector<std::vector<Node>> of_kind;
  for (const Node& node : nodes) {
    const auto [kind, is_new] =
        kinds.try_emplace({node.cores, node.bytes, node.gpus, node.model}, of_kind.size());
    if (is_new) of_kind.emplace_back();
    of_kind[kind->second].push_back(node);
  }
  std::vector<Node> ordered;
  for (std::vector<Node>& some : of_kind) ordered.insert(ordered.end(), some.begin(), some.end());
  return ordered;
}

void name_by_kind(std::vector<NodeSpec>& nodes) {
  constexpr std::string_view kLetters = "nmopqrstuvwxyzabcdefghijkl";
  std::size_t kind = 0;
  int number = 0;
  NodeSpec before;
  for (NodeSpec& node : nodes) {
    before.name = node.name;
    if (number > 0 && node != before) ++kind, number = 0;
    before = node;
    node.name =
        kind < kLetters.size() ? std::string(1, kLetters[kind]) : "n" + std::to_string(kind) + "-";
    node.name += std::to_string(++number);
  }
}

}  // namespace heddle::trace::slurm
