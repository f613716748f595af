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
  HEDDLE_TRY(starts->plans_.open());
  HEDDLE_TRY(starts->over_.open());
  starts->thread_ = std::thread([&launcher, self = starts.get()] { self->work(launcher); });
  return starts;
}

StartThread::~StartThread() {
  if (!thread_.joinable()) return;
  plans_.put(std::nullopt);
  thread_.join();
}

std::vector<Started> StartThread::await() {
  for (;;) {
    await_readable(over_.fd());
    if (std::vector<Started> over = over_.take(); !over.empty()) return over;
  }
}

void StartThread::work(const Launcher& launcher) {
  for (;;) {
    await_readable(plans_.fd());
    for (const std::optional<LaunchPlan>& plan : plans_.take()) {
      if (!plan) return;
      Result<Child> child = launcher.launch(*plan);
      over_.put({std::move(child), std::chrono::steady_clock::now()});
    }
  }
}

}  // namespace heddle::worker
