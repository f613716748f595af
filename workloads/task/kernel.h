#pragma once

#include <cstdint>

#include "common/cpu_line.h"
#include "workloads/task/pace.h"

// The few things heddle-task asks of the kernel. No iostream, exceptions or C++ run-time library:
// what starting costs is paid by every task of a run.
namespace heddle::task {

std::int64_t monotonic_ns();
std::int64_t thread_cpu_ns();
std::int64_t process_cpu_ns();

/// Writes "heddle-task: what[: reason]" to stderr and ends the process.
[[noreturn]] void die(int status, const char* what, const char* reason = nullptr);

/// Tells the worker that `runnable` has changed.
void ring_doorbell();

/// Sleeps until `until_ns` on the monotonic clock.
void sleep_until(std::int64_t until_ns);

/// A consistent reading of the line, and the sequence number it has.
Line read_line(const CpuLine& page, std::uint32_t& sequence);
/// Returns at `until_ns` (kNever: not by itself), when the sequence number is no longer `sequence`,
/// or for no reason.
void wait_for_line(const CpuLine& page, std::uint32_t sequence, std::int64_t until_ns);

}  // namespace heddle::task
