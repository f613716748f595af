#include "worker/child_setup.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "common/cpu_line.h"

namespace heddle::worker {
namespace {

/// Resets the signals in `changed` to their defaults: exec would leave ignored signals ignored, and
/// no handler of ours may run once signals are unblocked. `blocks`: the signals that a command's
/// supervisor waits for stay blocked. Otherwise, in a PID namespace of its own, the kernel would
/// drop them until the supervisor has blocked them itself.
int default_signals(std::uint64_t changed, bool blocks) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal)
    if ((changed >> (signal - 1) & 1) != 0) ::sigaction(signal, &action, nullptr);
  sigset_t blocked;
  ::sigemptyset(&blocked);
  if (blocks)
    for (int signal : kCommandSignals) ::sigaddset(&blocked, signal);
  return ::sigprocmask(SIG_SETMASK, &blocked, nullptr) < 0 ? errno : 0;
}

/// Makes exec keep the capabilities of this process. By itself exec keeps them only for root.
int keep_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  if (::syscall(SYS_capget, &header, sets) < 0) return errno;
  for (__user_cap_data_struct& set : sets) set.inheritable = set.permitted;
  if (::syscall(SYS_capset, &header, sets) < 0) return errno;
  for (unsigned capability = 0; capability < 64; ++capability)
    if ((sets[capability / 32].permitted >> capability % 32 & 1) != 0 &&
        ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) < 0)
      return errno;
  return 0;
}

int place(int from, int to) {
  if (from < 0) {
    ::close(to);  // `to` is occupied by a descriptor of ours, or not open, which is as good
    return 0;
  }
  return ::dup2(from, to) < 0 ? errno : 0;
}

}  // namespace

std::uint64_t changed_signals() {
  std::uint64_t changed = 0;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_DFL)
      changed |= std::uint64_t{1} << (signal - 1);
  }
  return changed;
}

const char* text_of(ChildStep step) {
  switch (step) {
    case ChildStep::kExec:
      return "exec";
    case ChildStep::kJoin:
      return "join its cgroup";
    case ChildStep::kDeathSignal:
      return "ask for the parent-death signal";
    case ChildStep::kOrphaned:
      return "outlived its worker";
    case ChildStep::kSignals:
      return "reset signals";
    case ChildStep::kGroup:
      return "make its process group";
    case ChildStep::kDescriptors:
      return "place its descriptors";
    case ChildStep::kCapabilities:
      return "keep its capabilities";
  }
  return "?";
}

int ChildSetup::run(const char* program, char* const* argv, ChildStep& failed) const {
  failed = ChildStep::kDeathSignal;
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) return errno;
  failed = ChildStep::kOrphaned;
  // In its own PID namespace the child has no parent; a supervisor watches the worker by a pidfd.
  if (!own_pids && ::getppid() != parent) return ESRCH;
  failed = ChildStep::kJoin;
  for (int i = 0; i < attach_count; ++i)
    if (::write(attach[i], "0", 1) != 1) return errno;
  failed = ChildStep::kSignals;
  if (int error = default_signals(changed_signals, blocks_signals)) return error;
  failed = ChildStep::kGroup;
  if (::setpgid(0, 0) < 0) return errno;
  failed = ChildStep::kDescriptors;
  static constexpr int kNumbers[kTaskFds] = {kTaskPageFd, kTaskDoorbellFd, kTaskMemoryFd,
                                             kCommandFilterFd, kCommandWorkerFd};
  for (int i = 0; i < 3; ++i)
    if (int error = place(null, i)) return error;
  for (int i = 0; i < kTaskFds; ++i)
    if (int error = place(task_fds[i], kNumbers[i])) return error;
  // Close the others at exec, not before: one of them reports errors to the parent.
  if (::close_range(kFirstFreeFd, ~0U, CLOSE_RANGE_CLOEXEC) < 0) return errno;
  failed = ChildStep::kCapabilities;
  if (int error = keeps_capabilities ? keep_capabilities() : 0) return error;
  failed = ChildStep::kExec;
  ::execve(program, argv, environ);
  return errno;
}

}  // namespace heddle::worker
