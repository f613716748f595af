#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/fd.h"
#include "common/result.h"
#include "common/units.h"

namespace heddle::net {

/// Waits for descriptors to become readable, or for a time. Level-triggered.
class Poller {
 public:
  static Result<Poller> create();

  /// Reports `tag` while the descriptor is readable.
  Result<void> watch(int fd, std::uint64_t tag);
  /// Stops reporting the descriptor. REQUIRES: called before the descriptor is closed, because a
  /// child between fork and exec may still hold it open, and then it would still be reported.
  void forget(int fd);

  /// Returns the tags of the readable descriptors; empty if `until` has come. Does not wait if
  /// `until` is in the past.
  Result<std::vector<std::uint64_t>> wait(real::Time until);

 private:
  Poller() = default;
  Fd epoll_;
  Fd timer_;
};

}  // namespace heddle::net
