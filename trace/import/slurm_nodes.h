#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/cluster.h"
#include "trace/import/input.h"

namespace heddle::trace::slurm {

/// A node of a cluster, as Slurm describes it.
struct Node {
  std::string name;
  double cores = 1;
  double bytes = 0;  ///< memory; 0: unknown
  double gpus = 0;
  std::string model = {};  ///< of the GPUs; "": unknown, or several
};

/// Returns whether the beginning of a file is output of sinfo that names nodes and their CPUs, or a
/// slurm.conf.
bool is_sinfo(std::string_view head);
bool is_slurm_conf(std::string_view head);

/// Reads the nodes of output of sinfo. Nodes that occur again, for another partition, are ignored.
/// Throws BadTrace with the place.
std::vector<Node> read_sinfo(Input& file);
/// Reads the nodes of the NodeName lines of a slurm.conf, without those in the state FUTURE. Throws
/// BadTrace with the place.
std::vector<Node> read_slurm_conf(Input& file);

/// Moves equal nodes together. The kinds stay in the order of their first nodes.
std::vector<Node> by_kind(const std::vector<Node>& nodes);
/// Names adjacent nodes that are equal but for their names n1, n2, …, those of the next kind m1,
/// m2, … and so on, so that each kind becomes one entry of the scenario.
void name_by_kind(std::vector<NodeSpec>& nodes);

}  // namespace heddle::trace::slurm
