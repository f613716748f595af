#pragma once

#include <atomic>
#include <cstdint>

namespace heddle {

/// The page that a worker and one heddle-task share (a memfd, mapped by both). Plain data with a
/// fixed layout: both sides are built from this header, and `version` says so.
///
/// The line: each thread of the task may have used A0 + rate * (now - tc) of CPU by CLOCK_MONOTONIC
/// `now`; rate is CPU seconds per second (0 while suspended). Guarded by a sequence lock: odd while
/// the worker writes; the task waits on `seq` (futex, shared) so that a change wakes it.
struct CpuLine {
  std::atomic<std::uint32_t> seq{0};
  std::uint32_t pad = 0;
  std::atomic<std::int64_t> a0_ns{0};  ///< CPU nanoseconds per thread at tc
  std::atomic<std::int64_t> tc_ns{0};  ///< CLOCK_MONOTONIC nanoseconds
  std::atomic<double> rate{0};
};

inline constexpr int kMaxMemoryPoints = 64;
inline constexpr int kMaxThreads = 256;

/// What the task is to do, real units; written by the worker before exec, constant afterwards.
struct TaskOrder {
  std::int64_t cpu_ns_per_thread = 0;
  std::int32_t threads = 1;
  std::int32_t paced = 1;  ///< 0: burn without following the line (pacing: none)
  std::int64_t sleep_ns = 0;
  std::int64_t start_ns = 0;  ///< CLOCK_MONOTONIC when the line began; sleep counts from here
  double sleep_share = 0;     ///< share of progress that the sleep is, 0..1
  std::int32_t memory_points = 0;
  std::int32_t pad = 0;
  struct Point {
    double progress;
    std::int64_t bytes;
  } memory[kMaxMemoryPoints];
};

/// What the task says; written by the task only.
struct TaskReport {
  std::atomic<std::int32_t> hungry{0};  ///< threads that want CPU now; the doorbell rings on change
  std::atomic<double> progress{0};      ///< 0..1
  std::atomic<std::int64_t> cpu_ns{0};  ///< CPU used by the process so far
  std::atomic<std::int64_t> startup_cpu_ns{0};
  std::atomic<std::int64_t> forfeited_ns{
      0};                             ///< wall time lost to the host beyond the catch-up depth
  std::atomic<std::int32_t> done{0};  ///< 1 once all work is done
};

struct TaskPage {
  static constexpr std::uint32_t kVersion = 1;
  std::uint32_t version = kVersion;
  std::uint32_t pad = 0;
  CpuLine line;
  TaskOrder order;
  TaskReport report;
};

/// Descriptors that heddle-task finds open: the page, the worker's doorbell (an eventfd that it
/// writes 1 to when `hungry` changes), and the memory-usage file of its container (read-only;
/// absent where the container has none).
inline constexpr int kTaskPageFd = 3;
inline constexpr int kTaskDoorbellFd = 4;
inline constexpr int kTaskMemoryFd = 5;

}  // namespace heddle
