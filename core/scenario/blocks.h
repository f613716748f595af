#pragma once

#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// Returns the size of a task's share of its phase, divided by the size of an even share. Returns 1
/// without skew. REQUIRES: 0 <= index < tasks.
double skew_factor(const Skew& skew, int tasks, int index);

/// A range of a map's output.
struct Share {
  EmuBytes offset;
  EmuBytes size;
  friend bool operator==(const Share&, const Share&) = default;
};

/// Returns the range of a map's output that the reduces `first` … `first` + `count` - 1 read. The
/// phase has `tasks` reduces, and the output has `total` bytes. The ranges of all reduces follow
/// one another and cover the output exactly. Their sizes are proportional to the skew factors of
/// the reduces. A range can be empty. REQUIRES: 0 <= first, 1 <= count, first + count <= tasks.
Share partition(EmuBytes total, const Skew& skew, int tasks, int first, int count = 1);

/// Returns the name of an input block. The top bit of the name is 0. In names of outputs it is 1.
/// `task` is the task that reads the block. In `task`, phases are counted as for draws, where an
/// application master is not a phase.
std::uint64_t block_object(std::uint64_t seed, TaskId task);

/// Returns the nodes that hold a block. Places the block as HDFS places data that is written from
/// outside the cluster. The first node is any node. The second node is on another rack if there is
/// another rack. The third node is on the rack of the second node. Further nodes are any nodes. All
/// nodes are distinct. The cost does not grow with the cluster. Therefore, in a cluster of more
/// than 1024 nodes, a second rack with only a few nodes can be overlooked. The result depends only
/// on the arguments.
std::vector<NodeId> place_block(const ClusterSpec& cluster, int replicas, std::uint64_t key);

/// Returns the other nodes that get a copy of a file when `writer` writes it. The file then has
/// `replicas` copies in total. The rule is the rule of place_block() with the writer as the first
/// node.
std::vector<NodeId> place_copies(const ClusterSpec& cluster, NodeId writer, int replicas,
                                 std::uint64_t key);

}  // namespace heddle
