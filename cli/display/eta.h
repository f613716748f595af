#pragma once

#include <deque>
#include <optional>
#include <string>

#include "report/forecast.h"

namespace heddle::cli {

/// How much longer something is likely to take.
struct TimeLeft {
  double emulated_s = 0;
  double real_s = 0;
  friend bool operator==(const TimeLeft&, const TimeLeft&) = default;
};

/// Returns "about 9 s left (47 s emulated)", or "about 9 s left (real)".
std::string text_of(const TimeLeft& left, bool with_emulated = true);

/// Progress of a run at some time.
struct Standing {
  double real_s = 0;  ///< time of any clock that does not stop
  double emulated_s = 0;
  double work = 0;           ///< share of the work that is done
  double last_submit_s = 0;  ///< emulated time at which the last job is submitted
};

/// Predicts the end of a run. The predicted end is never before the last submission.
///
/// With expect(), the prediction follows the curve of a simulation. The rest of the curve, from the
/// point where it has the work that is done now, is what is left. This rest is multiplied by the
/// recent pace: the ratio of the time that the run took and the time that the curve took for the
/// same work. A tenth of the curve's time is added to both, so that a few tasks do not decide.
///
/// Without expect(), the prediction follows from the work that is left and the recent rate of work.
/// There is no prediction in the first 2 s of real time, or while no work is done.
///
/// "Recent" is the last third of the time so far, but at least 5 s of real time.
class Forecaster {
 public:
  void add(const Standing& now);
  /// `time_scale`: real seconds per emulated second.
  void expect(report::WorkCurve curve, double time_scale);
  std::optional<TimeLeft> left() const;

 private:
  std::optional<TimeLeft> left_by_rate() const;
  TimeLeft left_by_curve() const;

  double begin_s_ = 0;
  std::deque<Standing> recent_;  ///< ascending
  report::WorkCurve curve_;      ///< without points if nothing is expected
  double time_scale_ = 1;
};

}  // namespace heddle::cli
