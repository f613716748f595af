#pragma once

#include <spawn.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/worker_master.h"
#include "cgroup/driver.h"
#include "common/fd.h"
#include "worker/cpu_lines.h"
#include "worker/enforcer.h"
#include "worker/launcher.h"

namespace heddle::bench {

/// A way to take an empty task from its start to its end.
class LaunchWay {
 public:
  virtual ~LaunchWay() = default;
  /// Starts another task. The caller chooses the ids and uses each once.
  virtual Result<void> start(std::int64_t id) = 0;
  /// Waits until at least one task has ended. Returns the ids of all tasks that have ended. Error:
  /// a task failed.
  virtual Result<std::vector<std::int64_t>> wait() = 0;
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
class SpawnedChildren {
 public:
  SpawnedChildren() = default;
  SpawnedChildren(const SpawnedChildren&) = delete;
  SpawnedChildren& operator=(const SpawnedChildren&) = delete;
  ~SpawnedChildren();
  /// Starts a program by posix_spawn. The first argument is its path. Error: the program can't be
  /// executed.
  Result<pid_t> spawn(std::int64_t id, const std::vector<std::string>& words,
                      const posix_spawn_file_actions_t* files);
  void adopt(std::int64_t id, worker::Child child) { children_[id] = std::move(child); }
  /// Kills and reaps the child, if it exists.
  void abandon(std::int64_t id);
  /// Waits as LaunchWay::wait does. An exit status other than `expected` is a failure.
  Result<std::vector<std::int64_t>> wait(int expected);
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
  static Result<std::unique_ptr<BareWay>> create(const std::string& task_program);
  Result<void> start(std::int64_t id) override;
  Result<std::vector<std::int64_t>> wait() override;
  /// Starts a task with the given order instead of an empty one. Returns the process id.
  Result<pid_t> start(std::int64_t id, const TaskOrder& order);
  /// Kills the task.
  void abandon(std::int64_t id);
  /// Returns the CPU time of all launches so far; there is none for limits and measuring.
  LaunchCpu cpu() const { return {start_s_, children_.cpu_s(), 0, 0}; }

 private:
  BareWay(std::string program, std::unique_ptr<worker::CpuLines> lines)
      : program_(std::move(program)), lines_(std::move(lines)) {}
  std::string program_;
  std::unique_ptr<worker::CpuLines> lines_;
  SpawnedChildren children_;
  double start_s_ = 0;
};

/// Does what a worker does to start, reap and measure a task in a pooled group, by direct calls
/// instead of messages.
class GroupWay : public LaunchWay {
 public:
  static Result<std::unique_ptr<GroupWay>> create(cgroup::Driver& driver, const std::string& run,
                                                  const wire::Welcome& welcome,
                                                  const std::string& task_program);
  ~GroupWay() override;
  Result<void> start(std::int64_t id) override;
  Result<std::vector<std::int64_t>> wait() override;
  /// Returns the CPU time of all launches so far.
  LaunchCpu cpu() const { return {cpu_.start, children_.cpu_s(), cpu_.limits, cpu_.measure}; }

 private:
  GroupWay(std::string program, std::unique_ptr<worker::Enforcer> enforcer,
           worker::Launcher launcher)
      : program_(std::move(program)),
        enforcer_(std::move(enforcer)),
        launcher_(std::move(launcher)) {}
  std::string program_;
  std::unique_ptr<worker::Enforcer> enforcer_;
  worker::Launcher launcher_;
  SpawnedChildren children_;
  LaunchCpu cpu_;  ///< without `process`
};

/// Tells a real heddle-worker to launch the task. The time of a task lasts from the command to the
/// report of the task's end. Commands that are given at the same time are sent in one message, as a
/// master sends the actions of a step. wait() sends them.
class WorkerWay : public LaunchWay {
 public:
  explicit WorkerWay(WorkerMaster& master) : master_(master) {}
  Result<void> start(std::int64_t id) override;
  Result<std::vector<std::int64_t>> wait() override;

 private:
  WorkerMaster& master_;
  std::vector<WorkerMaster::What> commands_;  ///< not sent yet
};

/// Returns the command for a task with one core and nothing to do.
wire::LaunchCommand empty_task(std::int64_t id);

}  // namespace heddle::bench
