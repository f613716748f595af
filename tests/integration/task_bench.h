#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/fd.h"
#include "worker/cpu_lines.h"

namespace heddle {

/// Returns the time of CLOCK_MONOTONIC.
real::Time now();

/// Result of a task that the bench started.
struct TaskRun {
  pid_t pid = 0;
  real::Time started;
  real::Time ended;
  int status = 0;         ///< from waitpid
  bool over = false;      ///< reaped
  worker::TaskSaid said;  ///< the last content of its page
  bool contended = false;

  real::Duration wall() const { return ended - started; }
};

/// Plays the worker for real heddle-task processes: fork, exec, and serving the doorbell, without
/// cgroups. Kills all remaining tasks when it is destroyed.
class TaskBench {
 public:
  /// Makes a node of `cores` emulated cores, each of which is `core_fraction` of a CPU.
  TaskBench(double cores, double core_fraction, CpuLimit limit = CpuLimit::kStrict);
  ~TaskBench();

  worker::CpuLines& lines() { return *lines_; }

  /// Runs the order in a container of `cores`. `memory_fd` becomes descriptor 5 if it is not
  /// negative. The task writes "0" to the files in `join` before exec (cgroup.procs).
  void start(int container, double cores, const TaskOrder& order, int memory_fd = -1,
             const std::vector<std::string>& join = {});
  /// Adds a container that wants the CPU of `threads` threads but runs nothing.
  void pretend(int container, double cores, int threads);
  void end_pretence(int container) { lines_->remove(ContainerId{container}, now()); }

  /// Serves the doorbell and the ends of tasks for this long, or until all tasks are over.
  void serve(std::chrono::milliseconds span);
  /// Serves until the task has done part number `part`; a test failure after 20 s.
  void serve_until_done(int container, int part);
  /// Serves until all tasks are over; a test failure after 20 s.
  void serve_all();

  const TaskRun& run(int container) const { return runs_.at(container); }
  worker::TaskSaid said(int container) const { return *lines_->said(ContainerId{container}); }

 private:
  bool all_over() const;
  void serve_once();
  void reap();

  std::unique_ptr<worker::CpuLines> lines_;
  std::map<int, TaskRun> runs_;
  std::vector<worker::CpuLines::DonePart> done_;
};

/// Returns the first success in three attempts, else the last failure. A machine shared with others
/// may be too slow for a moment (one took 70 µs for a page of memory).
testing::AssertionResult once_of_three(const std::function<testing::AssertionResult()>& attempt);

/// Forks and executes heddle-task with the given descriptors as 3, 4 and 5 (closed if negative),
/// and its standard error as `stderr_fd` unless that is negative.
pid_t spawn_task(int page_fd, int doorbell_fd, int memory_fd, int stderr_fd = -1,
                 const std::vector<std::string>& join = {});

}  // namespace heddle
