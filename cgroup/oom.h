#pragma once

#include <cstdint>

#include "common/fd.h"
#include "common/oom_cause.h"

namespace heddle::cgroup {

/// Descriptor on which the kernel reports that a group ran out of memory. Poll it for
/// poll_events().
/// - v1: an eventfd on memory.oom_control. It fires for the group and for every group above it, so
///   an event of a node also fires the watches of all its containers (mm/memcontrol-v1.c,
///   mem_cgroup_oom_notify).
/// - v2: memory.events itself (POLLPRI). It fires for the group and for every group below it.
///   Inotify is not used because a user has 128 instances in all.
class OomWatch {
 public:
  enum class Kind { kEventFd, kEventsFile };
  OomWatch(Kind kind, Fd fd) : kind_(kind), fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  std::uint32_t poll_events() const;
  /// Clears the event. Returns how often it fired since the last call (v2: 0, the counters are in
  /// memory.events.local). Does not block.
  std::int64_t take();

 private:
  Kind kind_;
  Fd fd_;
};

/// Events in a container and around it since its slot was acquired.
struct OomEvidence {
  std::int64_t killed = 0;     ///< processes of the container that the OOM killer killed
  std::int64_t container = 0;  ///< times that the container's own limit was hit for good
  std::int64_t node = 0;       ///< times that the node's limit was hit for good
  friend bool operator==(const OomEvidence&, const OomEvidence&) = default;
};

/// Derives the evidence from the firings of v1's eventfds since the slot was acquired. The firings
/// of a group include those of the groups above it, so subtraction leaves the group's own. `above`
/// counts for the run's group, which has no limit, so it fires only for our ancestors.
OomEvidence from_v1_firings(std::int64_t killed, std::int64_t container, std::int64_t node,
                            std::int64_t above);

/// Returns whose limit caused the kill. The container's own event takes precedence: a container
/// that hit its own limit would have died whatever the node did, while a node's event may have been
/// for another container.
OomCause attribute(const OomEvidence& evidence);

}  // namespace heddle::cgroup
