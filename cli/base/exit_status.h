#pragma once

#include "common/exit_status.h"

namespace heddle::cli {

/// Prints every line of the error on standard error and returns the exit status for it.
int fail(const Error& error);
/// Returns the status. Prints an error and returns the exit status for it.
int status_or_fail(const Result<int>& status);

/// Returns whether a run, or several, ended normally; jobs may have failed.
inline bool came_to_its_end(int status) { return status == kExitDone || status == kExitJobFailed; }

/// Prints one line on standard error: "heddle: …", with control characters escaped.
void say(const std::string& text);

}  // namespace heddle::cli
