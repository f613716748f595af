#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "worker/launcher.h"

namespace heddle::worker {
namespace {

/// The child's input, and the reason if it fails.
struct CloneStart {
  const char* program;
  char* const* argv;
  const ChildSetup& setup;
  ChildStep step{};
  int error = 0;
};

int run_child(void* given) {
  auto& start = *static_cast<CloneStart*>(given);
  start.error = start.setup.run(start.program, start.argv, start.step);
  ::_exit(127);
}

}  // namespace

Result<Child> clone_sharing(const LaunchPlan& plan, const ChildSetup& setup,
                            std::span<std::byte> stack) {
  const std::vector<char*> argv = argv_of(plan);
  CloneStart start{plan.program.c_str(), argv.data(), setup};
  // Block all signals: the child shares our memory, so no handler may run before it resets them.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  int pidfd = -1;
  const int flags = plan.own_namespaces ? kCommandNamespaces : 0;
  // clone returns once the child has executed the program or ended.
  const int pid = ::clone(run_child, stack.data() + stack.size(),
                          CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD | flags, &start, &pidfd);
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return system_error("make a process", error);
  Child child{pid, Fd(pidfd)};
  if (start.error == 0) return child;
  ::waitpid(pid, nullptr, 0);
  return system_error(std::string(text_of(start.step)) + " (" + plan.program + ")", start.error);
}

}  // namespace heddle::worker
