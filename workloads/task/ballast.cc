#include "workloads/task/ballast.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "workloads/task/kernel.h"

namespace heddle::task {
namespace {

constexpr std::int64_t kPage = 4096;
/// CPU time to give back a small page, and a huge one.
constexpr std::int64_t kReleasePageNs = 200, kReleaseHugeNs = 10'000;
/// Giving back more than this at once takes more CPU than a small container has in a period.
constexpr std::int64_t kLongReleaseNs = 300'000;
/// Small pages given back in one go, without a look at the clocks in between.
constexpr std::int64_t kReleaseStep = 4 << 20;

std::int64_t down_to_huge(std::int64_t bytes) { return bytes / kHugePage * kHugePage; }

}  // namespace

bool Ballast::reserve(int usage_fd, std::int64_t peak, bool huge) {
  usage_fd_ = ::fcntl(usage_fd, F_GETFD) < 0 ? -1 : usage_fd;
  has_bell_ = ::fcntl(kTaskFillFd, F_GETFD) >= 0;
  const std::int64_t room = peak / kBallastStep * kBallastStep;
  if (room == 0) return true;
  const auto bytes = static_cast<std::size_t>(room + kHugePage);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  // Kernels built without huge pages or same-page merging refuse these calls and need none.
  huge_ = ::madvise(memory, bytes, MADV_NOHUGEPAGE) == 0 && huge;
  ::madvise(memory, bytes, MADV_UNMERGEABLE);
  constexpr std::uint64_t kMask = kHugePage - 1;
  base_ = reinterpret_cast<char*>((reinterpret_cast<std::uint64_t>(memory) + kMask) & ~kMask);
  random_ = (static_cast<std::uint64_t>(monotonic_ns()) * 0x9e3779b97f4a7c15U + ::getpid()) | 1;
  page_.room.store(room);
  page_.base.store(reinterpret_cast<std::uint64_t>(base_));
  return true;
}

bool Ballast::fills_itself() const { return !has_bell_ || page_.refused.load() != 0; }

bool Ballast::adjust(std::int64_t target) {
  if (base_ == nullptr) return false;  // there is no profile to follow
  const bool moved = std::abs(target - asked_) >= kBallastStep || (target == 0 && asked_ != 0);
  if (!moved && !fills_itself()) return false;
  const std::int64_t began_ns = thread_cpu_ns();
  bool more = false;
  if (const std::int64_t now = usage(); now >= target + kBallastStep && page_.held.load() > 0) {
    more = release(target);
  } else if (fills_itself()) {
    more = now + kBallastStep <= target && fill();
  } else {
    ask(target);
  }
  cpu_ns_ += thread_cpu_ns() - began_ns;
  page_.release_cpu_ns.store(cpu_ns_, std::memory_order_relaxed);
  return more;
}

/// Asks the worker to fill up to a charge of `target`.
void Ballast::ask(std::int64_t target) {
  asked_ = target;
  const std::int64_t held = page_.held.load();
  const std::int64_t missing = std::max<std::int64_t>(target - usage(), 0);
  const std::int64_t begin = down_to_huge(held + kHugePage - 1);
  const std::int64_t end = down_to_huge(std::min(held + missing, page_.room.load()));
  // Huge pages are in one range, so that release knows where they are. Within the range there may
  // be small pages where one step ended and the next one began.
  const bool first = page_.huge_end.load() == 0;
  if (huge_ && begin < end && (first || begin <= page_.huge_end.load() + kHugePage)) {
    ::madvise(base_ + begin, static_cast<std::size_t>(end - begin), MADV_HUGEPAGE);
    if (first) page_.huge_begin.store(begin);
    page_.huge_end.store(end);
  }
  // The first step is due since the task began.
  page_.wanted_since_ns.store(std::exchange(asked_before_, true) ? monotonic_ns() : 0);
  page_.wanted.store(target);
  ring(kTaskFillFd);
}

std::int64_t Ballast::usage() const {
  char text[32];
  ssize_t n = usage_fd_ < 0 ? 0 : ::pread(usage_fd_, text, sizeof text, 0);
  if (n <= 0) return page_.held.load();
  std::int64_t bytes = 0;
  for (const char* c = text; c < text + n && *c >= '0' && *c <= '9'; ++c)
    bytes = bytes * 10 + (*c - '0');
  return bytes;
}

/// Fills one step. Returns false if there is no room.
bool Ballast::fill() {
  const std::int64_t held = page_.held.load();
  if (held + kBallastStep > page_.room.load()) return false;
  std::uint64_t x = random_;
  for (std::int64_t at = held; at < held + kBallastStep;
       at += sizeof x) {  // xorshift64 (Marsaglia)
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *reinterpret_cast<std::uint64_t*>(base_ + at) = x;
  }
  random_ = x;
  page_.held.store(held + kBallastStep);
  return true;
}

/// Gives memory back, down to a charge of `target`. Returns whether there is more to do.
bool Ballast::release(std::int64_t target) {
  page_.wanted.store(target);
  if (page_.filling.load() != 0) return true;
  const std::int64_t held = page_.held.load();
  const std::int64_t begin = page_.huge_begin.load(), end = page_.huge_end.load();
  std::int64_t left =
      std::max<std::int64_t>(held - (usage() - target) / kBallastStep * kBallastStep, 0);
  if (held > begin && held <= end)  // a huge page goes as a whole if most of it is too much
    left = std::max(down_to_huge(left + kHugePage / 2), begin);
  else
    left = std::max({left, held - kReleaseStep, held > end ? end : 0});
  if (left < held) give_back(left, held);
  const bool more = left < held && left > 0 && usage() >= target + kBallastStep;
  if (!more) asked_ = target;
  return more;
}

/// Gives back what lies between the offsets.
void Ballast::give_back(std::int64_t from, std::int64_t to) {
  const auto bytes = static_cast<std::size_t>(to - from);
  ::madvise(base_ + from, bytes, MADV_DONTNEED);
  page_.held.store(from);
  if (from >= page_.huge_end.load()) return;
  ::madvise(base_ + from, static_cast<std::size_t>(page_.huge_end.load() - from), MADV_NOHUGEPAGE);
  const bool none = from <= page_.huge_begin.load();
  page_.huge_end.store(none ? 0 : from);
  if (none) page_.huge_begin.store(0);
}

std::int64_t Ballast::release_cost_ns() const {
  const std::int64_t held = page_.held.load();
  const std::int64_t huge =
      std::max<std::int64_t>(std::min(held, page_.huge_end.load()) - page_.huge_begin.load(), 0);
  return (held - huge) / kPage * kReleasePageNs + huge / kHugePage * kReleaseHugeNs;
}

void Ballast::announce_release() {
  if (release_cost_ns() < kLongReleaseNs || page_.releasing.load() != 0) return;
  page_.releasing.store(1);
  ring(kTaskDoorbellFd);
}

}  // namespace heddle::task
