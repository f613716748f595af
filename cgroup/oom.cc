#include "cgroup/oom.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>

namespace heddle::cgroup {

std::uint32_t OomWatch::poll_events() const { return kind_ == Kind::kEventFd ? EPOLLIN : EPOLLPRI; }

std::int64_t OomWatch::take() {
  if (kind_ == Kind::kEventFd) {
    std::uint64_t count = 0;
    return ::read(fd_.get(), &count, sizeof count) == sizeof count
               ? static_cast<std::int64_t>(count)
               : 0;
  }
  char text[1024];  // reading from the start acknowledges the event (fs/kernfs/file.c)
  (void)!::pread(fd_.get(), text, sizeof text, 0);
  return 0;
}

OomEvidence from_v1_firings(std::int64_t killed, std::int64_t container, std::int64_t node,
                            std::int64_t above) {
  return {killed, std::max<std::int64_t>(container - node, 0),
          std::max<std::int64_t>(node - above, 0)};
}

OomCause attribute(const OomEvidence& evidence) {
  if (evidence.killed <= 0) return OomCause::kNone;
  if (evidence.container > 0) return OomCause::kContainer;
  if (evidence.node > 0) return OomCause::kNode;
  return OomCause::kOther;
}

}  // namespace heddle::cgroup
