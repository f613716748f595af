#pragma once

#include <map>
#include <optional>
#include <vector>

#include "common/ids.h"
#include "core/model/phase_detector.h"

namespace heddle {

/// What a forecast said, and what came.
struct Forecast {
  EmuTime made, until;            ///< over (made, until]
  std::vector<double> predicted;  ///< by group, unit containers
  std::vector<double> actual;
  /// Nothing was predicted and nothing came.
  bool empty() const;
};

/// How far forecasts were off, in unit containers, over all groups and horizons so far.
struct ForecastError {
  int horizons = 0;  ///< in which anything was predicted or released
  double predicted = 0, actual = 0, absolute = 0, squared = 0;  ///< sums

  void add(const Forecast& forecast);
  /// Mean of |predicted - actual| of a group in a horizon; 0 if there were none.
  double mean_absolute() const;
  double root_mean_square() const;

 private:
  int values_ = 0;
};

/// Expects which containers will come free: one PhaseDetector a job, their sums by group of jobs,
/// and how good they were. Knows no lengths of tasks; it learns from a phase's first ends when the
/// others, which started up to dps later, are going to end.
///
/// Source: Mao et al., DRESS, equations 1 to 3 (F_1, F_2, without A_c: docs/policies.md).
class ReleaseEstimator {
 public:
  ReleaseEstimator(const PhaseOptions& options, int groups);

  // Times never go back.
  /// A job of the group may have tasks from now on. REQUIRES: it was not added before.
  void add(JobId job, int group);
  void asked(JobId job, int tasks);
  void started(JobId job, EmuTime at, ContainerId container, std::int64_t units);
  void ended(JobId job, EmuTime at, ContainerId container);
  /// It will have no more tasks.
  void remove(JobId job);

  /// Settles the forecast made last with what has ended since, and makes one for
  /// (now, now + horizon]. Returns the one that was settled, if there was one.
  std::optional<Forecast> forecast(EmuTime now, EmuTime horizon);
  /// F by group, as the last forecast has it.
  const std::vector<double>& expected() const { return expected_; }
  const ForecastError& error() const { return error_; }
  /// nullptr: no such job, or it was removed.
  const PhaseDetector* job(JobId job) const;

 private:
  struct Entry {
    int group = 0;
    PhaseDetector phases;
  };
  PhaseOptions options_;
  std::map<JobId, Entry> jobs_;
  std::vector<double> expected_, released_;
  std::optional<Forecast> made_;
  ForecastError error_;
};

}  // namespace heddle
