#pragma once

#include "common/result.h"

namespace heddle {

// Exit statuses, as `heddle --help` tells them.
inline constexpr int kExitDone = 0;
inline constexpr int kExitJobFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitMachine = 3;
inline constexpr int kExitAborted = 4;
inline constexpr int kExitInterrupted = 130;

/// Says the error on standard error, each line of it, and gives the status for it.
int fail(const Error& error);

/// One line on standard error: "heddle: …".
void say(const std::string& text);

}  // namespace heddle
