#pragma once

#include <string>

namespace heddle {

/// A new run's id: eight hexadecimal digits of the system's random numbers.
std::string random_id();

}  // namespace heddle
