#pragma once

#include "common/exit_status.h"

namespace heddle::cli {

/// Prints every line of the error on standard error. Returns the exit status for this error.
int fail(const Error& error);
/// Returns the status. If there is an error instead, prints it and returns the exit status for it.
int status_or_fail(const Result<int>& status);

/// Returns whether one or several runs ended normally, even if some of their jobs failed.
inline bool came_to_its_end(int status) { return status == kExitDone || status == kExitJobFailed; }

/// Prints one line on standard error: "heddle: …", with control characters escaped.
void say(const std::string& text);

}  // namespace heddle::cli
