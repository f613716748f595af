#pragma once

#include "common/fd.h"

namespace heddle::cli {

/// Blocks the user's signals (SIGINT, SIGTERM, SIGHUP) and returns a descriptor to read them from.
/// If a signal is ignored, for example under nohup or in a shell's background, it stays ignored.
Fd take_signals();

/// Returns whether SIGINT, SIGTERM or SIGHUP is pending.
bool asked_to_stop();

}  // namespace heddle::cli
