#include "bench/forks.h"

#include <fcntl.h>
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

#include "bench/failed.h"
#include "common/fd.h"
#include "common/file.h"

namespace heddle::bench {
namespace {

using wire::Json;

/// Returns {ok: …} or {error: …}.
Json outcome_of(const std::function<Json()>& measure) {
  try {
    return {{"ok", measure()}};
  } catch (const Failed& failed) {
    return {{"error", failed.error.text}};
  } catch (const std::exception& error) {
    return {{"error", std::string("internal error: ") + error.what()}};
  }
}

std::string read_all(int in) {
  std::string text;
  char buffer[4096];
  for (ssize_t n = 1; n != 0;) {
    n = ::read(in, buffer, sizeof buffer);
    if (n < 0 && errno != EINTR) break;
    text.append(buffer, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  }
  return text;
}

}  // namespace

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

pid_t Forks::start(const std::function<void()>& body) {
  // Unflushed output would be written twice.
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw Failed(system_error("start a process to measure with", errno));
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

Json in_child(const std::function<Json()>& measure) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Failed(system_error("make a pipe", errno));
  Fd in(ends[0]), out(ends[1]);
  Forks child;
  const pid_t pid =
      child.start([&] { (void)write_all(out.get(), outcome_of(measure).dump(), "the outcome"); });
  out = Fd();
  const Json said = Json::parse(read_all(in.get()), nullptr, false);
  siginfo_t end{};
  while (::waitid(P_PID, static_cast<id_t>(pid), &end, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  if (end.si_code == CLD_KILLED)
    throw Failed("the process that measured was killed by signal " + std::to_string(end.si_status));
  if (!said.is_object()) throw Failed("the process that measured said nothing");
  if (said.contains("error")) throw Failed(said.at("error").get<std::string>());
  return said.at("ok");
}

SharedMemory::SharedMemory(std::size_t bytes)
    : data_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
      bytes_(bytes) {
  if (data_ == MAP_FAILED) throw std::bad_alloc();
}

SharedMemory::~SharedMemory() { ::munmap(data_, bytes_); }

}  // namespace heddle::bench
