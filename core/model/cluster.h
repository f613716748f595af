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
  Resources allowance;  ///< what may be handed to tasks; at most capacity unless overcommit is on
  Resources system;     ///< what its operating system uses
  double speed = 1.0;
  std::string rack = "default";
  double disk_bytes_per_s = 200e6;
  double network_bits_per_s = 1e9;  ///< each way
  std::string host = {};            ///< the machine that is to play it; "": any
  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

struct ClusterSpec {
  EmuTime heartbeat = emu_seconds(1);
  Dispatch dispatch = Dispatch::kHeartbeat;
  EmuTime node_timeout = emu_seconds(10);
  Resources unit{Millicores(1000), EmuBytes(1LL << 30)};
  bool normalise = false;       ///< requests are already rounded up to whole units
  bool overcommit = false;      ///< allowances may exceed capacities
  std::vector<NodeSpec> nodes;  ///< index is the NodeId; counts expanded
  /// When in each period a node's heartbeat is due. They are spread evenly, by id, so that runs
  /// don't differ by who came first, and no moment has them all.
  EmuTime beat_offset(NodeId node) const;
  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;
};

}  // namespace heddle
