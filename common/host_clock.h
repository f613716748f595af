#pragma once

#include <string>

#include "common/units.h"

namespace heddle {

/// Whose CLOCK_MONOTONIC this process reads: two with the same text read the same one. The kernel's
/// boot id (man 4 random) and the time namespace (man 7 time_namespaces); where the kernel tells
/// neither, the host's name, which no other host should have.
std::string host_clock();

/// The host's name (man 2 gethostname), "" if it has none.
std::string host_name();

namespace real {
/// Returns the time on the host's CLOCK_MONOTONIC.
inline Time now() { return std::chrono::steady_clock::now(); }
}  // namespace real

}  // namespace heddle
