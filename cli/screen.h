#pragma once

#include <chrono>
#include <string>

#include "cli/display.h"

namespace heddle {

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
  void show_line(const wire::Progress& progress, std::chrono::steady_clock::time_point now);

  Kind kind_;
  std::string title_;
  std::size_t drawn_ = 0;  ///< lines on the terminal
  std::chrono::steady_clock::time_point last_line_;
  int jobs_over_ = 0;
};

}  // namespace heddle
