#pragma once

#include <cstdint>

namespace heddle::task {

/// Memory held so that the charge of the task's container is what the profile says, whatever else
/// it is charged for. No same-page merging and no huge pages, so the charge moves with what is
/// touched; where it may be swapped out its contents are random, so that compression doesn't
/// collapse them, else a word a page is enough (a third less CPU). A limit in the way ends the
/// process by the kernel's OOM kill, as touching does.
class Ballast {
 public:
  /// What is touched or given back at once: some tens of microseconds of CPU.
  static constexpr std::int64_t kStep = 64 << 10;

  /// Reserves address space for at most `peak` bytes; touches nothing.
  /// `usage_fd`: the container's memory-usage file, or a closed descriptor: then the ballast alone
  /// follows the profile. `random`: every word of the contents. False if the kernel refuses.
  bool reserve(int usage_fd, std::int64_t peak, bool random);

  /// One step toward a charge of `target` bytes; false if it is there (less than a step below, or
  /// less than a step above).
  bool adjust(std::int64_t target);

  /// CPU time that giving everything back takes, in nanoseconds, a high guess.
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
  std::int64_t every_ = kPage;  ///< bytes of which one word is written
  std::uint64_t random_ = 0;
};

}  // namespace heddle::task
