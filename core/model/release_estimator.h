#pragma once

#include <cmath>
#include <deque>
#include <map>
#include <vector>

#include "common/ids.h"
#include "core/model/phase_detector.h"

namespace heddle {

/// A forecast of the resources that jobs release within a horizon, and the resources that they have
/// actually released.
struct Forecast {
  EmuTime made, until;            ///< the horizon is (made, until]
  std::vector<double> predicted;  ///< by group, in the unit of the sizes
  std::vector<double> actual;
  /// Returns whether nothing was predicted and nothing was released.
  bool empty() const;
};

/// Error of the forecasts so far, over all groups, in the unit of the sizes.
struct ForecastError {
  int horizons = 0;  ///< horizons in which a release was predicted or happened
  double predicted = 0, actual = 0, absolute = 0, squared = 0;  ///< sums

  void add(const Forecast& forecast);
  /// Returns the mean of |predicted - actual| over all groups and horizons; 0 without horizons.
  double mean_absolute() const { return values_ > 0 ? absolute / values_ : 0; }
  double root_mean_square() const { return values_ > 0 ? std::sqrt(squared / values_) : 0; }

 private:
  int values_ = 0;
};

/// Estimates how much running jobs will soon release. Has one PhaseDetector for each job, and adds
/// up the estimates of the jobs in each group. Also counts the actual releases, so that forecasts
/// can be compared with them. The estimator does not know the durations of tasks. The other tasks
/// of a phase started up to dps later than the first. Therefore the estimator expects that they end
/// up to dps later than the first ends. Sizes are whole numbers of a unit that the caller chooses.
///
/// Source: Mao et al., DRESS, equations 1 to 3 (F_1, F_2, without A_c: docs/reference/policies.md).
class ReleaseEstimator {
 public:
  ReleaseEstimator(const PhaseOptions& options, int groups);

  // Times never go back.
  /// Adds a job to the group. Must be called before the other functions are called for the job.
  /// REQUIRES: the job was not added before.
  void add(JobId job, int group) { jobs_.emplace(job, Entry{group, PhaseDetector(options_)}); }
  void asked(JobId job, int tasks) { jobs_.at(job).phases.asked(tasks); }
  void started(JobId job, EmuTime at, ContainerId container, std::int64_t size) {
    jobs_.at(job).phases.started(at, container.value, size);
  }
  void ended(JobId job, EmuTime at, ContainerId container);
  /// Removes a job that will have no more tasks.
  void remove(JobId job) { jobs_.erase(job); }

  /// Makes a forecast for (now, now + horizon]. With a horizon of 0, expected() is 0 and settle()
  /// returns no forecast. REQUIRES: the horizon is the same in each call.
  void forecast(EmuTime now, EmuTime horizon);
  /// Returns F, the expected release of the last forecast, by group.
  const std::vector<std::int64_t>& expected() const { return expected_; }
  /// Returns the forecasts whose horizon ends at `now` or earlier. Returns each forecast once, in
  /// the order in which they were made. If no job is left, nothing more will be released. In that
  /// case, also returns the forecasts whose horizon has not ended.
  std::vector<Forecast> settle(EmuTime now);
  /// Returns the job's detector, or nullptr if the job is unknown or was removed.
  const PhaseDetector* job(JobId job) const;

 private:
  struct Entry {
    int group = 0;
    PhaseDetector phases;
  };
  struct Open {
    Forecast forecast;
    std::vector<std::int64_t> before;  ///< total release when the forecast was made, by group
  };
  /// Closes the forecasts that end before `at`.
  void close_before(EmuTime at) {
    while (!open_.empty() && open_.front().forecast.until < at) close_first();
  }
  void close_first();

  PhaseOptions options_;
  std::map<JobId, Entry> jobs_;
  std::vector<std::int64_t> expected_;
  std::vector<std::int64_t> released_;  ///< total by group
  std::deque<Open> open_;               ///< in the order in which they were made
  std::vector<Forecast> closed_;        ///< closed forecasts that were not returned yet
};

}  // namespace heddle
