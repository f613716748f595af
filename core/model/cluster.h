#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/units.h"
#include "core/model/resources.h"

namespace heddle {

enum class Dispatch { kHeartbeat, kImmediate };

struct NodeSpec {
  std::string name;
  Resources capacity;
  Resources allowance;  ///< resources for tasks; at most `capacity` without overcommit
  Resources system;     ///< used by the node's operating system
  double speed = 1.0;
  std::string rack = "default";
  double disk_bytes_per_s = 200e6;
  double network_bits_per_s = 1e9;  ///< in each direction
  std::string host = {};            ///< the machine that emulates this node; "": any machine
  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

struct ClusterSpec {
  EmuTime heartbeat = emu_seconds(1);
  Dispatch dispatch = Dispatch::kHeartbeat;
  EmuTime node_timeout = emu_seconds(10);
  Resources unit{Millicores(1000), EmuBytes(1LL << 30)};
  /// How much longer than its walltime a job may take; nullopt: nothing. resolve() and
  /// resolve_simulated() set it if a job has a walltime.
  std::optional<EmuTime> walltime_grace = {};
  CountNames resources = {};    ///< what nodes have beside cores and memory
  bool normalise = false;       ///< the reader has rounded requests up to whole units
  bool overcommit = false;      ///< allowances can exceed capacities
  std::vector<NodeSpec> nodes;  ///< indexed by NodeId; `count` is expanded
  /// Returns the time in each heartbeat period at which the node's heartbeat is due. The heartbeats
  /// of all nodes are spread evenly over the period, in the order of the ids. Therefore the order
  /// in which workers start does not change a run, and heartbeats do not all arrive at once.
  EmuTime beat_offset(NodeId node) const;
  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;
};

}  // namespace heddle
