#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/base/draft.h"
#include "core/policy/scheduler/backfill/preempt.h"
#include "core/policy/scheduler/backfill/steps.h"

namespace heddle::backfill {

/// Preemption between qualities of service (QosSpec::preempt), as in Slurm's plugin preempt/qos.
///
/// Running jobs end so that a waiting one can start, or are suspended. A job that has ended does
/// not start again before the waiting one, nor before its requeue_delay is over. A suspended job
/// keeps its memory and its devices. It runs again when the waiting job has started, and all its
/// cores are free. Until then, only jobs that preempt it can use its cores.
class QosPreemption {
 public:
  explicit QosPreemption(const Scenario& scenario);

  /// Returns whether jobs preempt others.
  bool any() const { return !qos_.empty(); }
  /// Returns whether some of the jobs that can be preempted are suspended.
  bool suspends() const { return suspends_; }
  bool preempts(JobId job) const;
  bool preempts(JobId job, JobId other) const;

  /// Returns when something can change without an event: a running job may be preempted, or a
  /// preempted one may start again.
  EmuTime next() const { return std::min(preempt_at_, requeue_at_); }
  /// Returns whether a running job may be preempted now that could not before.
  bool due(EmuTime now);
  /// Returns whether suspended jobs have changed.
  bool changed(const View& view) const;
  /// Lets jobs wait again that were preempted for jobs which wait no longer. Returns whether some
  /// do.
  bool release(const Draft& draft);
  /// Lets suspended jobs run again whose cores are free, unless the jobs for which they stopped
  /// still wait. Comes after the jobs that preempt them have been started.
  void resume(Draft& draft);
  /// Returns whether the job has been preempted and may not start yet.
  bool held_back(JobId job) const { return requeued_.contains(job); }
  bool suspended(JobId job) const { return suspended_.contains(job); }
  /// Returns the cores that suspended jobs have on the node, and do not use.
  Millicores let_go(const ClusterState& cluster, NodeId node) const;

  /// A node that the waiting job may use, or not.
  struct Place {
    NodeId id;
    bool usable = true;
  };
  /// The result of make_room(). `comes`: the job can start when the preempted jobs have ended or
  /// stopped.
  struct Room {
    bool comes = false;
    std::vector<std::pair<JobId, EmuTime>> requeued;  ///< and when they may start again
  };
  /// Preempts running jobs so that all of the gang fits. Wakes the scheduler when the next running
  /// job may be preempted.
  Room make_room(const Request& gang, const std::vector<Place>& nodes, Draft& draft);

  /// Returns the running jobs that the job preempts now, and what they hold, by the index of the
  /// node. Puts the time at which the next one may be preempted into `next`.
  std::vector<Preemptible> preemptible(JobId job, const std::vector<NodeId>& nodes,
                                       const Draft& draft, std::optional<EmuTime>& next) const;
  /// Returns the suspended jobs whose cores the job may use, and those of their cores that are
  /// free.
  std::vector<Preemptible> suspended_for(JobId job, const std::vector<NodeId>& nodes,
                                         const Draft& draft) const;

 private:
  /// The job for which a preempted one has ended, and the time before which it does not start.
  struct Requeued {
    JobId by;
    EmuTime until;
  };
  struct Suspended {
    JobId by;
    bool resumes = false;  ///< it has been told to run again
  };

  const QosSpec* qos_of(JobId job) const;
  const std::string& name_of(JobId job) const;
  PreemptionNode room_on(const Place& place, JobId job, const Draft& draft, bool& comes) const;
  void preempt(JobId job, JobId by, Draft& draft, Room& room);
  /// Makes suspended jobs whose cores the job counts on wait for it.
  void claim(JobId job, const std::vector<Place>& nodes, const ClusterState& cluster);
  /// Returns whether the job has started, or will never.
  static bool waits_no_longer(JobId job, const Draft& draft);

  const Scenario& scenario_;
  std::map<std::string, const QosSpec*> qos_;  ///< by name; empty: none preempts others
  bool suspends_ = false;
  std::map<JobId, Requeued> requeued_;
  std::map<JobId, Suspended> suspended_;
  EmuTime preempt_at_ = kForever;  ///< when the next job may be preempted
  EmuTime requeue_at_ = kForever;  ///< when the next preempted job may start again
};

}  // namespace heddle::backfill
