#pragma once

#include <chrono>
#include <string>

#include "cli/display/screen.h"

namespace heddle::cli {

/// Shows the progress of a batch on standard error: on a terminal one line that is redrawn, else
/// plain lines at most every two seconds, or nothing at all.
class BatchScreen {
 public:
  explicit BatchScreen(bool quiet) : kind_(Screen::kind(quiet)) {}
  ~BatchScreen() { clear(); }
  BatchScreen(const BatchScreen&) = delete;
  BatchScreen& operator=(const BatchScreen&) = delete;

  /// Begins with `runs` runs to make; `had` were done before.
  void start(std::size_t runs, std::size_t had);
  /// Shows that a run starts. `each`: print a plain line regardless of the interval.
  void on_start(const std::string& run, bool each);
  void on_end(const std::string& run);
  /// Removes the line from the terminal, so that something else can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void show(const std::string& what, bool now);

  Screen::Kind kind_;
  std::size_t runs_ = 0, had_ = 0, done_ = 0;
  Clock::time_point began_, shown_;
  bool drawn_ = false;
};

/// Returns "3 of 12 runs done, 40 s left" after so many seconds; `had` were done before and take no
/// time.
std::string batch_progress(std::size_t done, std::size_t runs, std::size_t had, double seconds);

}  // namespace heddle::cli
