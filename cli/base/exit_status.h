#pragma once

#include "common/exit_status.h"

namespace heddle::cli {

/// Says the error on standard error, each line of it, and gives the status for it.
int fail(const Error& error);
/// The status; of an error, which is said, the status for it.
int status_or_fail(const Result<int>& status);

/// Of a run, or of several: it came to its end, though a job may have failed.
inline bool came_to_its_end(int status) { return status == kExitDone || status == kExitJobFailed; }

/// One line on standard error: "heddle: …", control characters escaped.
void say(const std::string& text);

}  // namespace heddle::cli
