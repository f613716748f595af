#include "worker/launcher.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Boost.Process 1.81's own warnings are not ours to fix.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#pragma GCC diagnostic pop

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace heddle::worker {
namespace {

namespace bp = boost::process;

/// The step that failed travels in the upper half of the number that Boost carries to the parent.
constexpr int kStepShift = 16;

Result<ChildSetup> setup_of(const LaunchPlan& plan, int null) {
  ChildSetup setup;
  if (plan.attach.size() > ChildSetup::kMostAttach)
    return aborted_error("too many hierarchies to join");
  for (const Fd& fd : plan.attach) setup.attach[setup.attach_count++] = fd.get();
  setup.parent = ::getpid();
  setup.task_fds[0] = plan.page;
  setup.task_fds[1] = plan.doorbell;
  setup.task_fds[2] = plan.resource.get();
  setup.null = null;
  return setup;
}

Result<Child> adopt(pid_t pid) {
  Child child;
  child.pid = pid;
  child.pidfd = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (child.pidfd) return child;
  Error error = system_error("open a pidfd of process " + std::to_string(pid), errno);
  Launcher::abandon(child);
  return error;
}

Result<Child> spawn(const LaunchPlan& plan, const ChildSetup& setup) {
  pid_t failed = -1;
  auto before_exec = [&setup](auto& executor) {
    ChildStep step{};
    int error = setup.run(step);
    if (error == 0) return;
    executor.set_error(
        std::error_code(error | static_cast<int>(step) << kStepShift, std::system_category()), "");
    ::_exit(127);
  };
  std::error_code error;
  bp::child child(
      bp::exe = plan.program, bp::args = plan.arguments, error,
      bp::extend::on_exec_setup = before_exec,
      bp::extend::on_error = [&failed](auto& executor, const std::error_code&) {
        failed = executor.pid;
      });
  if (error) {
    // Boost reaps it only if it has ended by now.
    if (failed > 0) ::waitpid(failed, nullptr, 0);
    auto step = static_cast<ChildStep>(error.value() >> kStepShift);
    return system_error(std::string(text_of(step)) + " (" + plan.program + ")",
                        error.value() & ((1 << kStepShift) - 1));
  }
  pid_t pid = child.id();
  child.detach();
  return adopt(pid);
}

}  // namespace

Result<Launcher> Launcher::create() {
  Launcher launcher;
  for (;;) {
    Fd fd(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!fd) return system_error("open /dev/null", errno);
    if (fd.get() >= kFirstFreeFd) {
      launcher.null_ = std::move(fd);
      return launcher;
    }
    launcher.occupied_.push_back(std::move(fd));
  }
}

Result<Child> Launcher::launch(const LaunchPlan& plan) const {
  Result<ChildSetup> setup = setup_of(plan, null_.get());
  if (!setup) return std::move(setup).error();
  return plan.directory ? clone_into(plan, *setup) : spawn(plan, *setup);
}

Result<std::optional<Ended>> Launcher::reap(const Child& child) {
  siginfo_t info{};
  rusage use{};
  // The libc wrapper has no rusage.
  long rc = ::syscall(SYS_waitid, P_PIDFD, child.pidfd.get(), &info, WEXITED | WNOHANG, &use);
  if (rc < 0) return system_error("reap process " + std::to_string(child.pid), errno);
  if (info.si_pid == 0) return std::optional<Ended>();
  Ended ended;
  ended.by_signal = info.si_code != CLD_EXITED;
  ended.value = info.si_status;
  auto span = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  ended.cpu = span(use.ru_utime) + span(use.ru_stime);
  return std::optional<Ended>(ended);
}

Result<void> Launcher::signal(const Child& child, int number) {
  if (::syscall(SYS_pidfd_send_signal, child.pidfd.get(), number, nullptr, 0U) < 0 &&
      errno != ESRCH)
    return system_error("signal process " + std::to_string(child.pid), errno);
  return {};
}

void Launcher::abandon(const Child& child) {
  ::kill(child.pid, SIGKILL);
  ::waitpid(child.pid, nullptr, 0);
}

}  // namespace heddle::worker
