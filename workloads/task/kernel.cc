#include "workloads/task/kernel.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

namespace heddle::task {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t clock_ns(clockid_t clock) {
  timespec t;
  ::clock_gettime(clock, &t);
  return t.tv_sec * kSecond + t.tv_nsec;
}

timespec to_timespec(std::int64_t ns) { return {ns / kSecond, ns % kSecond}; }

void say(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // nobody else to tell
}

}  // namespace

std::int64_t monotonic_ns() { return clock_ns(CLOCK_MONOTONIC); }
std::int64_t thread_cpu_ns() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }
std::int64_t process_cpu_ns() { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

void die(int status, const char* what, const char* reason) {
  say("heddle-task: ");
  say(what);
  if (reason != nullptr) {
    say(": ");
    say(reason);
  }
  say("\n");
  ::_exit(status);
}

void ring(int doorbell) {
  std::uint64_t one = 1;
  // Fails only if the counter is full; then the worker has not yet looked anyway.
  if (::write(doorbell, &one, sizeof one) < 0) return;
}

void sleep_until(std::int64_t until_ns) {
  timespec until = to_timespec(until_ns);
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
  }
}

Line read_line(const CpuLine& page, std::uint32_t& sequence) {
  for (;;) {
    std::uint32_t before = page.seq.load(std::memory_order_acquire);
    Line line{page.a0_ns.load(std::memory_order_relaxed),
              page.tc_ns.load(std::memory_order_relaxed),
              page.rate.load(std::memory_order_relaxed)};
    std::atomic_thread_fence(std::memory_order_acquire);
    std::uint32_t after = page.seq.load(std::memory_order_relaxed);
    if (before % 2 == 0 && before == after) {
      sequence = before;
      return line;
    }
    // The worker may have lost its CPU between two stores. Wait, so that it can have ours; it wakes
    // us when done.
    if (after % 2 == 1) wait_for_line(page, after, monotonic_ns() + 1'000'000);
  }
}

void wait_for_line(const CpuLine& page, std::uint32_t sequence, std::int64_t until_ns) {
  timespec until = to_timespec(until_ns);
  ::syscall(SYS_futex, &page.seq, FUTEX_WAIT_BITSET, sequence,
            until_ns == kNever ? nullptr : &until, nullptr, FUTEX_BITSET_MATCH_ANY);
}

}  // namespace heddle::task
