#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "bench/workbench.h"
#include "cgroup/driver.h"
#include "cgroup/home.h"
#include "common/fd.h"
#include "host/run_directory.h"
#include "wire/messages.h"
#include "worker/cpu_lines.h"
#include "worker/enforcer.h"
#include "worker/launcher.h"

namespace heddle::bench {

/// A place for the groups, sockets and files of the workers of a bench. The place is like that of a
/// run. The destructor removes everything in it. If this process is killed, `heddle clean` removes
/// the place.
class BenchPlace {
 public:
  /// Makes the place. `cgroup` is the argument of `heddle run --cgroup`.
  explicit BenchPlace(const std::optional<std::string>& cgroup);
  BenchPlace(const BenchPlace&) = delete;
  BenchPlace& operator=(const BenchPlace&) = delete;
  ~BenchPlace();

  cgroup::Driver& driver() const { return *home_.driver; }
  const std::string& address() const { return home_.address; }
  const host::RunDirectory& dir() const { return dir_; }
  const Workbench& bench() const { return bench_; }

 private:
  Workbench bench_;
  host::RunDirectory dir_;
  cgroup::Home home_;
};

/// A heddle-worker, with this process as its master. Worker and master end together. The master
/// sends commands at once, as with `dispatch: immediate`. It acknowledges reports and makes no
/// decisions.
class BenchWorker {
 public:
  using What = decltype(wire::Command::what);

  /// Starts the worker and returns once it has sent a heartbeat. Its groups exist then.
  BenchWorker(const BenchPlace& place, const wire::Welcome& node);

  pid_t pid() const { return (*worker_).pid(); }
  void send(std::vector<What> commands);
  /// Returns the reports that have arrived. If there are none, waits until `until` for the first
  /// report. Throws Failed if the worker ends or refuses a command, if a task fails, or if the user
  /// interrupts.
  std::vector<wire::Report> hear(real::Time until);

 private:
  void take(const std::string& text, std::vector<wire::Report>& heard);
  void take(const std::vector<wire::Report>& reports, std::vector<wire::Report>& heard);
  void post(const wire::Message& message);

  const BenchPlace& place_;
  wire::Welcome welcome_;
  zmq::context_t context_{1};
  zmq::socket_t socket_;
  Ending worker_;
  std::string peer_;
  bool joined_ = false;
  std::vector<wire::Command> commands_;  ///< commands that the worker has not acknowledged yet
  std::int64_t last_command_ = 0, last_report_ = 0;
};

/// Returns a node with `cores` cores and up to `max_containers` containers. Each core is
/// `core_fraction` of a CPU. Emulated seconds on the node are real seconds.
wire::Welcome bench_node(double cores, double core_fraction, int max_containers);

/// Returns the command for a task with one core and nothing to do.
wire::LaunchCommand empty_task(std::int64_t id);

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
  /// Returns the CPU time of the children that wait() has reaped since the last call, in seconds.
  double take_cpu_s() { return std::exchange(cpu_s_, 0); }

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
  /// Returns the CPU time of all launches since the last call; there is none for limits and
  /// measuring.
  LaunchCpu take_cpu() {
    return {.start = std::exchange(start_s_, 0), .process = children_.take_cpu_s()};
  }

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
  /// Returns the CPU time of all launches since the last call.
  LaunchCpu take_cpu() {
    cpu_.process = children_.take_cpu_s();
    return std::exchange(cpu_, {});
  }

 private:
  std::string program_;
  std::unique_ptr<worker::Enforcer> enforcer_;
  worker::Launcher launcher_;
  OwnChildren children_;
  LaunchCpu cpu_;
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
