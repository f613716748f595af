#pragma once

#include <chrono>
#include <string>

#include "cli/display/display.h"

namespace heddle::cli {

/// When a plain line is due: every two seconds and whenever a job ends.
class LinePace {
 public:
  /// True: it is now.
  bool due(const wire::Progress& progress, std::chrono::steady_clock::time_point now);

 private:
  std::chrono::steady_clock::time_point last_;
  int jobs_over_ = 0;
};

/// The terminal's size, 80 x 24 where it does not say; UTF-8 by the locale's name.
Canvas canvas_of(int terminal);
/// A terminal that can be drawn on.
bool can_draw_on(int terminal);

/// Shows a run's progress on standard error: on a terminal as a block that is redrawn in place,
/// else as a plain line every two seconds and whenever a job ends, or not at all.
class Screen {
 public:
  enum class Kind { kBlock, kLines, kNone };
  /// By what standard error is, unless quiet.
  static Kind kind(bool quiet);

  Screen(Kind kind, std::string title) : kind_(kind), title_(std::move(title)) {}
  ~Screen() { clear(); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void show(const wire::Progress& progress, std::chrono::steady_clock::time_point now);
  /// Takes the block off the terminal, so that something else can be printed.
  void clear();

 private:
  Kind kind_;
  std::string title_;
  Forecaster forecaster_;
  std::size_t drawn_ = 0;  ///< lines on the terminal
  LinePace pace_;
  std::string last_line_;
};

}  // namespace heddle::cli
