#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/result.h"
#include "host/output_pipe.h"
#include "host/task_user.h"

namespace heddle::host {

/// How a process ended.
struct ChildEnd {
  int code = 0;         ///< exit status, or the signal's number
  bool signal = false;  ///< true: a signal killed the process
  friend bool operator==(const ChildEnd&, const ChildEnd&) = default;
};
/// Returns "exit status 3" or "killed by signal 9 (Killed)".
std::string describe(const ChildEnd& end);

/// The properties of a child besides its arguments.
struct ChildOptions {
  /// Stays open in the child under the same number. nullopt: the child inherits no descriptor.
  std::optional<int> inherited = {};
  /// The user as which the child runs, with no further groups and no way to get privileges.
  /// nullopt: the user of this process.
  std::optional<TaskUser> user = {};
  /// Variables such as "HOME=/root", in place of this process's environment.
  std::optional<std::vector<std::string>> environment = {};
  /// Keeps only the beginning and the end of long output (host/output_pipe.h).
  bool bounded_output = false;
  /// Files by which the child joins control groups (cgroup::Driver::open_attach).
  std::vector<int> groups = {};
};

/// A process that this process started. The child leads its own process group, so Ctrl-C in a
/// terminal does not reach it. The child reads no input and dies when this process dies.
class Child {
 public:
  /// Starts argv[0] (a path). Errors (kMachine): the program cannot be executed, or no more
  /// processes can be made.
  static Result<Child> spawn(const std::vector<std::string>& argv, const ChildOptions& options);
  /// Starts a child that inherits one descriptor.
  static Result<Child> spawn(const std::vector<std::string>& argv, int inherited) {
    return spawn(argv, ChildOptions{.inherited = inherited});
  }

  pid_t pid() const { return pid_; }
  /// Returns a descriptor that is readable for poll() after the child has ended.
  int pidfd() const { return pidfd_.get(); }
  bool running() const { return !end_; }
  const std::optional<ChildEnd>& end() const { return end_; }
  /// Returns the CPU time of the child and of its descendants that it has waited for. REQUIRES: the
  /// child was reaped.
  double cpu_s() const { return cpu_s_; }

  /// Reaps the child if it has ended. Returns true if this call has reaped it.
  bool reap();
  /// Waits at most five seconds for the child's end.
  void wait();
  /// Sends a signal, unless the child has ended.
  void signal(int number) const;
  /// Sends a signal to the child's process group, unless the child was reaped.
  void signal_group(int number) const;
  /// Returns the last `most` bytes that the child wrote to standard output and error, or of what is
  /// kept of it.
  std::string output(std::size_t most) const;
  /// Returns the last `lines` lines that the child wrote to standard output and error.
  std::string last_words(int lines) const;

 private:
  Child(pid_t pid, Fd pidfd, Fd output, std::unique_ptr<OutputPipe> pipe)
      : pid_(pid), pidfd_(std::move(pidfd)), output_(std::move(output)), pipe_(std::move(pipe)) {}

  pid_t pid_ = 0;
  Fd pidfd_;
  Fd output_;  ///< a file in memory, because a full disk must not hide the reason of a failure
  std::unique_ptr<OutputPipe> pipe_;  ///< in place of output_ if the output is bounded
  std::optional<ChildEnd> end_;
  double cpu_s_ = 0;
};

/// Returns the last lines that a `heddle` process wrote before it ended. Removes the "heddle: " at
/// the beginnings of the lines. If the process wrote nothing, returns how it ended.
std::string words_of(const Child& child, int lines);

/// Raises this process's limit of open files to the allowed maximum, because each child needs two
/// descriptors. Children start with the previous limit.
void raise_file_limit();

/// Makes this process the parent of each descendant whose own parent dies. This process can then
/// reap the descendant, and its CPU time is counted.
void adopt_orphans();
/// Reaps adopted processes that have ended.
void reap_orphans();
/// Kills the adopted processes that are left, and their descendants. REQUIRES: adopt_orphans() was
/// called.
void kill_orphans();

}  // namespace heddle::host
