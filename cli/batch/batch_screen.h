#pragma once

#include <chrono>
#include <string>

#include "cli/display/screen.h"

namespace heddle::cli {

/// How far a batch is, on standard error: one line that is redrawn on a terminal, else plain lines
/// when something happened and two seconds have gone by, or nothing at all.
class BatchScreen {
 public:
  explicit BatchScreen(bool quiet) : kind_(Screen::kind(quiet)) {}
  ~BatchScreen() { clear(); }
  BatchScreen(const BatchScreen&) = delete;
  BatchScreen& operator=(const BatchScreen&) = delete;

  /// So many are to be run; `had` were there before.
  void start(std::size_t runs, std::size_t had);
  /// `each`: the plain lines tell of it, whenever the last one was.
  void on_start(const std::string& run, bool each);
  void on_end(const std::string& run);
  /// Takes the line off the terminal, so that something else can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void show(const std::string& what, bool now);

  Screen::Kind kind_;
  std::size_t runs_ = 0, had_ = 0, done_ = 0;
  Clock::time_point began_, shown_;
  bool drawn_ = false;
};

/// "3 of 12 runs done, 40 s left" after so many seconds; `had` were done before and take no time.
std::string batch_progress(std::size_t done, std::size_t runs, std::size_t had, double seconds);

}  // namespace heddle::cli
