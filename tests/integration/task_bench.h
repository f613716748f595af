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

/// Acts as the worker of real heddle-task processes, but without cgroups. It forks and executes the
/// tasks and serves their doorbell. The destructor kills all remaining tasks.
class TaskBench {
 public:
  /// Makes a node of `cores` emulated cores, each of which is `core_fraction` of a CPU.
  TaskBench(double cores, double core_fraction, CpuLimit limit = CpuLimit::kStrict);
  ~TaskBench();

  worker::CpuLines& lines() { return *lines_; }

  /// Runs the order in a container of `cores`. If `memory_fd` is not negative, it becomes
  /// descriptor 5. Before exec, the task writes "0" to the files in `join`, which are cgroup.procs
  /// of groups.
  void start(int container, double cores, const TaskOrder& order, int memory_fd = -1,
             const std::vector<std::string>& join = {});
  /// Adds a container that claims CPU for `threads` threads but runs nothing.
  void pretend(int container, double cores, int threads);
  void end_pretence(int container) { lines_->remove(ContainerId{container}, now()); }

  /// Serves the doorbell and the ends of tasks for this long, or until all tasks are over.
  void serve(std::chrono::milliseconds span);
  /// Serves until the task has done part number `part`. The test fails after 20 s.
  void serve_until_done(int container, int part);
  /// Serves until all tasks are over. The test fails after 20 s.
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

/// Makes at most three attempts. Returns the first success, or the last failure if there is no
/// success. If other programs share the machine, it can be too slow for a short time. For example,
/// one machine took 70 µs for a page of memory.
testing::AssertionResult once_of_three(const std::function<testing::AssertionResult()>& attempt);

/// Forks and executes heddle-task. The given descriptors become descriptors 3, 4 and 5 of the task.
/// If a given descriptor is negative, the task's descriptor is closed. If `stderr_fd` is not
/// negative, it becomes the task's standard error.
pid_t spawn_task(int page_fd, int doorbell_fd, int memory_fd, int stderr_fd = -1,
                 const std::vector<std::string>& join = {});

}  // namespace heddle
