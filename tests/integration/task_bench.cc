#include "tests/integration/task_bench.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace heddle {
namespace {

/// Moves descriptor `from` to `to` in the child, or leaves `to` closed.
void place(int from, int to) {
  if (from < 0) {
    ::close(to);
  } else if (::dup2(from, to) < 0) {
    ::_exit(100);
  }
}

[[noreturn]] void become_task(int page_fd, int doorbell_fd, int memory_fd, int stderr_fd,
                              const std::vector<std::string>& join) {
  for (const std::string& file : join) {
    int fd = ::open(file.c_str(), O_WRONLY);
    if (fd < 0 || ::write(fd, "0", 1) != 1) ::_exit(101);
    ::close(fd);
  }
  // Moves the descriptors away from 3, 4 and 5 first.
  auto away = [](int fd) { return fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, 20); };
  int page = away(page_fd), doorbell = away(doorbell_fd), memory = away(memory_fd);
  if (stderr_fd >= 0) place(stderr_fd, STDERR_FILENO);
  place(page, kTaskPageFd);
  place(doorbell, kTaskDoorbellFd);
  place(memory, kTaskMemoryFd);
  ::execl(HEDDLE_TASK_PATH, "heddle-task", "job/phase/0", nullptr);
  ::_exit(102);
}

}  // namespace

real::Time now() { return real::Time(std::chrono::steady_clock::now().time_since_epoch()); }

testing::AssertionResult once_of_three(const std::function<testing::AssertionResult()>& attempt) {
  testing::AssertionResult result = attempt();
  for (int i = 1; i < 3 && !result; ++i) result = attempt();
  return result;
}

pid_t spawn_task(int page_fd, int doorbell_fd, int memory_fd, int stderr_fd,
                 const std::vector<std::string>& join) {
  pid_t pid = ::fork();
  if (pid == 0) become_task(page_fd, doorbell_fd, memory_fd, stderr_fd, join);
  return pid;
}

TaskBench::TaskBench(double cores, double core_fraction, CpuLimit limit) {
  Scale scale;
  scale.core = core_fraction;
  Millicores millicores(static_cast<std::int64_t>(cores * 1000));
  lines_ = *worker::CpuLines::create({millicores, 1.0, limit, scale});
}

TaskBench::~TaskBench() {
  for (auto& [container, run] : runs_) {
    if (run.over) continue;
    ::kill(run.pid, SIGKILL);
    ::waitpid(run.pid, nullptr, 0);
  }
}

void TaskBench::start(int container, double cores, const TaskOrder& order, int memory_fd,
                      const std::vector<std::string>& join) {
  TaskRun& run = runs_[container];
  run.started = now();
  Result<int> page = lines_->add(ContainerId{container},
                                 Millicores(static_cast<std::int64_t>(cores * 1000)), order, now());
  ASSERT_TRUE(page);
  run.pid = spawn_task(*page, lines_->doorbell_fd(), memory_fd, -1, join);
  ASSERT_GT(run.pid, 0);
}

void TaskBench::pretend(int container, double cores, int threads) {
  TaskOrder order;
  order.part.cpu_ns_per_thread = 1;
  order.part.threads = threads;
  ASSERT_TRUE(lines_->add(ContainerId{container},
                          Millicores(static_cast<std::int64_t>(cores * 1000)), order, now()));
}

bool TaskBench::all_over() const {
  return std::all_of(runs_.begin(), runs_.end(), [](const auto& r) { return r.second.over; });
}

void TaskBench::reap() {
  for (auto& [container, run] : runs_) {
    if (run.over || ::waitpid(run.pid, &run.status, WNOHANG) != run.pid) continue;
    run.over = true;
    run.ended = now();
    run.said = said(container);
    run.contended = lines_->contended(ContainerId{container});
    lines_->remove(ContainerId{container}, now());
  }
}

void TaskBench::serve_once() {
  // A task rings before it ends, so its end is noticed within a millisecond of the ring.
  pollfd doorbell{lines_->doorbell_fd(), POLLIN, 0};
  if (::poll(&doorbell, 1, 1) > 0)
    for (const worker::CpuLines::DonePart& done : lines_->on_doorbell(now())) done_.push_back(done);
  reap();
}

void TaskBench::serve(std::chrono::milliseconds span) {
  real::Time until = now() + span;
  while (!all_over() && now() < until) serve_once();
}

void TaskBench::serve_until_done(int container, int part) {
  const worker::CpuLines::DonePart wanted{ContainerId{container}, part};
  real::Time until = now() + std::chrono::seconds(20);
  while (std::find(done_.begin(), done_.end(), wanted) == done_.end()) {
    ASSERT_LT(now(), until);
    serve_once();
  }
}

void TaskBench::serve_all() {
  serve(std::chrono::seconds(20));
  EXPECT_TRUE(all_over());
}

}  // namespace heddle
