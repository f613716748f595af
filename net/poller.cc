#include "net/poller.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <array>
#include <cerrno>
#include <limits>

namespace heddle::net {
namespace {

constexpr std::uint64_t kTimer = std::numeric_limits<std::uint64_t>::max();

}  // namespace

Result<Poller> Poller::create() {
  Poller poller;
  poller.epoll_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!poller.epoll_) return system_error("make an epoll descriptor", errno);
  poller.timer_ = Fd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!poller.timer_) return system_error("make a timer", errno);
  HEDDLE_TRY(poller.watch(poller.timer_.get(), kTimer));
  return poller;
}

Result<void> Poller::watch(int fd, std::uint64_t tag) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = tag;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) < 0)
    return system_error("watch a descriptor", errno);
  return {};
}

void Poller::forget(int fd) { ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

Result<std::vector<std::uint64_t>> Poller::wait(real::Time until) {
  bool past = until <= std::chrono::steady_clock::now();
  if (!past && until != armed_) {
    // Setting the timer also clears an earlier expiry that was not read.
    std::int64_t ns = until.time_since_epoch().count();
    itimerspec spec{};
    spec.it_value.tv_sec = ns / 1'000'000'000;
    spec.it_value.tv_nsec = ns % 1'000'000'000;
    if (::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &spec, nullptr) < 0)
      return system_error("set a timer", errno);
    armed_ = until;
  }
  std::array<epoll_event, 64> events;
  int n = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), past ? 0 : -1);
  if (n < 0 && errno != EINTR) return system_error("wait for events", errno);
  std::vector<std::uint64_t> tags;
  for (int i = 0; i < n; ++i)
    if (events[i].data.u64 != kTimer) tags.push_back(events[i].data.u64);
  return tags;
}

}  // namespace heddle::net
