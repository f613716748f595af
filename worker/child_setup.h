#pragma once

#include <sched.h>
#include <sys/types.h>

namespace heddle::worker {

/// Descriptors below this number (above standard error) are the task's own; the launcher keeps
/// them occupied in the worker, so that nothing else ever has one of their numbers.
inline constexpr int kFirstFreeFd = 8;

/// Flags of clone and unshare for the namespaces that a command's container has of its own.
inline constexpr int kCommandNamespaces = CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNS;

/// Steps between fork and exec, in order; an error names the one that failed.
enum class ChildStep {
  kExec = 0,
  kJoin,
  kDeathSignal,
  kOrphaned,
  kSignals,
  kGroup,
  kDescriptors,
  kCapabilities
};
const char* text_of(ChildStep step);

/// What a child does between fork and exec. Plain numbers, filled before the fork: afterwards only
/// async-signal-safe calls are allowed, for the worker has other threads (ZeroMQ's), and writes go
/// to the worker's own memory where that is shared.
struct ChildSetup {
  static constexpr int kMostAttach = 16;
  int attach[kMostAttach] = {};  ///< descriptors to write "0" to
  int attach_count = 0;
  pid_t parent = 0;
  static constexpr int kTaskFds = 5;
  /// Become kTaskPageFd, kTaskDoorbellFd, kTaskMemoryFd, kCommandFilterFd, kCommandWorkerFd; -1:
  /// closed.
  int task_fds[kTaskFds] = {-1, -1, -1, -1, -1};
  int null = -1;                    ///< /dev/null, becomes 0, 1 and 2
  bool blocks_signals = false;      ///< those that a command's supervisor waits for
  bool own_pids = false;            ///< in a PID namespace of its own, where it has no parent
  bool keeps_capabilities = false;  ///< through exec, by a user other than root

  /// Joins the groups, dies with the parent, default signals, own process group, descriptors,
  /// capabilities; then executes the program. Returns only if that failed: an errno, with `failed`
  /// set.
  int run(const char* program, char* const* argv, ChildStep& failed) const;
};

}  // namespace heddle::worker
