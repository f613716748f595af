#pragma once

#include <cmath>
#include <deque>
#include <map>
#include <vector>

#include "common/ids.h"
#include "core/model/phase_detector.h"

namespace heddle {

/// A forecast of the resources released over a horizon, beside those that were.
struct Forecast {
  EmuTime made, until;            ///< the horizon is (made, until]
  std::vector<double> predicted;  ///< by group, in the unit of the sizes
  std::vector<double> actual;
  /// Nothing was predicted and nothing was released.
  bool empty() const;
};

/// How far forecasts were off, in their unit, over all groups and forecasts so far.
struct ForecastError {
  int horizons = 0;  ///< in which anything was predicted or released
  double predicted = 0, actual = 0, absolute = 0, squared = 0;  ///< sums

  void add(const Forecast& forecast);
  /// Mean of |predicted - actual| of a group in a horizon; 0 if there were none.
  double mean_absolute() const { return values_ > 0 ? absolute / values_ : 0; }
  double root_mean_square() const { return values_ > 0 ? std::sqrt(squared / values_) : 0; }

 private:
  int values_ = 0;
};

/// Estimates how much running jobs are about to release: one PhaseDetector a job, their sums by
/// group of jobs, and what was then released, by which forecasts can be judged. It knows no lengths
/// of tasks; from a phase's first ends it learns when the others, which started up to dps later,
/// are going to end. Sizes are whole numbers of a unit that the caller chooses.
///
/// Source: Mao et al., DRESS, equations 1 to 3 (F_1, F_2, without A_c: docs/policies.md).
class ReleaseEstimator {
 public:
  ReleaseEstimator(const PhaseOptions& options, int groups);

  // Times never go back.
  /// A job of the group may have tasks from now on. REQUIRES: it was not added before.
  void add(JobId job, int group) { jobs_.emplace(job, Entry{group, PhaseDetector(options_)}); }
  void asked(JobId job, int tasks) { jobs_.at(job).phases.asked(tasks); }
  void started(JobId job, EmuTime at, ContainerId container, std::int64_t size) {
    jobs_.at(job).phases.started(at, container.value, size);
  }
  void ended(JobId job, EmuTime at, ContainerId container);
  /// The job will have no more tasks.
  void remove(JobId job) { jobs_.erase(job); }

  /// Makes a forecast for (now, now + horizon]. With a horizon of 0 nothing is expected, and there
  /// is no forecast to settle. REQUIRES: the horizon is the same at each call.
  void forecast(EmuTime now, EmuTime horizon);
  /// F by group, of the last forecast.
  const std::vector<std::int64_t>& expected() const { return expected_; }
  /// The forecasts whose horizon has ended by now, each returned once, in the order in which they
  /// were made. Without any job nothing more is going to be released, so that all forecasts are
  /// settled then, those that have not run their horizon too.
  std::vector<Forecast> settle(EmuTime now);
  /// nullptr: no such job, or it was removed.
  const PhaseDetector* job(JobId job) const;

 private:
  struct Entry {
    int group = 0;
    PhaseDetector phases;
  };
  struct Open {
    Forecast forecast;
    std::vector<std::int64_t> before;  ///< released by group when it was made
  };
  /// Closes the forecasts that end before `at`.
  void close_before(EmuTime at) {
    while (!open_.empty() && open_.front().forecast.until < at) close_first();
  }
  void close_first();

  PhaseOptions options_;
  std::map<JobId, Entry> jobs_;
  std::vector<std::int64_t> expected_;
  std::vector<std::int64_t> released_;  ///< by group, in all
  std::deque<Open> open_;               ///< in the order in which they were made
  std::vector<Forecast> closed_;        ///< and not returned yet
};

}  // namespace heddle
