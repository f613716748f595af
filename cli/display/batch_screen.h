#pragma once

#include <chrono>
#include <string>

#include "cli/display/screen.h"

namespace heddle::cli {

/// Shows the progress of a batch on standard error. On a terminal, this is one line that is
/// redrawn. Elsewhere, plain lines are printed, with at least two seconds between them. If the user
/// wants no progress, nothing is shown.
class BatchScreen {
 public:
  explicit BatchScreen(bool quiet) : kind_(Screen::kind(quiet)) {}
  ~BatchScreen() { clear(); }
  BatchScreen(const BatchScreen&) = delete;
  BatchScreen& operator=(const BatchScreen&) = delete;

  /// Begins a batch in which `runs` runs are still to be made and `had` runs are already done.
  void start(std::size_t runs, std::size_t had);
  /// Shows that a run starts. If `each` is true, prints a plain line even if the last line was
  /// printed less than two seconds ago.
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

/// Returns a text such as "3 of 12 runs done, 40 s left". In `seconds`, the batch has made `done`
/// of its `runs` runs. Another `had` runs were done before the batch began.
std::string batch_progress(std::size_t done, std::size_t runs, std::size_t had, double seconds);

}  // namespace heddle::cli
