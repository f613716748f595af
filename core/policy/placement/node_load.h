#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/base/draft.h"

namespace heddle {

/// A reduce on a node and what of the node it gives back when it ends.
struct HeldByReduce {
  ContainerId id;
  Resources held;     ///< of a suspended one the memory alone: its cores are free already
  EmuTime remaining;  ///< predicted …
  std::int64_t predicted_in = 0;  ///< … in that step
};

/// What executor placement goes by of one node.
struct NodeLoad {
  bool open = false;    ///< alive, and nobody holds it
  Resources allowance;  ///< what it has when nothing runs there
  Resources free;
  Resources maps;     ///< held by maps (R_map)
  Resources masters;  ///< held by application masters, who stay as long as their jobs
  std::vector<HeldByReduce> reduces;    ///< R_reduce, one by one, by container
  std::map<JobId, int> executors = {};  ///< of each job
};
/// The job's that are there.
int executors_of(const NodeLoad& node, JobId job);
/// By node.
using NodeLoads = std::vector<NodeLoad>;

/// Which node: its number, or nullopt. All of them: ties go to the lower number; "more" and "most"
/// mean the larger share of the cluster, `total`, of whichever resource there is less of (max-min).

/// How a node could come to hold an executor.
struct Prospect {
  /// 1: it is free; 2: it will be when maps have ended; 3: when some reduces have ended too.
  int step = 1;
  double room = 0;  ///< 1: share of the cluster that is free; 2: free or held by maps
  double missing =
      0;            ///< share of the request that is not free yet, of the resource of which more is
  int reduces = 0;  ///< 3: that many have to end …
  EmuTime wait;     ///< … the last of them, as predicted, after that time
};

/// Source: Cheng et al., "Cross-platform Resource Scheduling for Spark and MapReduce on YARN", IEEE
/// TC 2017, Algorithms 1 and 2, for one node; executors and application masters there don't count.
/// REQUIRES: reduces by remaining time ascending, then by container. nullopt: it could not hold it,
/// whatever of maps and reduces has ended.
std::optional<Prospect> prospect(const NodeLoad& node, const Resources& wanted,
                                 const Resources& total);
/// Algorithm 1 chooses a before b: the lower step, then more room (1, 2) or the shorter wait (3).
bool goes_before(const Prospect& a, const Prospect& b);
/// A reservation is to move from one to the other: the lower step (a node that needs no reduces to
/// end), or by more than `margin` (0..1) less is missing (2: as a share of the request) or the wait
/// shorter (3: as a share of the wait). Steps 2 don't compare by room: where more could come free
/// isn't where it comes free sooner.
bool better_by(double margin, const Prospect& now, const Prospect& other);

/// The node, and its prospect, that Algorithm 1 (and 2) chooses among the open ones of
/// `candidates`, which are ascending.
struct Chosen {
  NodeId node;
  Prospect prospect;
};
std::optional<Chosen> choose(const NodeLoads& nodes, const std::vector<NodeId>& candidates,
                             const Resources& wanted, const Resources& total);

/// Source: Spark's Master.scheduleExecutorsOnWorkers (spark.deploy.spreadOut), executors being
/// placed one by one. Of the open nodes among `candidates`, which are ascending, that have room for
/// it, or, `to_hold`, would have without all but application masters, the one with the fewest
/// (`spread`; else the most) executors of the job; of these the one with the most free.
std::optional<NodeId> choose_by_spread(const NodeLoads& nodes,
                                       const std::vector<NodeId>& candidates, JobId job,
                                       const Resources& wanted, const Resources& total, bool spread,
                                       bool to_hold);

/// What is wanted and not free; nothing is below 0.
Resources missing(const Resources& wanted, const Resources& free);
/// "2 cores and 3GiB".
std::string in_words(const Resources& amount);

}  // namespace heddle
