#pragma once

#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// How much of its phase's even part a task has: 1 for all without skew. REQUIRES: 0 <= index <
/// tasks.
double skew_factor(const Skew& skew, int tasks, int index);

/// A stretch of what was handed over.
struct Share {
  EmuBytes offset;
  EmuBytes size;
  friend bool operator==(const Share&, const Share&) = default;
};

/// The part of the reduces `first` … `first` + `count` - 1, of `tasks`, in a map's output of
/// `total` bytes: one after the other, in proportion to their skew factors, all together exactly
/// `total`. A part may be empty. REQUIRES: 0 <= first, 1 <= count, first + count <= tasks.
Share partition(EmuBytes total, const Skew& skew, int tasks, int first, int count = 1);

/// The name of a block of input; its top bit is clear (those of outputs have it set). `task` is its
/// place as draws count it: an application master in front is no phase.
std::uint64_t block_object(std::uint64_t seed, TaskId task);

/// The nodes that hold a block, as HDFS places what is written from outside of the cluster: the
/// first anywhere, the second on another rack if there is one, the third on the second's rack,
/// further ones anywhere; no two on one node. Costs do not grow with the cluster, so of more than
/// 1024 nodes another rack that has only a few of them may be overlooked. A pure function of
/// cluster and key.
std::vector<NodeId> place_block(const ClusterSpec& cluster, int replicas, std::uint64_t key);

/// The other nodes that a file with `replicas` goes to when `writer` writes it: by the same rule,
/// the first being the writer.
std::vector<NodeId> place_copies(const ClusterSpec& cluster, NodeId writer, int replicas,
                                 std::uint64_t key);

}  // namespace heddle
