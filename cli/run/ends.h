#pragma once

#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <vector>

#include "common/fd.h"
#include "common/result.h"
#include "host/child.h"

namespace heddle::cli {

/// Reports which children have ended. The cost does not depend on the number of live children.
class Ends {
 public:
  Result<void> open() {
    epoll_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
    return epoll_ ? Result<void>() : system_error("epoll_create1", errno);
  }
  Result<void> watch(const host::Child& child, std::size_t index) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = index;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, child.pidfd(), &event) == 0) return {};
    return system_error("watch a process", errno);
  }
  /// REQUIRES: the child is watched, and its descriptor is still open.
  void forget(const host::Child& child) {
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, child.pidfd(), nullptr);
  }
  /// Returns a descriptor that is readable while a watched child has ended.
  int fd() const { return epoll_.get(); }
  /// Returns some of the children that have ended. The next call returns other ones.
  std::vector<std::size_t> take() {
    std::array<epoll_event, 64> events;
    const int count = ::epoll_wait(epoll_.get(), events.data(), std::ssize(events), 0);
    std::vector<std::size_t> ended;
    for (int i = 0; i < count; ++i) ended.push_back(events[static_cast<std::size_t>(i)].data.u64);
    return ended;
  }

 private:
  Fd epoll_;
};

}  // namespace heddle::cli
