#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

#include "worker/clone3_call.h"
#include "worker/launcher.h"

namespace heddle::worker {
namespace {

/// The child's input, and the reason if it fails.
struct CloneStart {
  const char* program;
  char* const* argv;
  ChildSetup setup;
  ChildStep step{};
  int error = 0;
};

[[noreturn]] void run_child(void* given) {
  auto& start = *static_cast<CloneStart*>(given);
  start.error = start.setup.run(start.program, start.argv, start.step);
  ::_exit(127);
}

int run_cloned(void* given) { run_child(given); }

/// Makes the process in the plan's group. Returns its id, or a negative error number.
long make_in_group(const LaunchPlan& plan, CloneStart& start, std::span<std::byte> stack,
                   int& pidfd) {
  clone_args args{};
  args.flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | CLONE_INTO_CGROUP;
  args.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
  args.exit_signal = SIGCHLD;
  args.cgroup = static_cast<std::uint64_t>(plan.directory.get());
  start.setup.attach_count = 0;  // the child is in its group already
  return clone3_sharing(args, stack, run_child, &start);
}

/// Makes the process. Returns its id, or a negative error number.
long make_process(const LaunchPlan& plan, CloneStart& start, std::span<std::byte> stack,
                  int& pidfd) {
  if (plan.directory) {
    const int attach_count = start.setup.attach_count;
    const long pid = make_in_group(plan, start, stack, pidfd);
    // Without a way to join, the process would run outside of its group.
    if (pid > 0 || attach_count == 0 || !joins_instead(static_cast<int>(-pid))) return pid;
    start.setup.attach_count = attach_count;
  }
  const int flags = plan.own_namespaces ? kCommandNamespaces : 0;
  const int pid = ::clone(run_cloned, stack.data() + stack.size(),
                          CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD | flags, &start, &pidfd);
  return pid < 0 ? -errno : pid;
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
  // Returns once the child has executed the program or ended.
  const long pid = make_process(plan, start, stack, pidfd);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return system_error("make a process", static_cast<int>(-pid));
  Child child{static_cast<pid_t>(pid), Fd(pidfd)};
  if (start.error == 0) return child;
  ::waitpid(child.pid, nullptr, 0);
  return system_error(std::string(text_of(start.step)) + " (" + plan.program + ")", start.error);
}

}  // namespace heddle::worker
