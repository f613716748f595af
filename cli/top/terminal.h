#pragma once

#include <string>

#include "cli/top/top_view.h"
#include "common/fd.h"
#include "common/result.h"

namespace heddle::cli {

/// Uses the terminal on standard input and output as a full screen, and reads its keys one by one.
/// leave() and the destructor restore the terminal. It is also restored if a signal other than
/// SIGKILL kills the program.
class Terminal {
 public:
  /// Returns whether standard input and standard output are a terminal that can be drawn on.
  static bool usable();

  Terminal() = default;
  ~Terminal() { leave(); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  Result<void> enter();
  void leave();
  /// Draws a frame. Returns false if the terminal can no longer be written.
  bool draw(const TopFrame& frame);
  /// Appends the typed bytes that are available to `bytes`. Returns false if the terminal is gone.
  /// REQUIRES: there is something to read.
  bool read(std::string& bytes);

 private:
  bool entered_ = false;
};

}  // namespace heddle::cli
