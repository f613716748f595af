#include "host/fill_rate.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "host/huge_pages.h"

namespace heddle::host {
namespace {

constexpr std::size_t kMeasured = 32 << 20;
constexpr std::size_t kPiece = 16 << 20;
constexpr std::size_t kPage = 4096;

using Clock = std::chrono::steady_clock;

/// Memory of this process that is filled and given back.
class Filled {
 public:
  Filled(std::size_t bytes, bool huge) : bytes_(bytes) {
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    memory_ = static_cast<volatile char*>(memory);
    ::madvise(memory, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    for (std::size_t at = 0; at < bytes; at += kPage) memory_[at] = 1;
  }
  ~Filled() {
    if (memory_ != nullptr) ::munmap(const_cast<char*>(memory_), bytes_);
  }
  Filled(Filled&& other) noexcept : bytes_(other.bytes_), memory_(other.memory_) {
    other.memory_ = nullptr;
  }
  Filled(const Filled&) = delete;
  Filled& operator=(const Filled&) = delete;
  Filled& operator=(Filled&&) = delete;

 private:
  std::size_t bytes_;
  volatile char* memory_ = nullptr;
};

double rate(bool huge) {
  const Clock::time_point began = Clock::now();
  const Filled filled(kMeasured, huge);
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return static_cast<double>(kMeasured) / std::max(seconds, 1e-9);
}

}  // namespace

FillRate measure_fill_rate() {
  const bool huge = huge_pages_pay();
  FillRate measured;
  measured.first = rate(huge);
  measured.again = rate(huge);
  return measured;
}

void warm_memory(real::Bytes bytes, real::Duration limit, const std::function<bool()>& stops) {
  const Clock::time_point until = Clock::now() + limit;
  const bool huge = huge_pages_pay();
  std::vector<Filled> pieces;  // all at once, or the same memory would be used again
  for (std::int64_t left = bytes.count(); left > 0; left -= kPiece) {
    if (Clock::now() >= until || stops()) return;
    pieces.emplace_back(std::min(static_cast<std::size_t>(left), kPiece), huge);
  }
}

}  // namespace heddle::host
