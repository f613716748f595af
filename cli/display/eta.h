#pragma once

#include <deque>
#include <optional>
#include <string>

namespace heddle::cli {

/// How much longer something is likely to take.
struct TimeLeft {
  double emulated_s = 0;
  double real_s = 0;
  friend bool operator==(const TimeLeft&, const TimeLeft&) = default;
};

/// Returns "about 47 s left (9 s real)". If `with_real` is false, leaves out the parentheses.
std::string text_of(const TimeLeft& left, bool with_real);

/// Progress of a run at some time.
struct Standing {
  double real_s = 0;  ///< time of any clock that does not stop
  double emulated_s = 0;
  double work = 0;           ///< share of the work that is done
  double last_submit_s = 0;  ///< emulated time at which the last job is submitted
};

/// Predicts the end of a run from the work that is left and the recent rate of work. The rate is
/// measured over the last third of the time so far, but over at least 5 s of real time. The
/// predicted end is never before the last submission. There is no prediction in the first 2 s of
/// real time, or while no work is done.
class Forecaster {
 public:
  void add(const Standing& now);
  std::optional<TimeLeft> left() const;

 private:
  double begin_s_ = 0;
  std::deque<Standing> recent_;  ///< ascending
};

}  // namespace heddle::cli
