#include <fcntl.h>
#include <linux/sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

#include "worker/launcher.h"

namespace heddle::worker {
namespace {

struct Failure {
  int error;
  ChildStep step;
};

[[noreturn]] void run_child(const char* program, char* const* argv, const ChildSetup& setup,
                            int pipe) {
  Failure failure{};
  failure.error = setup.run(program, argv, failure.step);
  ssize_t written = ::write(pipe, &failure, sizeof failure);
  (void)written;  // the exit status says the same
  ::_exit(127);
}

/// Returns nothing if exec has closed the pipe.
std::optional<Failure> read_failure(int pipe) {
  Failure failure{};
  ssize_t n = 0;
  do n = ::read(pipe, &failure, sizeof failure);
  while (n < 0 && errno == EINTR);
  if (n == sizeof failure) return failure;
  return std::nullopt;
}

}  // namespace

Result<Child> clone_into(const LaunchPlan& plan, const ChildSetup& setup) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) < 0) return system_error("make a pipe", errno);
  Fd reader(ends[0]);
  Fd writer(ends[1]);
  const std::vector<char*> argv = argv_of(plan);
  int pidfd = -1;
  clone_args args{};
  args.flags = CLONE_PIDFD | CLONE_INTO_CGROUP;
  args.pidfd = reinterpret_cast<std::uint64_t>(&pidfd);
  args.exit_signal = SIGCHLD;
  args.cgroup = static_cast<std::uint64_t>(plan.directory.get());
  long pid = ::syscall(SYS_clone3, &args, sizeof args);
  if (pid == 0) run_child(plan.program.c_str(), argv.data(), setup, writer.get());
  if (pid < 0) return system_error("clone into its cgroup", errno);
  Child child{static_cast<pid_t>(pid), Fd(pidfd)};
  writer.reset();
  if (std::optional<Failure> failure = read_failure(reader.get())) {
    ::waitpid(child.pid, nullptr, 0);
    return system_error(std::string(text_of(failure->step)) + " (" + plan.program + ")",
                        failure->error);
  }
  return child;
}

}  // namespace heddle::worker
