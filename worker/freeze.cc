#include "worker/freeze.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <string>
#include <string_view>

#include "common/fd.h"
#include "common/host_clock.h"
#include "worker/process_state.h"

namespace heddle::worker {
namespace {

/// Time between two looks at the pending signals. A signal to continue is repeated as often,
/// because the first one can arrive before the process has stopped.
constexpr real::Duration kLookPeriod = std::chrono::milliseconds(50);

bool is_to_end(const char* status_file) {
  const Fd file(::open(status_file, O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> text{};
  const ssize_t n = ::read(file.get(), text.data(), text.size());
  if (n <= 0) return true;
  const std::string_view status(text.data(), static_cast<std::size_t>(n));
  return std::any_of(kEndSignals.begin(), kEndSignals.end(),
                     [status](int signal) { return is_pending(signal, status); });
}

/// Lets the process continue at `until`, or when it is to end. Runs in a process of its own, which
/// ends with the other one.
[[noreturn]] void watch(pid_t frozen, const char* status_file, real::Time until) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || ::getppid() != frozen) ::_exit(1);
  for (;;) {
    const real::Time now = real::now();
    if (now >= until || is_to_end(status_file)) ::kill(frozen, SIGCONT);
    const real::Duration pause =
        now < until ? std::min<real::Duration>(until - now, kLookPeriod) : kLookPeriod;
    const timespec sleep{0, pause.count()};
    ::nanosleep(&sleep, nullptr);
  }
}

}  // namespace

Result<void> freeze_ourselves(real::Duration length) {
  const real::Time until = real::now() + std::max(length, real::Duration(1));
  const pid_t self = ::getpid();
  const std::string status_file = "/proc/" + std::to_string(self) + "/status";
  const pid_t watcher = ::fork();
  if (watcher < 0) return system_error("make a process", errno);
  if (watcher == 0) watch(self, status_file.c_str(), until);
  ::raise(SIGSTOP);
  ::kill(watcher, SIGKILL);
  ::waitpid(watcher, nullptr, 0);
  return {};
}

}  // namespace heddle::worker
