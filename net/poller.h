#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/fd.h"
#include "common/result.h"
#include "common/units.h"

namespace heddle::net {

/// Waits until a descriptor is readable, or until a given time. Level-triggered.
class Poller {
 public:
  static Result<Poller> create();

  /// Reports `tag` while the descriptor is readable.
  Result<void> watch(int fd, std::uint64_t tag);
  /// Stops reporting the descriptor. REQUIRES: called before the descriptor is closed. A child
  /// between fork and exec can still have a copy of a closed descriptor, and the poller would then
  /// still report it.
  void forget(int fd);

  /// Waits, at most until `until`, and returns the tags of the readable descriptors. Returns
  /// nothing if none is readable at `until`. Does not wait if `until` is in the past.
  Result<std::vector<std::uint64_t>> wait(real::Time until);

 private:
  Poller() = default;
  Fd epoll_;
  Fd timer_;
  real::Time armed_{};  ///< when the timer fires or fired
};

}  // namespace heddle::net
