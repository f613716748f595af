#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/base/draft.h"

namespace heddle {

/// A reduce on a node, and what the node gets back when it ends.
struct HeldByReduce {
  ContainerId id;
  Resources held;     ///< of a suspended reduce the memory alone: its cores are free already
  EmuTime remaining;  ///< predicted remaining time
  std::int64_t predicted_in = 0;  ///< the step of that prediction
};

/// The load of one node, as executor placement looks at it.
struct NodeLoad {
  bool open = false;    ///< alive, and nobody holds it
  Resources allowance;  ///< what the node has when nothing runs there
  Resources free;
  Resources maps;     ///< held by maps (R_map)
  Resources masters;  ///< held by application masters, which stay as long as their jobs
  std::vector<HeldByReduce> reduces;    ///< R_reduce, one by one, by container
  std::map<JobId, int> executors = {};  ///< number of executors by job
};
/// Returns how many of the job's executors are on the node.
int executors_of(const NodeLoad& node, JobId job);
/// Loads by node id.
using NodeLoads = std::vector<NodeLoad>;

/// Rules for choosing a node: ties go to the lower node id; "more" and "most" mean the larger share
/// of the cluster, `total`, of whichever resource there is less of (max-min).

/// The way in which a node could come to hold an executor.
struct Prospect {
  /// 1: the room is free; 2: it will be when maps have ended; 3: when some reduces have ended too.
  int step = 1;
  double room = 0;     ///< step 1: share of the cluster that is free; step 2: free or held by maps
  double missing = 0;  ///< share of the request not free yet; the larger of cores and memory
  int reduces = 0;     ///< step 3: how many reduces have to end
  EmuTime wait;        ///< step 3: predicted time until the last of them ends
};

/// Returns how the node could get room for the executor. Returns nullopt if the executor does not
/// fit even after all maps and reduces on the node have ended. Executors and application masters
/// are assumed to stay. REQUIRES: `node.reduces` are sorted by remaining time, ascending, and then
/// by container. Source: Cheng et al., "Cross-platform Resource
/// Scheduling for Spark and MapReduce on YARN", IEEE TC 2017, Algorithms 1 and 2, for one node.
std::optional<Prospect> prospect(const NodeLoad& node, const Resources& wanted,
                                 const Resources& total);
/// Returns true if Algorithm 1 chooses a before b: the lower step, then more room (steps 1, 2) or
/// the shorter wait (step 3).
bool goes_before(const Prospect& a, const Prospect& b);
/// Returns true if a reservation is to move from `now` to `other`. `other` is better if its step is
/// lower (no reduces have to end), or if by more than `margin` (0..1) less is missing (step 2:
/// share of the request) or the wait is shorter (step 3: share of the wait). Room does not count in
/// step 2: a node where more could come free is not one where it comes free sooner.
bool better_by(double margin, const Prospect& now, const Prospect& other);

/// The node that Algorithms 1 and 2 choose among the open ones of `candidates`, which are
/// ascending, and its prospect.
struct Chosen {
  NodeId node;
  Prospect prospect;
};
std::optional<Chosen> choose(const NodeLoads& nodes, const std::vector<NodeId>& candidates,
                             const Resources& wanted, const Resources& total);

/// Returns the open node of `candidates`, which are ascending, with the fewest (`spread`; else the
/// most) executors of the job; on a tie, the one with the most free. The node has to have room for
/// the executor or, with `to_hold`, would have it if only application masters stayed. Source:
/// Spark's Master.scheduleExecutorsOnWorkers (spark.deploy.spreadOut), with executors placed one by
/// one.
std::optional<NodeId> choose_by_spread(const NodeLoads& nodes,
                                       const std::vector<NodeId>& candidates, JobId job,
                                       const Resources& wanted, const Resources& total, bool spread,
                                       bool to_hold);

/// Returns what is wanted and not free, of each resource at least 0.
Resources missing(const Resources& wanted, const Resources& free);
/// Returns text such as "2 cores and 3GiB".
std::string in_words(const Resources& amount);

}  // namespace heddle
