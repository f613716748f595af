#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/result.h"
#include "common/units.h"
#include "worker/child_setup.h"

namespace heddle::worker {

/// One process to start.
struct LaunchPlan {
  std::string program;                 ///< path; no search
  std::vector<std::string> arguments;  ///< without argv[0]
  std::vector<Fd> attach;              ///< descriptors the child joins through (v1)
  Fd directory;                        ///< group to be born in (v2); then `attach` is empty
  Fd resource;                         ///< kTaskMemoryFd or kCommandDirectoryFd, or nothing
  int page = -1;                       ///< kTaskPageFd
  int doorbell = -1;                   ///< kTaskDoorbellFd
  int filter = -1;                     ///< kCommandFilterFd
  /// It is a command's supervisor: kCommandSignals stay blocked, and it gets kCommandWorkerFd.
  bool supervisor = false;
  /// The process is the first of a PID namespace and alone in an IPC and a mount namespace
  /// (kCommandNamespaces). If this process is not root's, the new one keeps the capabilities that
  /// this one has in its user namespace.
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

/// Starts processes as children of the calling thread, which must live as long as they may: they
/// get SIGKILL when it ends. Each is in its groups before exec, leads a process group, and has
/// default signals and no descriptors but its task's and /dev/null as 0, 1 and 2.
///
/// A command's supervisor is started in no group but the worker's own, so a plan for one has
/// neither a directory nor descriptors to join through.
///
/// A plan with a directory goes through clone3(CLONE_INTO_CGROUP | CLONE_PIDFD). Others share our
/// memory until exec, as with vfork: to copy the worker's takes as long as all the rest of a start.
/// Several threads may launch at a time.
class Launcher {
 public:
  /// Occupies the descriptor numbers that tasks get, as far as they are free: a pipe or group
  /// descriptor with one of these numbers would be overwritten in the child.
  static Result<Launcher> create();

  /// Returns once exec has succeeded. Errors say which step before or at exec failed; the child is
  /// reaped then.
  Result<Child> launch(const LaunchPlan& plan) const;

  /// The end of a child if it has ended, after which it is no more. Does not block.
  static Result<std::optional<Ended>> reap(const Child& child);
  /// Not to a process that has ended, even if it isn't reaped: that is no failure.
  static Result<void> signal(const Child& child, int number);
  /// Kills and reaps a child that can't be looked after. Blocks until it is gone.
  static void abandon(const Child& child);

 private:
  Launcher() = default;
  std::vector<Fd> occupied_;
  Fd null_;
};

/// Of execve. Points into the plan.
std::vector<char*> argv_of(const LaunchPlan& plan);

/// launch() by way of clone3; `setup` is what the child does before exec.
Result<Child> clone_into(const LaunchPlan& plan, const ChildSetup& setup);
/// launch() by a child that has our memory until exec, and this stack, which is a multiple of 16
/// bytes and aligned likewise.
Result<Child> clone_sharing(const LaunchPlan& plan, const ChildSetup& setup,
                            std::span<std::byte> stack);

}  // namespace heddle::worker
