#pragma once

#include <map>
#include <optional>

#include "core/model/locality.h"
#include "core/policy/base/draft.h"
#include "core/policy/base/part.h"

namespace heddle {

/// Every policy has it.
extern const PartText kDelayScheduling;

/// Delay scheduling is for Spark's jobs too (`delay: spark | both`): their executors prefer nodes.
bool delays_spark(const PolicySpec& policy);

/// Delay scheduling: a job that can't be placed near its data lets an opportunity pass, up to a
/// number, in the hope of a better one. Per framework; counted per job; a local launch begins the
/// count anew.
///
/// An opportunity is a node's heartbeat in which the job could have had a container.
class Delay {
 public:
  Delay(const ClusterSpec& cluster, const PolicySpec& policy);

  struct Patience {
    int passed = 0, of = 0;  ///< opportunities
  };
  /// How many it has let pass of those it would, if it lets this one pass too; nullopt: it takes
  /// it.
  std::optional<Patience> waits(const Request& request, NodeId node, const Draft& draft) const;
  /// False: the request lets this opportunity pass, which is counted (once a node and step;
  /// once a step where any node may have it).
  bool accepts(const Request& request, NodeId node, Draft& draft);
  /// It is about to be launched there.
  void launching(const Request& request, NodeId node, const Draft& draft) {
    if (draft.locality(request, node) == Locality::kLocal) missed_.erase(request.phase.job);
  }
  /// Forgets jobs that are over. Call at the start of every step.
  void refresh(const View& view);

 private:
  struct Missed {
    int opportunities = 0;
    NodeId last;     ///< the last one was there …
    EmuTime at{-1};  ///< … and then
  };

  /// The opportunity was counted already.
  static bool counted(const Missed& missed, NodeId node, const Draft& draft) {
    return missed.at == draft.view().now && (missed.last == node || draft.view().anywhere);
  }

  const ClusterSpec& cluster_;
  bool mapreduce_, spark_;
  int node_delay_, rack_delay_;
  std::map<JobId, Missed> missed_;
  EmuTime wake_{-1};  ///< the last one asked for
};

}  // namespace heddle
