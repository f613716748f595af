#include "cli/base/signals.h"

#include <csignal>

#include "common/signals.h"

namespace heddle::cli {

Fd take_signals() { return signals_to_read({SIGINT, SIGTERM, SIGHUP}); }

bool asked_to_stop() {
  sigset_t pending;
  sigemptyset(&pending);
  ::sigpending(&pending);
  return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
         sigismember(&pending, SIGHUP);
}

}  // namespace heddle::cli
