#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "core/policy/base/request_order.h"
#include "core/policy/scheduler/backfill/estimates.h"
#include "core/policy/scheduler/backfill/plan.h"
#include "core/policy/scheduler/backfill/preempt.h"
#include "core/policy/scheduler/backfill/side_room.h"
#include "core/policy/scheduler/job_order.h"
#include "core/policy/scheduler/priorities.h"

namespace heddle {

enum class Backfill { kCount, kMachines, kNodes };
extern const WordOption<Backfill> kBackfill;
extern const WordOption<JobOrder> kBackfillOrder;
extern const SecondsOption kBackfillResolution;
extern const AutoCountOption kReserveDepth;  ///< of easy

/// Backfilling over expected run times, for rigid jobs (JobSpec::rigid). It decides once per
/// instant, after all ends and submissions of that instant. The order of waiting jobs is the option
/// `order`; their own priority counts only in the order `priority`. The loop launches a failed task
/// again on its own, as soon as the task fits a node.
///
/// The derived class decides, in pass(), which waiting jobs start now and what is kept for others.
class Backfilling : public Scheduler {
 public:
  explicit Backfilling(const Scenario& scenario);

  void refresh(Draft& draft) override;

  void in_order(const Round& round, const Visit& visit) override;
  void launched(const Draft& draft, const Request& request) override;

  std::vector<const Request*> place_gangs(Draft& draft, const GangPlaces& places) override;

  std::optional<Refusal> gate(const Draft& draft, const Request& request) const override;

  std::optional<JobPriority> priority_of(JobId job) const override {
    return priorities_ ? priorities_->of(job) : std::nullopt;
  }

  /// A step leaves news for the next one if the ends of killed containers are still to come.
  EmuTime passes_until() const override {
    if (news_.any) return EmuTime(0);
    const EmuTime next = std::min({recheck_, preempt_at_, requeue_at_, site_changes_});
    return priorities_ ? std::min(next, priorities_->next()) : next;
  }

 protected:
  /// A job that waits, as the plan sees it.
  struct InLine {
    const Request* request;
    backfill::Waiting needs;

    JobId id() const { return request->phase.job; }
  };
  /// The state of the cluster, as a plan sees it. Indices of the plan's nodes are those of `nodes`.
  struct Picture {
    EmuTime now;
    std::vector<NodeId> nodes;
    Resources total;  ///< of these nodes when they are empty, and of the cluster as a whole
    backfill::Plan plan;
    std::vector<InLine> line;  ///< the waiting jobs, by the option `order`
  };
  /// Changes since the last pass.
  struct News {
    bool any = false;
    bool ended = false;  ///< a job, or a reservation of the site, has ended
    bool nodes = false;  ///< nodes have come or gone
    std::optional<JobId> first_ended;
  };

  /// Decides which jobs start now, and calls start() with each. Books what it keeps for others in
  /// its own state.
  virtual void pass(Picture& picture, const News& news, Draft& draft) = 0;
  /// Starts a job. `backfilled`: another job before it waits on.
  void start(const InLine& job, const backfill::Booking& booking, bool backfilled,
             const Picture& picture);
  /// Returns whether limits let the job start. A job that they do not let start gets no
  /// reservation.
  bool may_start(const InLine& job) const {
    return !placing_->may_start || placing_->may_start(job.id());
  }
  /// Returns what the last pass means for a job that waits.
  virtual obstacle::Backfill prospects(const Draft& draft, JobId job) const = 0;

  /// A reservation of a job that waits, for make_room(). Without nodes, it may need any.
  struct Booked {
    EmuTime start;
    std::vector<std::size_t> nodes;
  };
  /// Ends running jobs so that the job can start, if its quality of service preempts theirs. Nodes
  /// that one of `booked` takes before the job would end are not used. Wakes the scheduler when the
  /// next running job may end. Returns true if the job can start when killed containers have ended.
  bool make_room(const InLine& job, std::span<const Booked> booked, const Picture& picture,
                 Draft& draft);

  bool preempts(const InLine& job) const {
    const QosSpec* qos = qos_of(job.id());
    return qos && !qos->preempt.empty();
  }
  /// Returns the earliest start in the plan if all running jobs that the job's quality of service
  /// preempts ended now, as Slurm plans it. REQUIRES: it preempts some.
  std::optional<backfill::Booking> earliest_by_preemption(const InLine& job, const Picture& picture,
                                                          const Draft& draft) const;

  /// Sorts the jobs by the option backfill_order.
  void sort_others(std::span<InLine> jobs, const Draft& draft) const;
  bool same_order() const { return others_by_ == first_by_; }

  Picture look(const Draft& draft) const;

  /// Begins a pass for `beside`: what jobs took that have ended is given back.
  static void begin(backfill::SideRoom& beside, const Picture& picture, const Draft& draft) {
    beside.begin(picture.total,
                 [&](JobId job) { return draft.view().cluster.job(job).finished(); });
  }

 private:
  /// Returns the job's gang that waits. Returns nullptr if there is none.
  static const Request* gang_of(const ClusterState& cluster, JobId job);
  /// Returns what a gang that waits needs.
  backfill::Waiting needs_of(const Request& gang, const Draft& draft) const;

  /// Collects what a pass must know. What a pass has started is no news, because a second pass at
  /// the same time could differ: another job would be first.
  void take_news(const View& view);

  /// Returns true if a job has just been killed. The ends of its containers follow at the same
  /// time, and the pass is made then.
  static bool clearing(const View& view);

  EmuTime rounded(EmuTime time) const;

  /// Returns the reservation of the site that keeps the job from the node if it starts then: one
  /// that lasts before the job's walltime is over, or any if it has none.
  std::optional<ReservedTime> reserved_at(const View& view, JobId job, NodeId node,
                                          EmuTime start) const;
  /// Returns the nodes with room that such reservations keep from the gang.
  std::optional<obstacle::AdvanceReservation> reserved_for_others(const Draft& draft,
                                                                  const Request& request) const;

  /// Returns when the job is expected to release its nodes. A job that holds its nodes for longer
  /// is expected to end at once, but its nodes are not free yet. If each task of the job releases
  /// its own node, and one has ended, the others are expected to follow at once, so that no small
  /// job takes the first node that is free. `now`: the time of the plan.
  EmuTime end_of(const Job& job, EmuTime now) const;

  /// Returns what is released on the node, and when jobs that run are expected to do so.
  std::vector<std::pair<EmuTime, Resources>> releases_of(const ClusterState& cluster, NodeId node,
                                                         EmuTime now) const;

  /// Wakes the scheduler when a running job exceeds its estimate.
  void wake_for_estimates(Draft& draft);

  /// Ends jobs for the first waiting job, if its quality of service preempts theirs. Wakes the
  /// scheduler when the next of them may end.
  void preempt(const Picture& picture, Draft& draft);
  /// Lets a job wait again that has been preempted, but not before its requeue_delay.
  void requeue(JobId job, JobId by, Draft& draft);
  /// Lets the jobs start again that were preempted for jobs which wait no longer, if their
  /// requeue_delay is over.
  void release_preempted(const Draft& draft);
  /// Returns what may end for a job now. Puts the time at which the next one may into `next`.
  std::vector<backfill::Preemptible> preemptible(const QosSpec& by, const Picture& picture,
                                                 const Draft& draft,
                                                 std::optional<EmuTime>& next) const;
  const QosSpec* qos_of(JobId job) const;

  void sort(std::span<InLine> jobs, JobOrder order, const Draft& draft) const;
  /// Moves each job before those that its quality of service preempts, as Slurm does.
  void put_preempting_first(std::vector<InLine>& jobs) const;

  std::vector<InLine> in_line(const Draft& draft) const;

  const Scenario& scenario_;
  const CountNames& counted_;  ///< of the scenario
  bool machines_, entire_;
  JobOrder first_by_, others_by_;
  EmuTime resolution_;
  backfill::Estimates estimates_;
  std::optional<Priorities> priorities_;         ///< only if some order is by them
  std::set<std::pair<EmuTime, JobId>> waiting_;  ///< jobs whose gang waits
  std::set<NodeId> alive_;                       ///< nodes that were alive at the last step
  News news_;
  EmuTime recheck_ = backfill::kForever;  ///< when the next running job exceeds its estimate
  RequestOrder order_;
  std::map<std::string, const QosSpec*> qos_;  ///< by name; empty: none preempts others
  EmuTime preempt_at_ = backfill::kForever;    ///< when the next job may be preempted
  EmuTime requeue_at_ = backfill::kForever;    ///< when the next preempted job may start again
  EmuTime site_changes_ = backfill::kForever;  ///< when a reservation of the site begins or ends
  /// What keeps a preempted job from starting again: the job for which it ended, and a time.
  struct Preempted {
    JobId by;
    EmuTime until;
  };
  std::map<JobId, Preempted> preempted_;
  const GangPlaces* placing_ = nullptr;  ///< during a pass
  std::vector<const Request*> started_;  ///< by this pass
};

}  // namespace heddle
