#pragma once

#include <cstdint>

namespace heddle {

/// CPU time that this thread has used, in seconds.
double thread_cpu_s();
/// The most that this process ever had resident.
std::int64_t peak_bytes();

}  // namespace heddle
