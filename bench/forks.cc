#include "bench/forks.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <exception>
#include <new>

namespace heddle::bench {

double process_cpu_s(pid_t pid) {
  clockid_t clock;
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

double process_cpu_s(const std::vector<pid_t>& pids) {
  double sum = 0;
  for (pid_t pid : pids) sum += process_cpu_s(pid);
  return sum;
}

Forks::~Forks() {
  for (pid_t pid : pids_) ::kill(pid, SIGKILL);
  for (pid_t pid : pids_)
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
}

Result<pid_t> Forks::start(const std::function<void()>& body) {
  // Unflushed output would be written twice.
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return system_error("start a process to measure with", errno);
  if (pid > 0) {
    pids_.push_back(pid);
    return pid;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent died before the prctl
  try {
    body();
  } catch (const std::exception& error) {
    // An exception must not leave the forked child.
    std::fprintf(stderr, "heddle: internal error: %s\n", error.what());
    ::_exit(1);
  }
  ::_exit(0);
}

bool Forks::all_run() const {
  return std::all_of(pids_.begin(), pids_.end(), [](pid_t pid) {
    siginfo_t end{};
    return ::waitid(P_PID, static_cast<id_t>(pid), &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           end.si_pid == 0;
  });
}

SharedMemory::SharedMemory(std::size_t bytes)
    : data_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
      bytes_(bytes) {
  if (data_ == MAP_FAILED) throw std::bad_alloc();
}

SharedMemory::~SharedMemory() { ::munmap(data_, bytes_); }

}  // namespace heddle::bench
