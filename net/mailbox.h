#pragma once

#include <sys/eventfd.h>

#include <cerrno>
#include <mutex>
#include <utility>
#include <vector>

#include "common/fd.h"
#include "common/result.h"

namespace heddle::net {

/// A queue into which one thread puts things and from which another thread takes them. The queue's
/// descriptor is readable while the queue is not empty.
template <class T>
class Mailbox {
 public:
  Result<void> open() {
    event_ = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!event_) return system_error("make an event descriptor", errno);
    return {};
  }
  int fd() const { return event_.get(); }
  void put(T what) {
    std::lock_guard lock(mutex_);
    things_.push_back(std::move(what));
    wake();
  }
  void wake() { ::eventfd_write(event_.get(), 1); }
  std::vector<T> take() {
    std::lock_guard lock(mutex_);
    if (things_.empty()) return {};
    eventfd_t ignored;
    ::eventfd_read(event_.get(), &ignored);
    return std::exchange(things_, {});
  }

 private:
  Fd event_;
  std::mutex mutex_;
  std::vector<T> things_;
};

}  // namespace heddle::net
