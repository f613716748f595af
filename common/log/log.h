#pragma once

#include <string>
#include <string_view>

#include "common/result.h"

namespace heddle {

// The log of a process: one line for each message. Characters that a terminal can interpret as
// commands are escaped. Before one of the next two functions is called, lines go to standard
// output.

/// Appends to the file from now on. `name`: stands for %n in the lines' pattern.
Result<void> log_to_file(const std::string& path, const std::string& name);
/// Writes to standard error from now on.
void log_to_standard_error(const std::string& name);
/// Sets the pattern of lines (spdlog's, in which %* stands for the message). From now on, each line
/// of level info and above is written at once.
void set_log_pattern(const std::string& pattern);

void log_debug(std::string_view message);
void log_info(std::string_view message);
void log_warning(std::string_view message);
void log_error(std::string_view message);

}  // namespace heddle
