#include "worker/cache_dropper.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "cgroup/formats.h"

namespace heddle::worker {
namespace {

constexpr int kInterrupt = SIGUSR2;
/// Pause after the first try; each further one is twice as long. The pauses of all tries are 51 s,
/// longer than the kernel leaves written pages in memory (dirty_expire_centisecs, 30 s).
constexpr std::chrono::milliseconds kPause(50);
constexpr int kTries = 11;

/// Returns whether little enough is left. A failed write shows in what is left.
bool drop_once(const cgroup::CacheDrop& drop) {
  (void)!::pwrite(drop.reclaim.get(), drop.text.data(), drop.text.size(), 0);
  char buffer[32];
  const ssize_t length = ::pread(drop.charge.get(), buffer, sizeof buffer, 0);
  if (length <= 0) return true;  // the group is gone
  const auto left = cgroup::parse_number({buffer, static_cast<std::size_t>(length)});
  return !left || real::Bytes(*left) <= drop.enough;
}

}  // namespace

void CacheDropper::allow_interruption() {
  struct sigaction action {};  // without SA_RESTART
  action.sa_handler = [](int) {};
  ::sigaction(kInterrupt, &action, nullptr);
}

CacheDropper::CacheDropper() : thread_([this] { run(); }) {}

CacheDropper::~CacheDropper() {
  {
    std::unique_lock lock(mutex_);
    stop_ = true;
    changed_.notify_all();
    // A single signal is not sufficient, because it can arrive before the thread has entered the
    // kernel.
    while (!changed_.wait_for(lock, std::chrono::milliseconds(5), [this] { return stopped_; }))
      ::pthread_kill(thread_.native_handle(), kInterrupt);
  }
  thread_.join();
}

void CacheDropper::begin(cgroup::CacheDrop drop) {
  {
    std::lock_guard lock(mutex_);
    waiting_.push_back({std::move(drop), std::chrono::steady_clock::now()});
  }
  changed_.notify_all();
}

std::vector<int> CacheDropper::take_over() {
  std::lock_guard lock(mutex_);
  return std::exchange(over_, {});
}

void CacheDropper::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (waiting_.empty())
      changed_.wait(lock);
    else
      try_next(lock);
  }
  stopped_ = true;
  changed_.notify_all();
}

void CacheDropper::try_next(std::unique_lock<std::mutex>& lock) {
  const auto next = std::ranges::min_element(waiting_, {}, &Work::due);
  if (const auto due = next->due; due > std::chrono::steady_clock::now()) {
    changed_.wait_until(lock, due);  // something earlier may come
    return;
  }
  Work work = std::move(*next);
  waiting_.erase(next);
  lock.unlock();
  const bool dropped = drop_once(work.drop);
  const auto now = std::chrono::steady_clock::now();
  lock.lock();
  if (dropped || ++work.tries == kTries) {
    over_.push_back(work.drop.slot);
    return;
  }
  work.due = now + kPause * (1 << (work.tries - 1));
  waiting_.push_back(std::move(work));
}

}  // namespace heddle::worker
