#pragma once

#include <cstdint>

namespace heddle::task {

/// Holds memory so that the charge of the task's container is what the profile says, whatever else
/// the container is charged for. Same-page merging and huge pages are off, so that the charge moves
/// with what is touched. If the memory may be swapped out, its contents are random, so that
/// compression does not collapse them; otherwise one word a page is enough (a third less CPU). If a
/// limit is in the way, touching memory ends the process by the kernel's OOM kill.
class Ballast {
 public:
  /// Bytes that are touched or given back at once: some tens of microseconds of CPU.
  static constexpr std::int64_t kStep = 64 << 10;

  /// Reserves address space for at most `peak` bytes; touches nothing. `usage_fd`: the container's
  /// memory-usage file; if it is a closed descriptor, the ballast alone follows the profile.
  /// `random`: write every word of the contents. Returns false if the kernel refuses.
  bool reserve(int usage_fd, std::int64_t peak, bool random);

  /// Makes one step toward a charge of `target` bytes. Returns false if the charge is there (less
  /// than a step below, or less than a step above).
  bool adjust(std::int64_t target);

  /// Returns the CPU time that giving everything back takes, in nanoseconds; a high guess.
  std::int64_t release_cost_ns() const { return held_ / kPage * kReleasePageNs; }

 private:
  static constexpr std::int64_t kPage = 4096;
  static constexpr std::int64_t kReleasePageNs = 200;

  std::int64_t usage() const;
  void grow();
  void shrink();

  int usage_fd_ = -1;
  char* base_ = nullptr;
  std::int64_t room_ = 0;
  std::int64_t held_ = 0;
  std::int64_t every_ = kPage;  ///< one word is written in so many bytes
  std::uint64_t random_ = 0;
};

}  // namespace heddle::task
