#pragma once

#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// Returns a task's share of its phase relative to an even share; 1 without skew.
/// REQUIRES: 0 <= index < tasks.
double skew_factor(const Skew& skew, int tasks, int index);

/// A range of a map's output.
struct Share {
  EmuBytes offset;
  EmuBytes size;
  friend bool operator==(const Share&, const Share&) = default;
};

/// Returns the range of the reduces `first` … `first` + `count` - 1, out of `tasks`, in a map's
/// output of `total` bytes. The ranges of all reduces follow one another, are proportional to their
/// skew factors, and add up to exactly `total`. A range may be empty. REQUIRES: 0 <= first, 1 <=
/// count, first + count <= tasks.
Share partition(EmuBytes total, const Skew& skew, int tasks, int first, int count = 1);

/// Returns the name of an input block. Its top bit is clear; names of outputs have it set. `task`
/// is the task's place as draws count it: an application master in front does not count as a phase.
std::uint64_t block_object(std::uint64_t seed, TaskId task);

/// Returns the nodes that hold a block, placed as HDFS places data that is written from outside the
/// cluster. The first node is any node, the second is on another rack if there is one, the third is
/// on the second's rack, and further ones are any nodes; all are distinct. The cost does not grow
/// with the cluster. So in a cluster of more than 1024 nodes, a second rack with only a few nodes
/// may be overlooked. A pure function of cluster and key.
std::vector<NodeId> place_block(const ClusterSpec& cluster, int replicas, std::uint64_t key);

/// Returns the other nodes that get a copy of a file with `replicas` when `writer` writes it. The
/// rule is the same, with the writer as the first node.
std::vector<NodeId> place_copies(const ClusterSpec& cluster, NodeId writer, int replicas,
                                 std::uint64_t key);

}  // namespace heddle
