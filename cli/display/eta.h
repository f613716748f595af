#pragma once

#include <deque>
#include <optional>
#include <string>

namespace heddle::cli {

/// How long something is likely to take yet.
struct TimeLeft {
  double emulated_s = 0;
  double real_s = 0;
  friend bool operator==(const TimeLeft&, const TimeLeft&) = default;
};

/// "about 47 s left (9 s real)", or without what is in parentheses.
std::string text_of(const TimeLeft& left, bool with_real);

/// Where a run stands at some time.
struct Standing {
  double real_s = 0;  ///< of any clock that goes on
  double emulated_s = 0;
  double work = 0;           ///< share that is done
  double last_submit_s = 0;  ///< when the last job comes, emulated
};

/// Foretells the end of a run: what is left, at the rate of the last third of its time (5 s real at
/// least); not before the last job has come. Nothing while there is no rate: in the first 2 s, and
/// when nothing has moved on.
class Forecaster {
 public:
  void add(const Standing& now);
  std::optional<TimeLeft> left() const;

 private:
  double begin_s_ = 0;
  std::deque<Standing> recent_;  ///< ascending
};

}  // namespace heddle::cli
