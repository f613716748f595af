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
  bool signal = false;  ///< true: a signal killed the process
  friend bool operator==(const ChildEnd&, const ChildEnd&) = default;
};
/// Returns "exit status 3" or "killed by signal 9 (Killed)".
std::string describe(const ChildEnd& end);

/// A process that this one started. A child leads its own process group, so a terminal's Ctrl-C
/// does not reach it. It reads no input, dies when this process dies, and inherits only one
/// descriptor.
class Child {
 public:
  /// Starts argv[0] (a path). `inherited` stays open in the child under the same number. Errors
  /// (kMachine): the program cannot be executed, or there are no more processes.
  static Result<Child> spawn(const std::vector<std::string>& argv, int inherited);

  pid_t pid() const { return pid_; }
  /// Returns a descriptor that polls readable once the child has ended.
  int pidfd() const { return pidfd_.get(); }
  bool running() const { return !end_; }
  const std::optional<ChildEnd>& end() const { return end_; }

  /// Reaps the child if it has ended; returns true if this call did so.
  bool reap();
  /// Waits at most five seconds for the child's end. REQUIRES: the child was killed.
  void wait();
  /// Sends a signal, unless the child has ended.
  void signal(int number) const;
  /// Returns the last `lines` lines that the child wrote to standard output and error.
  std::string last_words(int lines) const;

 private:
  Child(pid_t pid, Fd pidfd, Fd output)
      : pid_(pid), pidfd_(std::move(pidfd)), output_(std::move(output)) {}

  pid_t pid_ = 0;
  Fd pidfd_;
  Fd output_;  ///< a memory file, so a full disk cannot hide the reason of a failure
  std::optional<ChildEnd> end_;
};

/// Returns the last lines of a `heddle` that has ended, without the name that each line begins
/// with. If it wrote nothing, returns how it ended.
std::string words_of(const Child& child, int lines);

/// Raises this process's limit of open files as far as allowed, because each child takes two
/// descriptors. Children get the previous limit.
void raise_file_limit();

/// Makes this process the parent of descendants whose parents die, so that their CPU time is
/// counted and none is missed.
void adopt_orphans();
/// Reaps adopted processes that have ended. REQUIRES: every Child has been reaped.
void reap_orphans();

}  // namespace heddle::cli
