#pragma once

#include <sched.h>
#include <sys/types.h>

#include <cstdint>

namespace heddle::worker {

/// Descriptor numbers below this one, above standard error, belong to tasks. The launcher keeps
/// them occupied in the worker, so that no other descriptor ever has one of these numbers.
inline constexpr int kFirstFreeFd = 8;

/// Flags of clone and unshare for the namespaces that each command's container has of its own.
inline constexpr int kCommandNamespaces = CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNS;

/// Steps between fork and exec, in order. An error names the step that failed.
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

/// Returns the signals that this process handles or ignores: bit n-1 for signal n. Resetting only
/// these in a child saves 60 system calls per start.
std::uint64_t changed_signals();

/// Describes what a child does between fork and exec. The members are plain numbers, filled in
/// before the fork: afterwards only async-signal-safe calls are allowed, since the worker has other
/// threads (ZeroMQ's). If the child shares the worker's memory, it writes to the worker's own.
struct ChildSetup {
  static constexpr int kMostAttach = 16;
  int attach[kMostAttach] = {};  ///< descriptors to write "0" to
  int attach_count = 0;
  pid_t parent = 0;
  static constexpr int kTaskFds = 5;
  /// Descriptors that become kTaskPageFd, kTaskDoorbellFd, kTaskMemoryFd or kCommandDirectoryFd,
  /// kTaskFillFd or kCommandFilterFd, and kCommandWorkerFd; -1: closed.
  int task_fds[kTaskFds] = {-1, -1, -1, -1, -1};
  int null = -1;                      ///< /dev/null, becomes 0, 1 and 2
  std::uint64_t changed_signals = 0;  ///< signals to reset: bit n-1 for signal n
  bool blocks_signals = false;        ///< block what a command's supervisor waits for
  bool own_pids = false;  ///< the child is in its own PID namespace, where it has no parent
  bool keeps_capabilities = false;  ///< exec keeps capabilities, also for a user other than root

  /// Joins the groups, arranges to die with the parent, sets signals, process group, descriptors
  /// and capabilities, then executes the program. Returns only on failure: an errno, with `failed`
  /// set.
  int run(const char* program, char* const* argv, ChildStep& failed) const;
};

}  // namespace heddle::worker
