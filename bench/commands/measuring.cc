#include "bench/commands/measuring.h"

#include <poll.h>

#include <cerrno>
#include <csignal>

#include "cli/base/signals.h"

namespace heddle::bench {

Result<Workbench> Workbench::set_up() {
  Fd signals = cli::take_signals();
  if (!signals) return system_error("make a signal descriptor", errno);
  Result<host::ScratchDirectory> scratch = host::ScratchDirectory::create();
  if (!scratch) return std::move(scratch).error();
  return Workbench(std::move(signals), *std::move(scratch));
}

Result<void> Workbench::pause(std::chrono::milliseconds length) const {
  pollfd item{signals(), POLLIN, 0};
  ::poll(&item, 1, static_cast<int>(length.count()));
  if (cli::asked_to_stop()) return aborted_error("interrupted");
  return {};
}

Ending::~Ending() {
  child_.signal(signal_);
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + patience_; !ended() && Clock::now() < end;) {
    pollfd item{child_.pidfd(), POLLIN, 0};
    ::poll(&item, 1, 100);
  }
  child_.signal(SIGKILL);
  child_.wait();
}

}  // namespace heddle::bench
