#include "workloads/task/ballast.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "workloads/task/kernel.h"

namespace heddle::task {

bool Ballast::reserve(int usage_fd, std::int64_t peak, bool random) {
  usage_fd_ = ::fcntl(usage_fd, F_GETFD) < 0 ? -1 : usage_fd;
  room_ = peak / kStep * kStep;
  if (room_ == 0) return true;
  void* memory = ::mmap(nullptr, static_cast<std::size_t>(room_), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  base_ = static_cast<char*>(memory);
  // Kernels built without huge pages or same-page merging refuse these calls and need none.
  ::madvise(memory, static_cast<std::size_t>(room_), MADV_NOHUGEPAGE);
  ::madvise(memory, static_cast<std::size_t>(room_), MADV_UNMERGEABLE);
  every_ = random ? std::int64_t{sizeof(std::uint64_t)} : kPage;
  random_ = (static_cast<std::uint64_t>(monotonic_ns()) * 0x9e3779b97f4a7c15U + ::getpid()) | 1;
  return true;
}

bool Ballast::adjust(std::int64_t target) {
  std::int64_t now = usage();
  if (now + kStep <= target && held_ < room_) {
    grow();
  } else if (now >= target + kStep && held_ > 0) {
    shrink();
  } else {
    return false;
  }
  return true;
}

std::int64_t Ballast::usage() const {
  char text[32];
  ssize_t n = usage_fd_ < 0 ? 0 : ::pread(usage_fd_, text, sizeof text, 0);
  if (n <= 0) return held_;
  std::int64_t bytes = 0;
  for (const char* c = text; c < text + n && *c >= '0' && *c <= '9'; ++c)
    bytes = bytes * 10 + (*c - '0');
  return bytes;
}

void Ballast::grow() {
  std::uint64_t x = random_;
  for (std::int64_t at = held_; at < held_ + kStep; at += every_) {  // xorshift64 (Marsaglia)
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *reinterpret_cast<std::uint64_t*>(base_ + at) = x;
  }
  random_ = x;
  held_ += kStep;
}

void Ballast::shrink() {
  held_ -= kStep;
  ::madvise(base_ + held_, static_cast<std::size_t>(kStep), MADV_DONTNEED);
}

}  // namespace heddle::task
