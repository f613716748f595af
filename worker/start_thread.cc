#include "worker/start_thread.h"

#include <poll.h>

#include <chrono>

namespace heddle::worker {
namespace {

void await_readable(int fd) {
  pollfd wait{fd, POLLIN, 0};
  ::poll(&wait, 1, -1);  // if interrupted, the caller finds nothing and comes again
}

}  // namespace

Result<std::unique_ptr<StartThread>> StartThread::run(const Launcher& launcher) {
  std::unique_ptr<StartThread> starts(new StartThread);
  HEDDLE_TRY(starts->over_.open());
  starts->thread_ = std::thread([&launcher, self = starts.get()] { self->work(launcher); });
  return starts;
}

StartThread::~StartThread() {
  if (!thread_.joinable()) return;
  put(std::nullopt);
  thread_.join();
}

std::vector<Started> StartThread::await() {
  for (;;) {
    await_readable(over_.fd());
    if (std::vector<Started> over = over_.take(); !over.empty()) return over;
  }
}

void StartThread::put(std::optional<LaunchPlan> plan) {
  {
    std::lock_guard lock(mutex_);
    plans_.push_back(std::move(plan));
  }
  filled_.notify_one();
}

std::optional<LaunchPlan> StartThread::next() {
  std::unique_lock lock(mutex_);
  filled_.wait(lock, [&] { return !plans_.empty(); });
  std::optional<LaunchPlan> plan = std::move(plans_.front());
  plans_.pop_front();
  return plan;
}

void StartThread::work(const Launcher& launcher) {
  while (const std::optional<LaunchPlan> plan = next()) {
    Result<Child> child = launcher.launch(*plan);
    over_.put({std::move(child), std::chrono::steady_clock::now()});
  }
}

}  // namespace heddle::worker
