#pragma once

#include <string>

#include "cli/top/top_view.h"
#include "common/fd.h"
#include "common/result.h"

namespace heddle::cli {

/// Uses the terminal on standard input and output as a full screen that returns keys one by one.
/// The terminal is restored on leave(), in the destructor, or if a signal other than SIGKILL kills
/// the program.
class Terminal {
 public:
  /// Returns whether both are a terminal that can be drawn on.
  static bool usable();

  Terminal() = default;
  ~Terminal() { leave(); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  Result<void> enter();
  void leave();
  /// Draws a frame; returns false if the terminal can no longer be written.
  bool draw(const TopFrame& frame);
  /// Appends the typed bytes that are available. REQUIRES: there is something to read. Returns
  /// false if the terminal is gone.
  bool read(std::string& bytes);

 private:
  bool entered_ = false;
};

}  // namespace heddle::cli
