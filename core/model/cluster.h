#pragma once

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
  Resources allowance;  ///< resources available to tasks; at most capacity unless overcommit is on
  Resources system;     ///< used by the node's operating system
  double speed = 1.0;
  std::string rack = "default";
  double disk_bytes_per_s = 200e6;
  double network_bits_per_s = 1e9;  ///< in each direction
  std::string host = {};            ///< the machine that plays this node; "": any machine
  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

struct ClusterSpec {
  EmuTime heartbeat = emu_seconds(1);
  Dispatch dispatch = Dispatch::kHeartbeat;
  EmuTime node_timeout = emu_seconds(10);
  Resources unit{Millicores(1000), EmuBytes(1LL << 30)};
  bool normalise = false;       ///< the reader has rounded requests up to whole units
  bool overcommit = false;      ///< allowances may exceed capacities
  std::vector<NodeSpec> nodes;  ///< indexed by NodeId; counts expanded
  /// Returns when in each period a node's heartbeat is due. Heartbeats are spread evenly, by id. So
  /// runs don't differ by the order in which workers start, and heartbeats never arrive all at
  /// once.
  EmuTime beat_offset(NodeId node) const;
  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;
};

}  // namespace heddle
