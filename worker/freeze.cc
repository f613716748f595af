#include "worker/freeze.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace heddle::worker {
namespace {

/// Between two signals that continue us, should the first have come before we stopped.
constexpr timespec kAgain{0, 100'000'000};

timespec to_timespec(real::Duration length) {
  const std::int64_t ns = std::max<std::int64_t>(length.count(), 1);
  return {ns / 1'000'000'000, ns % 1'000'000'000};
}

}  // namespace

Result<void> freeze_ourselves(real::Duration length) {
  sigevent wake{};
  wake.sigev_notify = SIGEV_SIGNAL;
  wake.sigev_signo = SIGCONT;
  timer_t timer{};
  if (::timer_create(CLOCK_MONOTONIC, &wake, &timer) < 0)
    return system_error("make a timer", errno);
  const itimerspec when{kAgain, to_timespec(length)};
  Result<void> done;
  if (::timer_settime(timer, 0, &when, nullptr) < 0)
    done = system_error("set a timer", errno);
  else
    ::raise(SIGSTOP);
  ::timer_delete(timer);
  return done;
}

}  // namespace heddle::worker
