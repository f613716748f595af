#pragma once

#include <cstdint>

#include "common/cpu_line.h"
#include "workloads/task/pace.h"

// The few things that heddle-task asks of the kernel. There are no iostream, exceptions or C++
// run-time library, because every task of a run pays for what starting costs.
namespace heddle::task {

std::int64_t monotonic_ns();
std::int64_t thread_cpu_ns();
std::int64_t process_cpu_ns();

/// Writes "heddle-task: what[: reason]" to stderr and ends the process.
[[noreturn]] void die(int status, const char* what, const char* reason = nullptr);

/// Tells the worker to look at the page: kTaskDoorbellFd or kTaskFillFd.
void ring(int doorbell);

/// Sleeps until `until_ns` on the monotonic clock.
void sleep_until(std::int64_t until_ns);

/// Returns a consistent reading of the line, and its sequence number.
Line read_line(const CpuLine& page, std::uint32_t& sequence);
/// Waits until `until_ns` (kNever: without a limit) or until the sequence number is no longer
/// `sequence`. May return earlier for no reason.
void wait_for_line(const CpuLine& page, std::uint32_t sequence, std::int64_t until_ns);

}  // namespace heddle::task
