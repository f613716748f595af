#pragma once

#include <string>

#include "common/result.h"

namespace heddle::cli {

/// Returns the path of a scenario or experiment that a user has named. If the path begins with
/// "scenarios" and does not exist, returns the path of the file with this name that Heddle comes
/// with, if there is one. So commands of the documentation work in every directory.
std::string shipped_or_own(const std::string& path);
/// Adds to an error of reading this path where shipped_or_own() has looked, if the file is nowhere.
Error with_shipped_places(Error error, const std::string& path);

}  // namespace heddle::cli
