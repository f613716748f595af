#pragma once

#include <cstdint>

#include "common/cpu_line.h"

namespace heddle::task {

/// Makes the charge of the task's container follow the profile, whatever else the container is
/// charged for. Asks the worker to fill memory, and gives memory back itself (BallastPage). Fills
/// memory itself if there is no fill doorbell or the kernel does not let the worker.
///
/// Same-page merging is off, so that the charge moves with what is filled. Contents are random, so
/// that compression does not collapse them. Huge pages are used for the whole multiples of
/// kHugePage within a step, if the worker says so. If a limit is in the way, filling
/// ends a process by the kernel's OOM kill.
class Ballast {
 public:
  explicit Ballast(BallastPage& page) : page_(page) {}

  /// Reserves address space for at most `peak` bytes; fills nothing. `usage_fd`: the container's
  /// memory-usage file; if it is a closed descriptor, the ballast alone follows the profile.
  /// `huge`: large steps use huge pages. Returns false if the kernel refuses.
  bool reserve(int usage_fd, std::int64_t peak, bool huge);

  /// Makes a step toward a charge of `target` bytes. Returns true if there is more to do at once.
  bool adjust(std::int64_t target);
  /// Lets the next adjust look at the charge again: threads that were started are charged, too.
  void look_again() { asked_ = kNothing; }

  /// Returns the CPU time that giving everything back takes, in nanoseconds; a high guess.
  std::int64_t release_cost_ns() const;
  /// Tells the worker that much memory is about to be given back, if that takes much CPU.
  void announce_release();
  /// Returns the CPU time that the calls of adjust have taken in this thread, which is not the
  /// task's.
  std::int64_t cpu_ns() const { return cpu_ns_; }

 private:
  static constexpr std::int64_t kNothing = INT64_MIN / 2;

  std::int64_t usage() const;
  bool fills_itself() const;
  void ask(std::int64_t target);
  bool fill();
  bool release(std::int64_t target);
  void give_back(std::int64_t from, std::int64_t to);

  BallastPage& page_;
  int usage_fd_ = -1;
  char* base_ = nullptr;
  bool has_bell_ = false;
  bool huge_ = false;
  bool asked_before_ = false;
  std::int64_t asked_ = kNothing;  ///< charge for which this thread has done all that it can
  std::int64_t cpu_ns_ = 0;
  std::uint64_t random_ = 0;
};

}  // namespace heddle::task
