#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/cluster.h"
#include "trace/import/input.h"
#include "trace/import/slurm_rules.h"

namespace heddle::trace::slurm {

/// A node of a cluster, as Slurm describes it.
struct Node {
  std::string name;
  double cores = 1;
  double bytes = 0;  ///< memory; 0: unknown
  double gpus = 0;
  std::string model = {};  ///< of the GPUs; "": unknown, or several
};

/// A partition of a cluster, as Slurm describes it.
struct Partition {
  std::string name;
  std::vector<std::string> hosts = {};  ///< names of nodes; empty: all
  std::int64_t priority = 1;            ///< PriorityJobFactor
  bool is_default = false;
};
struct Cluster {
  std::vector<Node> nodes;
  std::vector<Partition> partitions = {};
  double cred_expire = 120;  ///< seconds, of AuthInfo
  Rules rules = {};
};

/// Returns whether the beginning of a file is output of sinfo that names nodes and their CPUs, or a
/// slurm.conf.
bool is_sinfo(std::string_view head);
bool is_slurm_conf(std::string_view head);

/// Reads the nodes of output of sinfo, and the partitions if it has them. Throws BadTrace with the
/// place.
Cluster read_sinfo(Input& file);
/// Reads the nodes of the NodeName lines of a slurm.conf, without those in the state FUTURE, and
/// the partitions of the PartitionName lines, cred_expire, and the rules of scheduling. Throws
/// BadTrace with the place.
Cluster read_slurm_conf(Input& file);

/// Moves equal nodes together. The kinds stay in the order of their first nodes.
std::vector<Node> by_kind(const std::vector<Node>& nodes);
/// Names adjacent nodes that are equal but for their names n1, n2, …, those of the next kind m1,
/// m2, … and so on, so that each kind becomes one entry of the scenario.
void name_by_kind(std::vector<NodeSpec>& nodes);

}  // namespace heddle::trace::slurm
