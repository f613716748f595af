#pragma once

#include "common/fd.h"

namespace heddle::cli {

/// From here on the user's signals (SIGINT, SIGTERM, SIGHUP) wait for us to read them from the
/// descriptor; those that are ignored (by nohup, in a shell's background) stay so.
Fd take_signals();

/// One of them waits to be read.
bool asked_to_stop();

}  // namespace heddle::cli
