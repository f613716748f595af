#pragma once

#include <functional>
#include <optional>
#include <string>

#include "report/forecast.h"
#include "wire/progress.h"

namespace heddle::cli {

/// Compares a run with its forecast while the run goes on.
///
/// The lag of a run is its time minus the time at which the forecast has the same work. A run
/// departs from its forecast if it lags behind it, or is ahead of it, by more than 10 % of the
/// expected makespan and by more than 2 real seconds. It has returned when the difference is at
/// most half of this bound.
class DepartureWatch {
 public:
  using ForeignShare = std::function<std::optional<double>()>;
  /// `forecast` must outlive the object. `time_scale`: real seconds per emulated second.
  DepartureWatch(const report::Forecast& forecast, double time_scale);

  /// Returns a sentence when the run departs for the first time, and one when it has returned after
  /// that. The first sentence names a node that is lost unexpectedly. If there is none, it names
  /// other programs, if the run is behind, they used CPU, and tasks get less CPU than they hold.
  /// Otherwise it names the job whose completed tasks, or else whose work, differ most from the
  /// forecast. Returns nullopt at other times. `foreign_cpu` returns the share of the machine's CPU
  /// that other programs have used during the run, or nullopt if it is not known; it is only called
  /// for the first sentence.
  std::optional<std::string> note(const wire::Progress& progress,
                                  const ForeignShare& foreign_cpu = {});
  /// Returns the bound in emulated seconds.
  double bound_s() const { return bound_s_; }

 private:
  /// Returns what differs most, with ": " before it, or "".
  std::string where(const wire::Progress& progress, bool behind,
                    const ForeignShare& foreign_cpu) const;

  const report::Forecast& forecast_;
  double bound_s_;
  enum class State { kWithin, kDeparted, kReturned } state_ = State::kWithin;
};

}  // namespace heddle::cli
