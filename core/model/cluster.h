#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/units.h"
#include "core/model/labels.h"
#include "core/model/resources.h"

namespace heddle {

enum class Dispatch { kHeartbeat, kImmediate };
/// If the empty cluster can't hold a job, the scenario is refused, or the job is cancelled when it
/// is submitted.
enum class UnfitJobs { kRefuse, kCancel };

struct NodeSpec {
  std::string name;
  Resources capacity;
  Resources allowance = {};  ///< resources for tasks; at most `capacity` without overcommit
  Resources system = {};     ///< used by the node's operating system
  double speed = 1.0;
  std::string rack = "default";
  double disk_bytes_per_s = 200e6;
  double network_bits_per_s = 1e9;  ///< in each direction
  std::string host = {};            ///< the machine that emulates this node; "": any machine
  Labels labels = {};
  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

/// Completes the amounts of a node that were read as totals. If a resource has devices, the amount
/// becomes that many devices. If the cluster has a resource as a whole, each node has all of it,
/// because no node limits it. REQUIRES: amounts of devices are whole.
Resources on_node(Resources amounts, const CountNames& counted);
/// Returns what the cluster has as a whole, beside its nodes.
Resources cluster_wide(const CountNames& counted);
/// Returns the amounts without those of devices and without what the cluster has as a whole, for
/// sums over nodes.
Resources addable(const Resources& of_node, const CountNames& counted);
/// Returns whether some of these resources belong to the cluster as a whole.
bool any_cluster_wide(const CountNames& counted);

struct ClusterSpec {
  EmuTime heartbeat = emu_seconds(1);
  Dispatch dispatch = Dispatch::kHeartbeat;
  EmuTime node_timeout = emu_seconds(10);
  Resources unit{Millicores(1000), EmuBytes(1LL << 30)};
  /// How much longer than its walltime a job may take; nullopt: nothing. resolve() and
  /// resolve_simulated() set it if a job has a walltime.
  std::optional<EmuTime> walltime_grace = {};
  UnfitJobs unfit_jobs = UnfitJobs::kRefuse;
  CountNames resources = {};    ///< what nodes have beside cores and memory
  bool normalise = false;       ///< the reader has rounded requests up to whole units
  bool overcommit = false;      ///< allowances can exceed capacities
  std::vector<NodeSpec> nodes;  ///< indexed by NodeId; `count` is expanded
  /// Returns the time in each heartbeat period at which the node's heartbeat is due. The heartbeats
  /// of all nodes are spread evenly over the period, in the order of the ids. Therefore the order
  /// in which workers start does not change a run, and heartbeats do not all arrive at once.
  EmuTime beat_offset(NodeId node) const;
  /// Return what all nodes have together, and what the cluster has as a whole.
  Resources capacity() const { return sum(&NodeSpec::capacity); }
  Resources allowance() const { return sum(&NodeSpec::allowance); }
  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;

 private:
  Resources sum(Resources NodeSpec::*of_node) const;
};

}  // namespace heddle
