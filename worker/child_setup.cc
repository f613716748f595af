#include "worker/child_setup.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "common/cpu_line.h"

namespace heddle::worker {
namespace {

int default_signals() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  // Handlers fall away at exec, but ignored signals stay ignored.
  for (int signal = 1; signal < NSIG; ++signal)
    if (signal != SIGKILL && signal != SIGSTOP) ::sigaction(signal, &action, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  return ::sigprocmask(SIG_SETMASK, &none, nullptr) < 0 ? errno : 0;
}

int place(int from, int to) {
  if (from < 0) {
    ::close(to);  // an occupied number of ours; not open is as good
    return 0;
  }
  return ::dup2(from, to) < 0 ? errno : 0;
}

}  // namespace

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
  }
  return "?";
}

int ChildSetup::run(ChildStep& failed) const {
  failed = ChildStep::kDeathSignal;
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) return errno;
  failed = ChildStep::kOrphaned;
  if (::getppid() != parent) return ESRCH;
  failed = ChildStep::kJoin;
  for (int i = 0; i < attach_count; ++i)
    if (::write(attach[i], "0", 1) != 1) return errno;
  failed = ChildStep::kSignals;
  if (int error = default_signals()) return error;
  failed = ChildStep::kGroup;
  if (::setpgid(0, 0) < 0) return errno;
  failed = ChildStep::kDescriptors;
  static constexpr int kNumbers[3] = {kTaskPageFd, kTaskDoorbellFd, kTaskMemoryFd};
  for (int i = 0; i < 3; ++i)
    if (int error = place(null, i)) return error;
  for (int i = 0; i < 3; ++i)
    if (int error = place(task_fds[i], kNumbers[i])) return error;
  // The rest goes at exec, not before: one of them tells the parent of errors.
  return ::close_range(kFirstFreeFd, ~0U, CLOSE_RANGE_CLOEXEC) < 0 ? errno : 0;
}

}  // namespace heddle::worker
