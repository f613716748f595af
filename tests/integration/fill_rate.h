#pragma once

#include <sys/mman.h>
#include <time.h>

#include <cstdint>

namespace heddle {

/// Returns whether a process on this machine can fill less than 1 GB of new memory per CPU second.
/// This happens, for example, in a virtual machine whose host has taken back free memory. A task
/// needs its own CPU time to fill its memory, so its memory profile and CPU time are wrong in this
/// case.
inline bool fills_memory_slowly() {
  constexpr std::int64_t kBytes = 32 << 20;
  const auto cpu_ns = [] {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1'000'000'000 + t.tv_nsec;
  };
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return true;
  const std::int64_t before = cpu_ns();
  for (std::int64_t at = 0; at < kBytes; at += 4096) static_cast<volatile char*>(memory)[at] = 1;
  const std::int64_t took_ns = cpu_ns() - before;
  munmap(memory, kBytes);
  return took_ns > kBytes;  // 1 GB/s is one byte a nanosecond
}

}  // namespace heddle
