#pragma once

#include "common/fd.h"

namespace heddle::cli {

/// Blocks the user's signals (SIGINT, SIGTERM, SIGHUP) and returns a descriptor to read them from.
/// Ignored signals (by nohup, or in a shell's background) stay ignored.
Fd take_signals();

/// Returns whether one of these signals is pending.
bool asked_to_stop();

}  // namespace heddle::cli
