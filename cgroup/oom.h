#pragma once

#include <cstdint>

#include "common/fd.h"
#include "common/oom_cause.h"

namespace heddle::cgroup {

/// A descriptor on which the kernel reports that a group has run out of memory. Poll the descriptor
/// for poll_events().
/// - v1: an eventfd on memory.oom_control. It fires for the group and for every group above it, so
///   an event of a node also fires the watches of all its containers (mm/memcontrol-v1.c,
///   mem_cgroup_oom_notify).
/// - v2: memory.events itself (POLLPRI). It fires for the group and for every group below it.
///   Inotify is not used because a user can only have 128 instances.
class OomWatch {
 public:
  enum class Kind { kEventFd, kEventsFile };
  OomWatch(Kind kind, Fd fd) : kind_(kind), fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  std::uint32_t poll_events() const;
  /// Clears the event. Returns how often the watch has fired since the last call. On v2, always
  /// returns 0, because the counters are in memory.events.local. Does not block.
  std::int64_t take();

 private:
  Kind kind_;
  Fd fd_;
};

/// OOM events of a container and of its node since the container's slot was acquired. A limit is
/// hit when it is reached and the kernel can't free memory.
struct OomEvidence {
  std::int64_t killed = 0;     ///< processes of the container that the OOM killer killed
  std::int64_t container = 0;  ///< times that the container's own limit was hit
  std::int64_t node = 0;       ///< times that the node's limit was hit
  friend bool operator==(const OomEvidence&, const OomEvidence&) = default;
};

/// Derives the evidence from how often the eventfds of v1 have fired since the slot was acquired.
/// The eventfd of a group also fires for the groups above it. Therefore the function subtracts the
/// count of the group above. `above` is the count of the run's group. That group has no limit, so
/// its eventfd fires only for groups above it.
OomEvidence from_v1_firings(std::int64_t killed, std::int64_t container, std::int64_t node,
                            std::int64_t above);

/// Returns whose limit caused the kill. An event of the container takes precedence over an event of
/// the node. A container that hit its own limit would have died even without the node's event, and
/// the node's event can belong to another container.
OomCause attribute(const OomEvidence& evidence);

}  // namespace heddle::cgroup
