#pragma once

#include "common/exit_status.h"

namespace heddle::cli {

/// Says the error on standard error, each line of it, and gives the status for it.
int fail(const Error& error);

/// One line on standard error: "heddle: …", control characters escaped.
void say(const std::string& text);

}  // namespace heddle::cli
