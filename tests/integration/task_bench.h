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

/// CLOCK_MONOTONIC now.
real::Time now();

/// What became of a task that the bench started.
struct TaskRun {
  pid_t pid = 0;
  real::Time started;
  real::Time ended;
  int status = 0;         ///< of waitpid
  bool over = false;      ///< reaped
  worker::TaskSaid said;  ///< its last words
  bool contended = false;

  real::Duration wall() const { return ended - started; }
};

/// Plays the worker for real heddle-task processes: fork, exec, and the doorbell served. No cgroup.
/// Whatever still runs is killed when the bench goes.
class TaskBench {
 public:
  /// A node of `cores` emulated cores, each `core_fraction` of a CPU.
  TaskBench(double cores, double core_fraction, CpuLimit limit = CpuLimit::kStrict);
  ~TaskBench();

  worker::CpuLines& lines() { return *lines_; }

  /// Runs the order in a container of `cores`. `memory_fd`: becomes descriptor 5 if not negative.
  /// `join`: files the task writes "0" to before exec (cgroup.procs).
  void start(int container, double cores, const TaskOrder& order, int memory_fd = -1,
             const std::vector<std::string>& join = {});
  /// A container that wants `threads` threads' CPU but runs nothing.
  void pretend(int container, double cores, int threads);
  void end_pretence(int container) { lines_->remove(ContainerId{container}, now()); }

  /// Serves doorbell and ends of tasks for this long, or until all tasks are over.
  void serve(std::chrono::milliseconds span);
  /// Serves until the task has done its part of this number; a test failure after 20 s.
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

/// The attempt's first success out of three, or its last failure: a machine shared with others may
/// be too slow to keep a pace for a moment (one gave a page of memory in 70 µs).
testing::AssertionResult once_of_three(const std::function<testing::AssertionResult()>& attempt);

/// Forks and execs heddle-task with the given descriptors as 3, 4 and 5 (negative: closed), and its
/// stderr to `stderr_fd` if that isn't negative.
pid_t spawn_task(int page_fd, int doorbell_fd, int memory_fd, int stderr_fd = -1,
                 const std::vector<std::string>& join = {});

}  // namespace heddle
