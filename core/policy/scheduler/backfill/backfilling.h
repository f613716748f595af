#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "core/policy/base/request_order.h"
#include "core/policy/scheduler/backfill/estimates.h"
#include "core/policy/scheduler/backfill/plan.h"
#include "core/policy/scheduler/backfill/qos_preemption.h"
#include "core/policy/scheduler/backfill/side_room.h"
#include "core/policy/scheduler/job_order.h"
#include "core/policy/scheduler/priorities.h"

namespace heddle {

enum class Backfill { kCount, kMachines, kNodes };
extern const WordOption<Backfill> kBackfill;
extern const WordOption<JobOrder> kBackfillOrder;
extern const SecondsOption kBackfillResolution;
extern const SecondsOption kBackfillInterval;  ///< of easy
extern const AutoCountOption kReserveDepth;    ///< of easy

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
    const EmuTime next = std::min({recheck_, preemption_.next(), site_changes_, next_backfill_});
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
  /// its own state. Between backfilling at intervals, only what backfills() says is to be decided.
  virtual void pass(Picture& picture, const News& news, Draft& draft) = 0;
  /// Returns whether this pass may backfill. If not, jobs start in order, and none passes a job
  /// that waits.
  bool backfills() const { return backfills_; }
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
  /// Preempts running jobs so that the job can start, if its quality of service preempts theirs.
  /// Nodes that one of `booked` takes before the job would end are not used. Returns true if the
  /// job can start when the preempted jobs have ended or stopped.
  bool make_room(const InLine& job, std::span<const Booked> booked, const Picture& picture,
                 Draft& draft);

  bool preempts(const InLine& job) const { return preemption_.preempts(job.id()); }
  /// Returns the plan for the job: that of the picture, or, if it preempts suspended jobs, a copy
  /// in `own` in which it can have their cores.
  backfill::Plan& plan_for(const InLine& job, Picture& picture, const Draft& draft,
                           std::optional<backfill::Plan>& own) const;
  /// Returns the earliest start in the plan if all running jobs that the job preempts ended now, as
  /// Slurm plans it.
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

  /// Returns when the suspended job is expected to run again: when jobs that run on its cores are
  /// expected to end.
  EmuTime resumption_of(const ClusterState& cluster, JobId job, EmuTime now) const;
  /// Returns how many of the cores that suspended jobs have on the node others use.
  Millicores lent_of(const ClusterState& cluster, NodeId node) const;

  /// Returns what is released on the node, and when jobs that run are expected to do so. Cores that
  /// belong to suspended jobs are released when these jobs end.
  std::vector<std::pair<EmuTime, Resources>> releases_of(const ClusterState& cluster, NodeId node,
                                                         EmuTime now) const;

  /// Returns whether a pass at this time may backfill (kBackfillInterval).
  bool backfills_at(EmuTime now) const {
    return interval_ == EmuTime(0) || now >= next_backfill_ || now.count() % interval_.count() == 0;
  }
  /// Wakes the scheduler for the next backfilling if this pass was without it.
  void wake_for_backfilling(Draft& draft);

  /// Wakes the scheduler when a running job exceeds its estimate.
  void wake_for_estimates(Draft& draft);

  /// Makes room for the first waiting job.
  void preempt(const Picture& picture, Draft& draft);
  /// Returns the plan as if these jobs held nothing of what is given.
  backfill::Plan without(const std::vector<backfill::Preemptible>& jobs, const Picture& picture,
                         const Draft& draft) const;

  void sort(std::span<InLine> jobs, JobOrder order, const Draft& draft) const;
  /// Moves each job before those that its quality of service preempts, as Slurm does.
  void put_preempting_first(std::vector<InLine>& jobs) const;

  std::vector<InLine> in_line(const Draft& draft) const;

  const Scenario& scenario_;
  const CountNames& counted_;  ///< of the scenario
  backfill::QosPreemption preemption_;
  bool machines_, entire_;
  JobOrder first_by_, others_by_;
  EmuTime resolution_, interval_;
  EmuTime next_backfill_ = backfill::kForever;  ///< if jobs wait for it
  bool backfills_ = true;
  backfill::Estimates estimates_;
  std::optional<Priorities> priorities_;         ///< only if some order is by them
  std::set<std::pair<EmuTime, JobId>> waiting_;  ///< jobs whose gang waits
  std::set<NodeId> alive_;                       ///< nodes that were alive at the last step
  News news_;
  EmuTime recheck_ = backfill::kForever;  ///< when the next running job exceeds its estimate
  RequestOrder order_;
  EmuTime site_changes_ = backfill::kForever;  ///< when a reservation of the site begins or ends
  const GangPlaces* placing_ = nullptr;        ///< during a pass
  std::vector<const Request*> started_;        ///< by this pass
};

}  // namespace heddle
