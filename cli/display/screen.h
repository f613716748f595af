#pragma once

#include <chrono>
#include <string>

#include "cli/display/display.h"
#include "cli/display/event_lines.h"

namespace heddle::cli {

/// Decides when a plain line is due: every two seconds and whenever a job ends.
class LinePace {
 public:
  /// Returns true if a line is due.
  bool due(const wire::Progress& progress, std::chrono::steady_clock::time_point now);

 private:
  std::chrono::steady_clock::time_point last_;
  int jobs_over_ = 0;
};

/// Returns the terminal's size, or 80 x 24 if it is unknown. The name of the locale decides whether
/// UTF-8 is used.
Canvas canvas_of(int terminal);
/// Returns the width for tables on standard output: that of the terminal. Returns 0, no limit, if
/// standard output is no terminal, or if `wide` is true.
int table_width(bool wide);
/// Returns whether the descriptor is a terminal that can be drawn on.
bool can_draw_on(int terminal);

/// Shows a run's progress on standard error. On a terminal, this is a block that is redrawn.
/// Elsewhere, a plain line comes every two seconds and whenever a job ends, and a line for each
/// event (EventLines). With kNone, nothing is shown.
class Screen {
 public:
  enum class Kind { kBlock, kLines, kNone };
  /// Returns the kind that fits standard error, or kNone if `quiet` is true.
  static Kind kind(bool quiet);

  Screen(Kind kind, std::string title) : kind_(kind), title_(std::move(title)) {}
  ~Screen() { clear(); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void show(const wire::Progress& progress, std::chrono::steady_clock::time_point now);
  /// Computes the time left from this curve from now on (see Forecaster).
  void expect(const report::WorkCurve& curve, double time_scale) {
    forecaster_.expect(curve, time_scale);
  }
  /// Notes that a new master resumes the run.
  void on_new_master() { events_.restart(); }
  /// Ends the display. Prints how many events had no line.
  void finish(std::chrono::steady_clock::time_point now);
  /// Removes the block from the terminal, so that something else can be printed.
  void clear();

 private:
  Kind kind_;
  std::string title_;
  Forecaster forecaster_;
  std::size_t drawn_ = 0;  ///< lines of the block on the terminal
  LinePace pace_;
  EventLines events_;
  std::string last_line_;
};

}  // namespace heddle::cli
