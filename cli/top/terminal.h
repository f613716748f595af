#pragma once

#include <string>

#include "cli/top/top_view.h"
#include "common/fd.h"
#include "common/result.h"

namespace heddle::cli {

/// The terminal on standard input and output as a screen of its own that gives keys one by one. As
/// it was when this goes, is left, or the program dies of a signal (but SIGKILL).
class Terminal {
 public:
  /// Both are a terminal that can be drawn on.
  static bool usable();

  Terminal() = default;
  ~Terminal() { leave(); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  Result<void> enter();
  void leave();
  /// False: it can't be written any more.
  bool draw(const TopFrame& frame);
  /// What was typed, as much as there is. REQUIRES: there is something to read. False: the terminal
  /// is gone.
  bool read(std::string& bytes);

 private:
  bool entered_ = false;
};

}  // namespace heddle::cli
