#pragma once

#include <string>
#include <vector>

#include "common/result.h"

namespace heddle::cli {

/// Runs a program of $PATH without a shell and returns what it prints. Errors (kMachine): the
/// program is missing, it does not end within a minute, or it fails; the text has its last lines.
Result<std::string> output_of(const std::vector<std::string>& words);

/// Returns the path of a program in $PATH, or "" if there is none.
std::string find_program(const std::string& name);

}  // namespace heddle::cli
