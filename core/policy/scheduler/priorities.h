#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/policy/base/draft.h"
#include "core/policy/scheduler/associations.h"
#include "core/policy/scheduler/priority_options.h"

namespace heddle {

/// The priorities of waiting jobs, as Slurm's plugin priority/multifactor computes them: the sum of
/// age, fair share, size, partition and quality of service, each times its weight, and of the job's
/// own priority.
///
/// Age, usage and fair share change only at recalculations, at the multiples of
/// priority_calc_period. A job that becomes eligible has the age 0 and the last fair share of its
/// user. Usage is what jobs hold, in core-seconds, times the usage_factor of their quality of
/// service. As Slurm, this class counts whole seconds.
///
/// The result depends on the times of starts and ends alone, not on how often refresh() is called.
class Priorities {
 public:
  explicit Priorities(const Scenario& scenario);

  /// Takes in what has changed, and makes the recalculations that are due. Wakes the policy at the
  /// next one if two jobs wait then, because only then can it change the order. Notes the
  /// priorities of jobs that have started.
  void refresh(Draft& draft);

  /// Lets the age of a job that has been preempted begin again at that time.
  void requeued(JobId job, EmuTime from) { eligible_[job] = from; }

  /// Returns whether the last refresh() made a recalculation, and whether this changed the order of
  /// the waiting jobs.
  bool recalculated() const { return recalculated_; }
  bool reordered() const { return reordered_; }
  /// Returns when the next recalculation can change the order; kNever if less than two jobs wait.
  EmuTime next() const { return waiting_.size() < 2 ? kNever : last_ + period_; }

  /// Returns nullopt if the job does not wait.
  std::optional<JobPriority> of(JobId job) const;
  /// Returns the priority of a job, 0 if it does not wait.
  std::int64_t number_of(JobId job) const;

 private:
  struct Held {
    double cpus = 0;
    EmuTime since;  ///< when this was last charged, or began
  };

  void recalculate(EmuTime now);
  /// Makes one recalculation of the usage.
  void recalculate_usage(EmuTime at);
  /// Charges the job's user for what the job has held since the last charge.
  void charge(JobId job, Held& held, EmuTime until);
  /// Recomputes all priorities. Returns whether the order of the jobs has changed.
  bool renew();
  /// Takes in what the job holds and whether it waits.
  void take_in(JobId job, Draft& draft);
  void take_in_held(JobId job, Draft& draft);
  void note_start(JobId job, Draft& draft) const;
  JobPriority priority_of_job(JobId job, EmuTime eligible);
  /// Returns the F of the job's user.
  double fair_share(JobId job);

  const Scenario& scenario_;
  const double age_weight_, fairshare_weight_, size_weight_, partition_weight_, qos_weight_;
  const EmuTime max_age_, period_;
  const FavorSize favor_;
  const FairShareRule rule_;
  const double damping_;
  JobSize cluster_;
  const std::map<std::string, double> partitions_, qos_;  ///< factors by name
  const std::map<std::string, double> usage_factors_;     ///< by name of the quality of service
  Associations associations_;
  DecayedUsage usage_;
  std::vector<double> recalculated_usage_;  ///< at the last recalculation
  std::vector<FairShare> fair_shares_;      ///< of that usage; empty until they are needed
  EmuTime last_;                            ///< the last recalculation
  std::map<JobId, Held> held_;              ///< of jobs that hold something
  std::map<JobId, EmuTime> eligible_;       ///< of unfinished jobs that have waited
  std::map<JobId, JobPriority> waiting_;
  EmuTime wake_;  ///< the last that was asked for
  bool recalculated_ = false, reordered_ = false;
};

}  // namespace heddle
