#pragma once

#include <cstdint>

#include "common/fd.h"
#include "common/oom_cause.h"

namespace heddle::cgroup {

/// A descriptor on which the kernel tells that a group ran out of memory. Poll it for `events`.
/// v1: an eventfd on memory.oom_control; fires for the group and for every group above it, so an
/// event of a node also fires all its containers' (mm/memcontrol-v1.c, mem_cgroup_oom_notify).
/// v2: memory.events itself (POLLPRI); fires for the group and for every group below it. It is
/// not inotify: a user has 128 of those in all.
class OomWatch {
 public:
  enum class Kind { kEventFd, kEventsFile };
  OomWatch(Kind kind, Fd fd) : kind_(kind), fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  std::uint32_t poll_events() const;
  /// Makes it quiet again; how often it fired since the last call (v2: 0, the counters are in
  /// memory.events.local). Doesn't block.
  std::int64_t take();

 private:
  Kind kind_;
  Fd fd_;
};

/// What happened to a container and around it since it was handed out.
struct OomEvidence {
  std::int64_t killed = 0;     ///< processes of the container that the OOM killer took
  std::int64_t container = 0;  ///< times the container's own limit was hit for good
  std::int64_t node = 0;       ///< times the node's was
  friend bool operator==(const OomEvidence&, const OomEvidence&) = default;
};

/// Firings of v1's eventfds, since the container was handed out. Those of a group contain those of
/// the groups above it: what is left after subtraction is the group's own. `above` is the run's,
/// which has no limit: it fires only for an ancestor of ours.
OomEvidence from_v1_firings(std::int64_t killed, std::int64_t container, std::int64_t node,
                            std::int64_t above);

/// Whose limit it was. The container's own event goes first: one that hit its own limit would have
/// died whatever the node did, while a node's event may have been for another container.
OomCause attribute(const OomEvidence& evidence);

}  // namespace heddle::cgroup
