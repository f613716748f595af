#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench_worker.h"
#include "cgroup/driver.h"
#include "worker/cpu_lines.h"
#include "worker/enforcer.h"
#include "worker/launcher.h"

namespace heddle::bench {

/// A way to take an empty task from its start to its end. All ways throw Failed.
class LaunchWay {
 public:
  virtual ~LaunchWay() = default;
  /// Starts another task. The caller chooses the ids and uses each once.
  virtual void start(std::int64_t id) = 0;
  /// Waits until at least one task has ended. Returns the ids of all tasks that have ended.
  virtual std::vector<std::int64_t> wait() = 0;
};

/// CPU time that launches took in this process and in the tasks, in seconds.
struct LaunchCpu {
  double start = 0;    ///< of this thread, from clone until exec
  double process = 0;  ///< of the tasks' processes, from clone until their end
  double limits = 0;   ///< of this thread: group, caps, counters and line of a container
  double measure = 0;  ///< of this thread: usage at the end, and the return of the group
};

/// Owns children of this process and watches them by pidfds. The destructor kills and reaps the
/// children that have not ended.
class OwnChildren {
 public:
  OwnChildren() = default;
  OwnChildren(const OwnChildren&) = delete;
  OwnChildren& operator=(const OwnChildren&) = delete;
  ~OwnChildren();
  void adopt(std::int64_t id, worker::Child child) { children_[id] = std::move(child); }
  /// Kills and reaps the child, if it exists.
  void abandon(std::int64_t id);
  /// Waits as LaunchWay::wait does. A failed child is a failure.
  std::vector<std::int64_t> wait();
  /// Returns the CPU time of the children that wait() has reaped, in seconds.
  double cpu_s() const { return cpu_s_; }

 private:
  std::map<std::int64_t, worker::Child> children_;
  double cpu_s_ = 0;
};

/// Starts heddle-task by posix_spawn and waits for the end of the process. There is no control
/// group and there are no messages. The task only has its page, the shared memory with its order,
/// because it does not work without a page.
class BareWay : public LaunchWay {
 public:
  explicit BareWay(std::string task_program);
  void start(std::int64_t id) override;
  std::vector<std::int64_t> wait() override;
  /// Starts a task with the given order instead of an empty one. Returns the process id.
  pid_t start(std::int64_t id, const TaskOrder& order);
  /// Kills the task.
  void abandon(std::int64_t id);
  /// Returns the CPU time of all launches so far; there is none for limits and measuring.
  LaunchCpu cpu() const { return {.start = start_s_, .process = children_.cpu_s()}; }

 private:
  std::string program_;
  std::unique_ptr<worker::CpuLines> lines_;
  OwnChildren children_;
  double start_s_ = 0;
};

/// Does what a worker does to start, reap and measure a task in a pooled group, by direct calls
/// instead of messages.
class GroupWay : public LaunchWay {
 public:
  GroupWay(const BenchPlace& place, wire::Welcome node, std::string task_program);
  ~GroupWay() override { (void)enforcer_->teardown(std::chrono::milliseconds(500)); }
  void start(std::int64_t id) override;
  std::vector<std::int64_t> wait() override;
  /// Returns the CPU time of all launches so far.
  LaunchCpu cpu() const;

 private:
  std::string program_;
  std::unique_ptr<worker::Enforcer> enforcer_;
  worker::Launcher launcher_;
  OwnChildren children_;
  LaunchCpu cpu_;  ///< without `process`
};

/// Tells a real heddle-worker to launch the task. The time of a task lasts from the command to the
/// report of the task's end. Commands that are given at the same time are sent in one message, as a
/// master sends the actions of a step. wait() sends them.
class WorkerWay : public LaunchWay {
 public:
  explicit WorkerWay(BenchWorker& worker) : worker_(worker) {}
  void start(std::int64_t id) override { commands_.push_back(empty_task(id)); }
  std::vector<std::int64_t> wait() override;

 private:
  BenchWorker& worker_;
  std::vector<BenchWorker::What> commands_;  ///< not sent yet
};

}  // namespace heddle::bench
