#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/result.h"
#include "common/units.h"
#include "worker/child_setup.h"

namespace heddle::worker {

/// Describes a process to start.
struct LaunchPlan {
  std::string program;                 ///< path; PATH is not searched
  std::vector<std::string> arguments;  ///< without argv[0]
  std::vector<Fd> attach;  ///< descriptors through which the child joins its groups before exec
  /// Group in which the child starts (v2). If the kernel refuses that (joins_instead), the child
  /// joins through `attach`.
  Fd directory;
  Fd resource;        ///< becomes kTaskMemoryFd or kCommandDirectoryFd; may be none
  int page = -1;      ///< becomes kTaskPageFd
  int doorbell = -1;  ///< becomes kTaskDoorbellFd
  int extra = -1;     ///< becomes kTaskFillFd or kCommandFilterFd
  /// The process is a command's supervisor: kCommandSignals stay blocked, and it gets
  /// kCommandWorkerFd.
  bool supervisor = false;
  /// The process is the first of a PID namespace and alone in an IPC and a mount namespace
  /// (kCommandNamespaces). If the worker is not root's, the process keeps the capabilities that the
  /// worker has in its user namespace.
  bool own_namespaces = false;
};

struct Child {
  pid_t pid = -1;
  Fd pidfd;  ///< polls readable once the process has ended
};

struct Ended {
  bool by_signal = false;
  int value = 0;          ///< exit status, or the signal's number
  real::Duration cpu{0};  ///< user and system time of the process and its reaped children
};

/// Starts processes as children of the calling thread. The thread must outlive them, since they get
/// SIGKILL when it ends. Each process is in its groups before exec, leads a process group, and has
/// default signals. Its only descriptors are its task's and /dev/null as 0, 1 and 2.
///
/// A command's supervisor starts in the worker's own group, so its plan has neither a directory nor
/// descriptors to join through.
///
/// Children share our memory until exec, as with vfork: copying the worker's memory would take as
/// long as the rest of a start. A plan with a directory goes through clone3(CLONE_INTO_CGROUP), so
/// the child need not join. Several threads may launch at a time.
class Launcher {
 public:
  /// Occupies the descriptor numbers that tasks get, as far as they are free. A group descriptor
  /// with one of these numbers would be overwritten in the child. REQUIRES: from now on, this
  /// process does not handle or ignore other signals than it does now.
  static Result<Launcher> create();

  /// Starts the process; returns once exec has succeeded. An error names the step before or at exec
  /// that failed; the child has been reaped then.
  Result<Child> launch(const LaunchPlan& plan) const;

  /// Reaps a child that has ended and returns its end; nullopt if it has not ended. Does not block.
  static Result<std::optional<Ended>> reap(const Child& child);
  /// Sends a signal. If the process has ended, reaped or not, does nothing and succeeds.
  static Result<void> signal(const Child& child, int number);
  /// Kills and reaps a child that the caller can't manage. Blocks until it is gone.
  static void abandon(const Child& child);

 private:
  Launcher() = default;
  std::vector<Fd> occupied_;
  Fd null_;
  std::uint64_t changed_signals_ = 0;  ///< ChildSetup::changed_signals
};

/// Returns the arguments for execve, which point into the plan.
std::vector<char*> argv_of(const LaunchPlan& plan);

/// Launches a child that shares our memory until exec and runs on `stack`, whose size and address
/// are multiples of 16 bytes. `setup` is what the child does before exec. A child that starts in
/// its group does not join.
Result<Child> clone_sharing(const LaunchPlan& plan, const ChildSetup& setup,
                            std::span<std::byte> stack);

}  // namespace heddle::worker
