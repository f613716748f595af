#include "worker/launcher.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <memory>

namespace heddle::worker {
namespace {

/// Stack size for the calls of a child before exec.
constexpr std::size_t kStackBytes = 64 << 10;

/// `worker`: a pidfd of this process for a supervisor, else -1.
Result<ChildSetup> setup_of(const LaunchPlan& plan, int null, std::uint64_t changed_signals,
                            int worker) {
  if (plan.attach.size() > ChildSetup::kMostAttach)
    return aborted_error("too many hierarchies to join");
  ChildSetup setup{.parent = ::getpid(),
                   .task_fds = {plan.page, plan.doorbell, plan.resource.get(), plan.extra, worker},
                   .null = null,
                   .changed_signals = changed_signals,
                   .blocks_signals = plan.supervisor,
                   .own_pids = plan.own_namespaces,
                   .keeps_capabilities = plan.own_namespaces && ::geteuid() != 0};
  for (const Fd& fd : plan.attach) setup.attach[setup.attach_count++] = fd.get();
  return setup;
}

}  // namespace

std::vector<char*> argv_of(const LaunchPlan& plan) {
  std::vector<char*> argv{const_cast<char*>(plan.program.c_str())};
  for (const std::string& argument : plan.arguments)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  return argv;
}

Result<Launcher> Launcher::create() {
  Launcher launcher;
  launcher.changed_signals_ = changed_signals();
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
  Fd worker;
  if (plan.supervisor) {
    worker = Fd(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
    if (!worker) return system_error("open a descriptor of this process", errno);
  }
  Result<ChildSetup> setup = setup_of(plan, null_.get(), changed_signals_, worker.get());
  if (!setup) return std::move(setup).error();
  const auto stack = std::make_unique_for_overwrite<std::byte[]>(kStackBytes);
  return clone_sharing(plan, *setup, {stack.get(), kStackBytes});
}

Result<std::optional<Ended>> Launcher::reap(const Child& child) {
  siginfo_t info{};
  rusage use{};
  // The libc wrapper of waitid has no rusage.
  long rc = ::syscall(SYS_waitid, P_PIDFD, child.pidfd.get(), &info, WEXITED | WNOHANG, &use);
  if (rc < 0) return system_error("reap process " + std::to_string(child.pid), errno);
  if (info.si_pid == 0) return std::optional<Ended>();
  auto span = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  return std::optional(Ended{.by_signal = info.si_code != CLD_EXITED,
                             .value = info.si_status,
                             .cpu = span(use.ru_utime) + span(use.ru_stime)});
}

Result<void> Launcher::signal(const Child& child, int number) {
  if (::syscall(SYS_pidfd_send_signal, child.pidfd.get(), number, nullptr, 0U) < 0 &&
      errno != ESRCH)
    return system_error("signal process " + std::to_string(child.pid), errno);
  return {};
}

void Launcher::abandon(const Child& child) {
  (void)signal(child, SIGKILL);
  ::waitid(P_PIDFD, static_cast<id_t>(child.pidfd.get()), nullptr, WEXITED);
}

}  // namespace heddle::worker
