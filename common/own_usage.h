#pragma once

#include <cstdint>

namespace heddle {

/// Returns the CPU time that this process has used, in seconds.
double own_cpu_s();
/// Returns the CPU time, in seconds, of all children that this process has waited for, and of their
/// children.
double children_cpu_s();
/// Returns the CPU time that this thread has used, in seconds.
double thread_cpu_s();
/// Returns the peak resident memory of this process, in bytes.
std::int64_t peak_bytes();

}  // namespace heddle
