#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/base/draft.h"

namespace heddle {

/// A reduce on a node, and the resources that become free when the reduce ends.
struct HeldByReduce {
  ContainerId id;
  Resources held;     ///< for a suspended reduce, only its memory; its cores are free already
  EmuTime remaining;  ///< predicted remaining time
  std::int64_t predicted_in = 0;  ///< number of the step in which `remaining` was predicted
};

/// The load of one node, for the placement of executors.
struct NodeLoad {
  bool open = false;    ///< the node is alive and not reserved
  Resources allowance;  ///< free resources of the node when nothing runs there
  Resources free;
  Resources maps;     ///< held by maps (R_map)
  Resources masters;  ///< held by application masters, which stay until their jobs are complete
  std::vector<HeldByReduce> reduces;    ///< one entry for each reduce; together they are R_reduce
  std::map<JobId, int> executors = {};  ///< number of executors by job
};
/// Returns how many of the job's executors are on the node.
int executors_of(const NodeLoad& node, JobId job);
/// Loads by node id.
using NodeLoads = std::vector<NodeLoad>;

/// The functions below choose nodes by these rules. On a tie, the lower node id is chosen. "More"
/// and "most" compare shares of the cluster (`total`): of cores and memory, the smaller share
/// counts (max-min).

/// Says what has to end before a node has room for an executor.
struct Prospect {
  /// 1: the node has room now. 2: it has room after maps have ended. 3: it has room after maps and
  /// some reduces have ended.
  int step = 1;
  /// Share of the cluster. Step 1: what is free on the node. Step 2: what is free or held by maps.
  double room = 0;
  double missing = 0;  ///< share of the request that is not free; the larger of cores and memory
  int reduces = 0;     ///< step 3: number of reduces that have to end
  EmuTime wait;        ///< step 3: predicted time until the last of these reduces ends
};

/// Returns how the node could get room for the executor. Returns nullopt if the executor does not
/// fit even after all maps and reduces on the node have ended. Executors and application masters
/// are assumed to stay. REQUIRES: `node.reduces` are sorted by remaining time, ascending, and then
/// by container. Source: Cheng et al., "Cross-platform Resource Scheduling for Spark and MapReduce
/// on YARN", IEEE TC 2017, Algorithms 1 and 2, for one node.
std::optional<Prospect> prospect(const NodeLoad& node, const Resources& wanted,
                                 const Resources& total);
/// Returns true if Algorithm 1 prefers `a` to `b`. The lower step is preferred. In steps 1 and 2,
/// more room is preferred. In step 3, the shorter wait is preferred.
bool goes_before(const Prospect& a, const Prospect& b);
/// Returns true if a reservation should move from `now` to `other`. This is so in these cases:
/// - The step of `other` is lower.
/// - Both are in step 2, and the share of the request that is missing is smaller by more than
///   `margin` (0..1).
/// - Both are in step 3, and the wait is shorter by more than `margin` of the wait of `now`.
///
/// In step 2, the room does not count: a node where more can become free does not get room sooner.
bool better_by(double margin, const Prospect& now, const Prospect& other);

/// The node that Algorithms 1 and 2 choose, and its prospect. choose() considers the open nodes of
/// `candidates`, which must be ascending.
struct Chosen {
  NodeId node;
  Prospect prospect;
};
std::optional<Chosen> choose(const NodeLoads& nodes, const std::vector<NodeId>& candidates,
                             const Resources& wanted, const Resources& total);

/// Returns the open node of `candidates` that has the fewest executors of the job or, if `spread`
/// is false, the most. On a tie, returns the node with the most free. Considers only nodes with
/// room for the executor. With `to_hold`, considers nodes that would have room if only application
/// masters stayed. `candidates` must be ascending. Source: Spark's
/// Master.scheduleExecutorsOnWorkers (spark.deploy.spreadOut), with executors placed one by one.
std::optional<NodeId> choose_by_spread(const NodeLoads& nodes,
                                       const std::vector<NodeId>& candidates, JobId job,
                                       const Resources& wanted, const Resources& total, bool spread,
                                       bool to_hold);

/// Returns `wanted` minus `free`, but at least 0 for each resource.
Resources missing(const Resources& wanted, const Resources& free);

}  // namespace heddle
