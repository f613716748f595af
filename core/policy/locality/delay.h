#pragma once

#include <map>
#include <optional>

#include "core/model/locality.h"
#include "core/policy/base/draft.h"
#include "core/policy/base/part.h"

namespace heddle {

/// Describes delay scheduling. Every policy has this part.
extern const PartText kDelayScheduling;

/// Returns true if delay scheduling applies to Spark jobs too (`delay: spark | both`). Their
/// executors then prefer nodes.
bool delays_spark(const PolicySpec& policy);

/// Delay scheduling: a job that can't be placed near its data lets a limited number of
/// opportunities pass in the hope of a better one. The delay is set per framework and counted per
/// job; a local launch resets the count.
///
/// An opportunity is a node's heartbeat in which the job could have had a container.
class Delay {
 public:
  Delay(const ClusterSpec& cluster, const PolicySpec& policy);

  struct Patience {
    int passed = 0, of = 0;  ///< opportunities
  };
  /// Returns how many opportunities the job has let pass, and how many it lets pass at most, if it
  /// lets this one pass too; nullopt if it takes this one.
  std::optional<Patience> waits(const Request& request, NodeId node, const Draft& draft) const;
  /// Returns false if the request lets this opportunity pass. Counts that once per node and step,
  /// or once per step if any node may be used.
  bool accepts(const Request& request, NodeId node, Draft& draft);
  /// Takes in that the request is about to be launched on the node.
  void launching(const Request& request, NodeId node, const Draft& draft) {
    if (draft.locality(request, node) == Locality::kLocal) missed_.erase(request.phase.job);
  }
  /// Forgets jobs that are over. Called at the start of every step.
  void refresh(const View& view);

 private:
  struct Missed {
    int opportunities = 0;
    NodeId last;     ///< node of the last opportunity
    EmuTime at{-1};  ///< time of the last opportunity
  };

  /// Returns true if the opportunity was counted already.
  static bool counted(const Missed& missed, NodeId node, const Draft& draft) {
    return missed.at == draft.view().now && (missed.last == node || draft.view().anywhere);
  }

  const ClusterSpec& cluster_;
  bool mapreduce_, spark_;
  int node_delay_, rack_delay_;
  std::map<JobId, Missed> missed_;
  EmuTime wake_{-1};  ///< time of the last wake asked for
};

}  // namespace heddle
