#include "common/signals.h"

#include <sys/signalfd.h>

#include <csignal>

namespace heddle {
namespace {

sigset_t not_ignored(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : signals) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&set, signal);
  }
  return set;
}

}  // namespace

void set_up_signals() {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  // If SIGCHLD were ignored, the kernel would reap the children.
  ::signal(SIGCHLD, SIG_DFL);
}

void block_signals(std::initializer_list<int> signals) {
  const sigset_t set = not_ignored(signals);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
}

Fd signals_to_read(std::initializer_list<int> signals) {
  const sigset_t set = not_ignored(signals);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  return Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int next_signal(int signals) {
  signalfd_siginfo info{};
  if (::read(signals, &info, sizeof info) != sizeof info) return 0;
  return static_cast<int>(info.ssi_signo);
}

}  // namespace heddle
