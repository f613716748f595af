#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/result.h"

namespace heddle::cli {

/// How a process ended.
struct ChildEnd {
  int code = 0;         ///< exit status, or the signal's number
  bool signal = false;  ///< it died of a signal
  friend bool operator==(const ChildEnd&, const ChildEnd&) = default;
};
/// "exit status 3", "killed by signal 9 (Killed)".
std::string describe(const ChildEnd& end);

/// A process that we started. It leads a process group of its own, so that a terminal's Ctrl-C does
/// not reach it, reads nothing, dies when we die, and inherits no descriptor but one.
class Child {
 public:
  /// Starts argv[0] (a path). `inherited` stays open in it under the same number. Errors: can't be
  /// executed (kMachine), no more processes.
  static Result<Child> spawn(const std::vector<std::string>& argv, int inherited);

  pid_t pid() const { return pid_; }
  /// Polls readable once it has ended.
  int pidfd() const { return pidfd_.get(); }
  bool running() const { return !end_; }
  const std::optional<ChildEnd>& end() const { return end_; }

  /// Takes its end in, if it has ended; true if that was now.
  bool reap();
  /// Waits for its end, five seconds at most: REQUIRES that it was killed.
  void wait();
  /// Sends a signal, unless it has ended.
  void signal(int number) const;
  /// The last `lines` lines that it wrote to standard output and error.
  std::string last_words(int lines) const;

 private:
  Child(pid_t pid, Fd pidfd, Fd output)
      : pid_(pid), pidfd_(std::move(pidfd)), output_(std::move(output)) {}

  pid_t pid_ = 0;
  Fd pidfd_;
  Fd output_;  ///< a memory file: a full disk must not keep us from the reason
  std::optional<ChildEnd> end_;
};

/// What a `heddle` that has ended said last, without the name that each line begins with; how it
/// ended if it said nothing.
std::string words_of(const Child& child, int lines);

/// Lets this process open as many files as it may: each child takes two descriptors. Children have
/// the limit that was there before.
void raise_file_limit();

/// Descendants whose parents died become our children from here on, so that their CPU time is
/// counted and none is left unknown.
void adopt_orphans();
/// Reaps adopted processes that have ended. REQUIRES: every Child has been reaped.
void reap_orphans();

}  // namespace heddle::cli
