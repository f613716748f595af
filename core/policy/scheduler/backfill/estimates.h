#pragma once

#include <map>
#include <string>

#include "core/policy/base/draft.h"
#include "core/policy/base/option.h"
#include "core/policy/scheduler/backfill/steps.h"

namespace heddle::backfill {

enum class EstimatesBy { kRequested, kExact, kLastTwo };
extern const WordOption<EstimatesBy> kEstimates;

/// Returns when a running job is expected to end, counted from its start: its estimate or, if it
/// has run for longer, the estimate plus the first of these additions together that are enough: 1,
/// 5, 15 and 30 minutes, 1, 2, 5, 10, 20 and 50 hours. At most what was requested.
/// Source: Tsafrir, Etsion and Feitelson, "Backfilling Using System-Generated Predictions Rather
/// than User Runtime Estimates", IEEE TPDS 2007, section 4.2.
EmuTime corrected(EmuTime estimate, EmuTime elapsed, EmuTime requested);

/// Expects how long jobs run. kRequested: as long as their walltimes; a job without one has no end.
/// kExact: the true run time, as if an oracle told it. kLastTwo: the mean of the last two run times
/// of the job's user, at most the walltime, and the walltime until there are two (the same source).
class Estimates {
 public:
  Estimates(const Scenario& scenario, EstimatesBy by) : scenario_(scenario), by_(by) {}

  /// Takes in the jobs that have ended.
  void refresh(const View& view);
  /// Takes in that the job starts now.
  void started(JobId job) {
    if (can_be_short()) running_.insert_or_assign(job, of_waiting(job));
  }
  /// Returns how long a job that waits is expected to run; kForever if it has no end.
  EmuTime of_waiting(JobId job) const;
  /// Returns how long a running job is expected to run in all. `elapsed`: since its start.
  EmuTime of_running(JobId job, EmuTime elapsed) const;
  /// Returns the first time after `now` at which a running job exceeds its estimate.
  EmuTime next_short(const ClusterState& cluster, EmuTime now) const;
  /// Returns true if estimates of running jobs can be too short.
  bool can_be_short() const { return by_ == EstimatesBy::kLastTwo; }

 private:
  EmuTime requested(JobId job) const;
  EmuTime exact(JobId job) const;

  struct LastTwo {
    std::optional<EmuTime> last, before;
  };
  const Scenario& scenario_;
  EstimatesBy by_;
  std::map<std::string, LastTwo> users_;
  std::map<JobId, EmuTime> running_;  ///< estimates of running jobs, as of their starts
  mutable std::map<JobId, EmuTime> exact_;
};

}  // namespace heddle::backfill
