#pragma once

#include <string>

namespace heddle {

/// Returns an id for a new run. The id has eight hexadecimal digits from the system's random
/// numbers.
std::string random_id();

}  // namespace heddle
