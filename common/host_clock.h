#pragma once

#include <string>

#include "common/units.h"

namespace heddle {

/// Returns a text that identifies the CLOCK_MONOTONIC that this process reads. Two processes with
/// the same text read the same clock. The text has the kernel's boot id (man 4 random) and the time
/// namespace (man 7 time_namespaces). If the boot id can't be read, the text is the host's name.
/// Each host should have another name.
std::string host_clock();

/// Returns the host's name (man 2 gethostname), or "" if it has none.
std::string host_name();

namespace real {
/// Returns the time on the host's CLOCK_MONOTONIC.
inline Time now() { return std::chrono::steady_clock::now(); }
}  // namespace real

}  // namespace heddle
