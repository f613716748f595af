#pragma once

#include <map>
#include <optional>

#include "core/model/locality.h"
#include "core/policy/base/draft.h"
#include "core/policy/base/part.h"

namespace heddle {

/// Describes delay scheduling. Every policy has this part.
extern const PartText kDelayScheduling;

/// Returns true if delay scheduling also applies to Spark jobs (`delay: spark | both`). In this
/// case, their executors prefer nodes.
bool delays_spark(const PolicySpec& policy);

/// The farthest distance to its data that a job accepts, and since when it waits there.
struct LocalityWait {
  Locality level = Locality::kLocal;
  EmuTime since;
  friend bool operator==(const LocalityWait&, const LocalityWait&) = default;
};
/// Returns the wait at the time `now`. After each `delay` without a launch, the job accepts the
/// next distance (Spark's TaskSetManager.getAllowedLocalityLevel).
LocalityWait relaxed(LocalityWait wait, EmuTime delay, EmuTime now);

/// Delay scheduling. A job that cannot be placed near its data lets a limited number of
/// opportunities pass, because a better node can report soon. The limit is set for each framework.
/// The opportunities are counted for each job, and a launch on a node with the data resets the
/// count, unless `delay_reset` is never.
///
/// An opportunity is a heartbeat of a node on which the job could have been placed.
///
/// With `delay_time`, time counts in place of opportunities (relaxed()).
class Delay {
 public:
  Delay(const ClusterSpec& cluster, const PolicySpec& policy);

  /// Returns true if some jobs wait for better nodes.
  bool active() const { return mapreduce_ || spark_; }
  /// Returns true if jobs wait for a time, not for a number of opportunities.
  bool takes_time() const { return active() && time_; }
  /// Returns nullopt if the job accepts the node. Otherwise, the job lets this opportunity pass.
  std::optional<obstacle::LocalityDelay> waits(const Request& request, NodeId node,
                                               const Draft& draft) const;
  /// Counts the opportunity that the request lets pass, once per node and step. If any node can be
  /// used, it is counted once per step. REQUIRES: waits().
  void let_pass(const Request& request, NodeId node, Draft& draft);
  /// Takes in that the request is about to be launched on the node.
  void launching(const Request& request, NodeId node, const Draft& draft);
  /// Forgets jobs that are over, and starts the time of jobs that request something. Called at the
  /// start of every step.
  void refresh(const View& view);

 private:
  struct Missed {
    int opportunities = 0;
    NodeId last;     ///< node of the last opportunity
    EmuTime at{-1};  ///< time of the last opportunity
  };

  bool delays(const JobSpec& job) const {
    return job.framework == Framework::kSpark ? spark_ : mapreduce_;
  }
  std::optional<obstacle::LocalityDelay> waits_for_time(const Request& request, NodeId node,
                                                        Locality level, EmuTime now) const;
  /// Asks for a step at that time, because no report need come then.
  void wake_at(EmuTime at, const char* reason, Draft& draft);
  /// Returns true if the opportunity was counted already.
  static bool counted(const Missed& missed, NodeId node, const Draft& draft) {
    return missed.at == draft.view().now && (missed.last == node || draft.view().anywhere);
  }

  const ClusterSpec& cluster_;
  bool mapreduce_, spark_;
  int node_delay_, rack_delay_;
  std::optional<EmuTime> time_;  ///< nullopt: opportunities are counted
  bool resets_;                  ///< false if each job waits only once
  std::map<JobId, Missed> missed_;
  std::map<JobId, LocalityWait> waits_;  ///< only if there is a `time_`
  EmuTime wake_{-1};                     ///< time of the last wake that was requested
};

}  // namespace heddle
