#pragma once

#include <string>

#include "common/result.h"

namespace heddle::cli {

/// Checks the form, the key and the value of an argument of --with, such as "reserve=false". This
/// check needs no scenario. Error (kUsage): its text does not begin with the argument.
Result<void> check_with_option(const std::string& text);

/// Returns the assignment of the scenario, as of --set, that an argument of --with means.
inline std::string assignment_of_with(const std::string& text) { return "policy." + text; }

}  // namespace heddle::cli
