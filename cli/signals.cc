#include "cli/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

namespace heddle {

Fd take_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  return Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

bool asked_to_stop() {
  sigset_t pending;
  sigemptyset(&pending);
  ::sigpending(&pending);
  return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
         sigismember(&pending, SIGHUP);
}

bool read_signal(int signals) {
  signalfd_siginfo info{};
  return ::read(signals, &info, sizeof info) == sizeof info;
}

}  // namespace heddle
